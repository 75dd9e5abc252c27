/**
 * The transport itself: connections over rings, and who owns them.
 *
 * <pre>
 *   ShmTransport -- listen --&gt; ShmListener, Acceptor --+-- handshake thread (IoThreads)
 *        |       -- connect -&gt; ClientHandshake --------+
 *        |                                             | Established: socket, rings, user
 *        +-- Connections &lt;-----------------------------+
 *              makes
 *            ShmConnection     its life; ConnectionEnd: the steps of its end; IdleCheck
 *              PeerSocket:     bells, and the end of the peer
 *              ConnectionTurns: what the EventLoop of an IoThread calls, turn by turn
 *                InboundPath:  ring -&gt; copy (FrameMemory, FramePool, FrameAssembly) -&gt; handler
 *                OutboundPath: any thread -&gt; ring, or queue -&gt; loop -&gt; FrameCursor -&gt; ring
 *              HandlerCalls:   the callbacks
 * </pre>
 *
 * <p>{@link io.weirmq.transport.shm.internal.PolledShmTransport} is the same with one loop, for
 * handshakes as well, that its user polls.
 *
 * <p>Read {@link io.weirmq.transport.shm.internal.ShmConnection} first.
 */
@NullMarked
package io.weirmq.transport.shm.internal;

import org.jspecify.annotations.NullMarked;
