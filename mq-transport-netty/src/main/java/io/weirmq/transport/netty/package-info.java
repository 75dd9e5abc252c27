/**
 * TCP transport on Netty: native epoll on Linux, NIO elsewhere.
 *
 * <p>The only public types are {@link io.weirmq.transport.netty.NettyTransportProvider}, which
 * {@link java.util.ServiceLoader} finds for endpoints {@code tcp://host:port}, and {@link
 * io.weirmq.transport.netty.NettyIo}, with which a test or an embedding program picks the system
 * interface by hand. No type of Netty shows through.
 *
 * <pre>
 *   socket --read into--&gt; FrameAssembler --slices--&gt; ConnectionHandler (I/O thread)
 *                          (pooled direct memory, counted references)
 *   any thread --send--&gt; OutboundPath (queue) --drain task--&gt; FrameWriter --&gt; writev / sendfile
 * </pre>
 *
 * <p><b>Inbound.</b> The socket is read straight into the buffer in which the current frame is
 * assembled; a frame is handed over as a view of that buffer. A frame is copied only where it
 * straddles the end of a read buffer, and a buffer grows with the bytes that have arrived, never
 * with what a length prefix claims.
 *
 * <p><b>Outbound.</b> A send from another thread is one queue operation; the first one since the
 * last drain also schedules the drain on the I/O thread. The drain copies small pieces into one
 * buffer, passes large ones on in place and file slices by {@code sendfile}.
 *
 * <p><b>Threads.</b> {@code ioThreads} I/O threads serve all connections, each bound to one of
 * them; one more thread accepts, so that a storm of connects does not delay running connections,
 * and one resolves host names for {@code connect}. All are started on first use.
 */
@NullMarked
package io.weirmq.transport.netty;

import org.jspecify.annotations.NullMarked;
