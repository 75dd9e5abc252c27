/**
 * How two processes agree on shared memory, over a Unix domain socket.
 *
 * <pre>
 *   connecting side                       listening side
 *        | ---- connect --------------------&gt; |  who is it? (SO_PEERCRED; not admitted: refused)
 *        | ---- Hello: wanted sizes --------&gt; |  is there a place? make the file, map it
 *        | &lt;--- Answer: name and sizes ------ |  (or: refused, and why)
 *   map  | ---- confirmed ------------------&gt; |  unlink the file
 * </pre>
 *
 * <p>From then on each byte on the socket, in either direction, is the bell: look at the rings. Its
 * end is the end of the peer.
 *
 * <p>Everything here runs on the transport's one handshake thread, away from running connections:
 * making a file of some megabytes takes about a millisecond. Each handshake has a time-out, and
 * their number is bounded ({@link io.weirmq.transport.shm.internal.handshake.HandshakeLimits}).
 */
@NullMarked
package io.weirmq.transport.shm.internal.handshake;

import org.jspecify.annotations.NullMarked;
