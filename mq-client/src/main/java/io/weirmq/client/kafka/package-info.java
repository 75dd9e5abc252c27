/**
 * Kafka's own producer, consumer and admin client over the transports of this project.
 *
 * <p>Needs kafka-clients, which the user brings. One line of a program changes:
 *
 * <pre>{@code
 * KafkaProducer<String, String> producer = new KafkaProducer<>(properties);       // before
 * KafkaProducer<String, String> producer = WeirClients.producer(properties);      // now
 * }</pre>
 *
 * <p>What comes back is Kafka's class, made by Kafka's constructor from the same properties; its
 * retries, batches, transactions and groups are Kafka's. Only the way to brokers of the same host
 * is another: through shared memory, where the broker offers it. {@link
 * io.weirmq.client.kafka.WeirClients} makes the clients, {@link
 * io.weirmq.client.kafka.TransportConfig} names the properties.
 */
@NullMarked
package io.weirmq.client.kafka;

import org.jspecify.annotations.NullMarked;
