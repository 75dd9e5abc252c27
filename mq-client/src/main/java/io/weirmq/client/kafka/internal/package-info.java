/**
 * How Kafka's clients are given another network.
 *
 * <pre>
 *   KafkaProducer / KafkaConsumer / KafkaAdminClient          (Kafka's, untouched)
 *        |
 *   NetworkClient --selector--&gt; LocalSelectable               (put in place by KafkaInternals)
 *                                 |            |
 *                    Kafka's Selector      LocalConnections --&gt; Transport (shared memory)
 *                    (other hosts, TLS,    one LocalConnection per broker
 *                     fallback)
 * </pre>
 *
 * <p>{@link io.weirmq.client.kafka.internal.LocalSelectable} decides at each connect which of the
 * two serves a broker, and polls both. Start there.
 *
 * <p><b>Threads.</b> A client has one thread at a time that polls: its network thread, or whoever
 * calls a classic consumer. All state belongs to it, and it does the transport's work: there is no
 * other thread, except while it sleeps in Kafka's Selector. Then {@link
 * io.weirmq.client.kafka.internal.TransportLoop} has one, which hands over what happened through
 * {@link io.weirmq.client.kafka.internal.Inbox} and touches nothing else.
 */
@NullMarked
package io.weirmq.client.kafka.internal;

import org.jspecify.annotations.NullMarked;
