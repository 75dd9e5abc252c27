/**
 * Partitions as a cluster sees them: who leads, in which leader epoch, and up to where records
 * count as replicated.
 *
 * <p>A {@link io.weirmq.replication.Partition} puts a role on top of a {@link
 * io.weirmq.storage.PartitionLog}. {@link io.weirmq.replication.HostedPartitions} holds those of
 * this broker and follows the metadata ({@code io.weirmq.replication.metadata}):
 *
 * <pre>
 *   MetadataStore --image--&gt; HostedPartitions --open/close--&gt; Partition --append--&gt; AppendPipeline
 *                                                              |  ^
 *                        callers: tryAppend, find, listeners --+  +-- high watermark, acks=all
 * </pre>
 *
 * <p>Read {@link io.weirmq.replication.Partition} first, then {@link
 * io.weirmq.replication.ProduceResult} and {@link io.weirmq.replication.PartitionListener}.
 *
 * <p>Invariants: the leader epoch of a partition never goes back; the high watermark is the
 * smallest log end of the replicas in sync; an append that was taken is answered exactly once.
 *
 * <p>Threads: request threads call in; answers and events come on the thread of the log's pipeline;
 * roles change on the thread of the metadata store. None of the calls blocks, but for those that
 * say so.
 */
@NullMarked
package io.weirmq.replication;

import org.jspecify.annotations.NullMarked;
