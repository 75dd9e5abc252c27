/**
 * The Kafka wire protocol: types, messages and errors, independent of any transport and of any
 * broker.
 *
 * <p>In reading order: {@link io.weirmq.protocol.ApiKey} (the APIs, their versions and header
 * versions; generated), {@link io.weirmq.protocol.ApiMessage} (what all messages are), {@link
 * io.weirmq.protocol.ProtocolReader} and {@link io.weirmq.protocol.ProtocolWriter} (the codec of
 * the primitive types), {@link io.weirmq.protocol.RecordsData} (record batches that are never
 * copied), {@link io.weirmq.protocol.ErrorCode}. The messages themselves are in {@code
 * io.weirmq.protocol.message}, whole frames in {@code io.weirmq.protocol.frame}.
 *
 * <pre>
 *   frame     = request header, request message   or   response header, response message
 *   decoding  ByteBuffer → ProtocolReader → message, whose records are slices of the buffer
 *   encoding  message → ProtocolWriter → OutboundFrame: bytes | records | bytes | records | bytes
 * </pre>
 *
 * <p>Invariants: decoding throws nothing but {@link io.weirmq.protocol.ProtocolException} for
 * whatever bytes, and allocates in proportion to the bytes that are there, never to what they
 * claim. Encoding copies no record. Nothing here has a thread, a lock or a clock.
 */
@NullMarked
package io.weirmq.protocol;

import org.jspecify.annotations.NullMarked;
