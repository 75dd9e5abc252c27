/**
 * What a transport is: ordered, length-prefixed frames between two peers, with flow control.
 *
 * <p>The SPI knows nothing of Kafka. A transport moves byte strings; what they mean is decided
 * above.
 *
 * <pre>
 *   TransportProvider --open(options)--&gt; Transport --listen--&gt; Listener
 *   (ServiceLoader)                          |                     | accepts
 *                                            +----connect----&gt; Connection --onFrame--&gt; ConnectionHandler
 *                                                                  ^                        |
 *                                                                  +---send(OutboundFrame)--+
 * </pre>
 *
 * <p>Read {@link io.weirmq.transport.Transport}, {@link io.weirmq.transport.Connection} and {@link
 * io.weirmq.transport.ConnectionHandler} first, then the two frames: {@link
 * io.weirmq.transport.InboundFrame} and {@link io.weirmq.transport.OutboundFrame}.
 *
 * <p><b>Wire.</b> A frame is a big-endian {@code int32} length followed by that many bytes. The
 * length is added and removed by the transport; handlers see the content only. A length below zero
 * or above {@link io.weirmq.transport.TransportOptions#frameBytesMax()} ends the connection, and no
 * memory is reserved for what a length merely claims.
 *
 * <p><b>Threads.</b> A transport has its own, or it is a {@link
 * io.weirmq.transport.PolledTransport} and its user lends one. All callbacks of one connection come
 * from one thread at a time, in order. Methods of a connection may be called from any thread;
 * frames sent by one thread arrive in the order of the calls.
 *
 * <p><b>Ownership.</b> An inbound frame belongs to the handler that received it until it calls
 * {@link io.weirmq.transport.InboundFrame#release()}. An outbound frame belongs to the transport
 * from the moment it is sent, and the transport releases it exactly once, sent or not. For many
 * small frames there is a way without either: {@link io.weirmq.transport.Connection#offer} copies,
 * and a {@link io.weirmq.transport.BorrowingHandler} borrows.
 */
@NullMarked
package io.weirmq.transport;

import org.jspecify.annotations.NullMarked;
