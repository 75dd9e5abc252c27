/**
 * How programs reach a broker: with Kafka's own clients over any transport ({@link
 * io.weirmq.client.kafka}), or, on the broker's host, with a publisher and a subscriber made for
 * microseconds ({@link io.weirmq.client.ipc}). Both speak of the same topics and offsets.
 */
@NullMarked
package io.weirmq.client;

import org.jspecify.annotations.NullMarked;
