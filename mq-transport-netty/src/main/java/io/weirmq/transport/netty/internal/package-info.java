/**
 * How the TCP transport works inside; no other module imports it.
 *
 * <p>Read {@link io.weirmq.transport.netty.internal.NettyTransport} (threads, listeners, connects),
 * then {@link io.weirmq.transport.netty.internal.NettyConnection} (life of a connection), then its
 * two halves: {@link io.weirmq.transport.netty.internal.InboundPath} with {@link
 * io.weirmq.transport.netty.internal.FrameAssembler} and {@link
 * io.weirmq.transport.netty.internal.ReadBufferHandle}, and {@link
 * io.weirmq.transport.netty.internal.OutboundPath} with {@link
 * io.weirmq.transport.netty.internal.FrameWriter}.
 *
 * <p><b>Life of a connection.</b>
 *
 * <pre>
 *   OPEN --close()--&gt; CLOSING: drain, write, shut down output, wait for the peer's end --&gt; CLOSED
 *   OPEN --error, limit, idle, peer gone--------------------------------------------------&gt; CLOSED
 * </pre>
 *
 * <p><b>Threads.</b> All state is confined to the connection's event loop, but for the outbound
 * queue with its counters and the flags for pause and state, which any thread sets and the loop
 * acts upon.
 */
@NullMarked
package io.weirmq.transport.netty.internal;

import org.jspecify.annotations.NullMarked;
