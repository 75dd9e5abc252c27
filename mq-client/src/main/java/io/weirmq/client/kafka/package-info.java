/**
 * Kafka's own producer, consumer and admin client over the transports of this project.
 *
 * <p>Needs kafka-clients, which the user brings.
 */
@NullMarked
package io.weirmq.client.kafka;

import org.jspecify.annotations.NullMarked;
