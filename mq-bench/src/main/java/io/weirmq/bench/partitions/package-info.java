/**
 * What many partitions cost at rest: {@code mq bench partitions}.
 *
 * <p>{@link io.weirmq.bench.partitions.PartitionsCommand} starts a broker under a limit of open
 * files, has topics made over the Kafka protocol, gives every partition a number of segments, stops
 * the broker and starts it again, and prints how long each took and what the process holds. {@link
 * io.weirmq.bench.partitions.MeasuredBroker} is such a process, WeirMQ or Kafka.
 *
 * <p>A segment holds one small batch. {@code segment.ms=1} together with record times that lie ten
 * seconds apart begins one with each batch, by the same rule in both brokers.
 */
@NullMarked
package io.weirmq.bench.partitions;

import org.jspecify.annotations.NullMarked;
