/**
 * Produce: batches of many partitions go from the received frame into the append pipelines.
 *
 * <p>{@link io.weirmq.server.internal.produce.ProduceHandler} checks what concerns the whole
 * request; a {@code ProduceOperation} hands each batch over and gathers the outcomes:
 *
 * <pre>
 *   frame --slices--&gt; Partition.tryAppend --&gt; ring --&gt; writer thread --ProduceCallback--&gt; outcome
 *      ^                     | full                                                         |
 *      |                     v                                                              v
 *      |         suspend the connection, go on when there is room              last one: release the
 *      +----------------------------------------------------------------------- frame, answer
 * </pre>
 *
 * <p>Batches are never copied on the way; the frame is kept until the last outcome is known.
 * Batches of one connection enter the pipelines in the order in which they were sent, also where a
 * ring was full meanwhile.
 *
 * <p>Threads: hand-over happens on the connection's I/O thread, outcomes come on the writers'.
 */
@NullMarked
package io.weirmq.server.internal.produce;

import org.jspecify.annotations.NullMarked;
