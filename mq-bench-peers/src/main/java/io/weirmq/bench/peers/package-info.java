/**
 * Suites and contestants that need the libraries of others; {@code ./mq bench compare} finds them
 * by {@link java.util.ServiceLoader}. Nothing depends on this module, and the broker's class path
 * knows none of it.
 *
 * <table>
 *   <caption>Contents</caption>
 *   <tr><td>{@link io.weirmq.bench.peers.IpcSuite}<td>between processes of one host
 *   <tr><td>{@link io.weirmq.bench.peers.PeerContestants}<td>who takes part in what
 *   <tr><td>{@code transport}<td>links over WeirMQ's transports and over plain Netty
 *   <tr><td>{@code aeron}, {@code chronicle}, {@code jeromq}, {@code kafka}<td>links over those
 *   <tr><td>{@code weirmq}<td>links over the IPC clients of our broker
 * </table>
 *
 * <p>A contestant is a {@link io.weirmq.bench.compare.worker.Link} and an entry in {@code
 * PeerContestants} or {@code BrokerContestants}. All types are stateless, or confined to the thread
 * of a contestant's process.
 */
@NullMarked
package io.weirmq.bench.peers;

import org.jspecify.annotations.NullMarked;
