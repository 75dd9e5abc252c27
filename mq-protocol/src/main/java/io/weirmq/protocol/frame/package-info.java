/**
 * Whole frames: headers and messages together, for servers and for clients.
 *
 * <p>{@link io.weirmq.protocol.frame.FrameCodec} is the entry. A server:
 *
 * <pre>{@code
 * IncomingRequest request = codec.openRequest(frame.buffer());
 * ApiMessage answer = handle(request.apiKey(), request.version(), request.readMessage());
 * connection.send(
 *     codec.encodeResponse(request.apiKey(), request.version(), request.correlationId(), answer));
 * }</pre>
 *
 * <p>A client does the reverse with {@code encodeRequest} and {@code openResponse}. Frames have no
 * length prefix here; that is the transport's. Records of an incoming message are slices of its
 * frame, so that the frame is released after the last use of the message; records of an outgoing
 * one belong to the outbound frame once it is made.
 */
@NullMarked
package io.weirmq.protocol.frame;

import org.jspecify.annotations.NullMarked;
