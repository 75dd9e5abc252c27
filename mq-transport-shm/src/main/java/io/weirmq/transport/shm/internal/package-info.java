/**
 * The transport itself: connections over rings, and who owns them.
 *
 * <pre>
 *   ShmTransport -- listen --&gt; ShmListener, Acceptor --+-- handshake thread
 *        |       -- connect -&gt; ClientHandshake --------+
 *        |                                             | Established: socket, rings, user
 *        +-- IoThread: EventLoop + FrameMemory &lt;-------+
 *                 serves
 *            ShmConnection
 *              InboundPath:  ring -&gt; copy (FrameMemory, FrameAssembly) -&gt; handler
 *              OutboundPath: any thread -&gt; ring, or queue -&gt; loop -&gt; FrameCursor -&gt; ring
 * </pre>
 *
 * <p>Read {@link io.weirmq.transport.shm.internal.ShmConnection} first.
 */
@NullMarked
package io.weirmq.transport.shm.internal;

import org.jspecify.annotations.NullMarked;
