/**
 * Links over Kafka's own clients ({@link io.weirmq.bench.peers.kafka.KafkaLink}), and how brokers
 * are started for them ({@link io.weirmq.bench.peers.kafka.Brokers}). One thread per process,
 * beside those of the clients.
 */
@NullMarked
package io.weirmq.bench.peers.kafka;

import org.jspecify.annotations.NullMarked;
