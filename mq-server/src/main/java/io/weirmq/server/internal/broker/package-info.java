/**
 * How a broker is put together and taken apart again: the composition root behind {@link
 * io.weirmq.server.Broker}.
 *
 * <pre>
 *   FatalErrors, BrokerThreads, BrokerMetrics
 *     Storage         data folders, pipelines, metadata, hosted partitions
 *       Coordination  group coordinator on the offsets topic
 *         ServedApis  one handler per API, in the registration table
 *           Listeners transports, client connections, advertised addresses
 *     Upkeep          retention, checkpoints, expiry
 * </pre>
 *
 * <p>Each part opens what it owns in its factory and closes it in {@code close}. {@link
 * io.weirmq.server.internal.broker.OpenParts} closes in reverse order, also where a start fails
 * half way, so that a broker that could not start leaves nothing behind.
 *
 * <p>Only here are system clocks read and threads made. Threads: I/O threads of the transports
 * ({@code mq-io}), one writer per pipeline ({@code mq-append}), the coordinator's ({@code
 * mq-groups}), the metadata store's, the scheduler's ({@code mq-timer}), and one for work that may
 * take long ({@code mq-upkeep}).
 */
@NullMarked
package io.weirmq.server.internal.broker;

import org.jspecify.annotations.NullMarked;
