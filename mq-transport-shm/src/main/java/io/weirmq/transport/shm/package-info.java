/**
 * Frames between processes of one host, through shared memory: endpoints {@code shm:/folder}.
 *
 * <p>The public types are {@link io.weirmq.transport.shm.ShmTransportProvider}, which {@link
 * java.util.ServiceLoader} finds, and {@link io.weirmq.transport.shm.ShmOptions} with its {@link
 * io.weirmq.transport.shm.WaitStrategy}, for programs that choose ring sizes or let their threads
 * spin.
 *
 * <pre>
 *   process A                                             process B
 *   any thread -- send --&gt; [ ring A to B ] -- copy --&gt; I/O thread -&gt; handler
 *   handler &lt;- I/O thread &lt;-- copy -- [ ring B to A ] &lt;-- send -- any thread
 *                     Unix domain socket: admission, bell, death notice
 * </pre>
 *
 * <p><b>Memory.</b> A connection has one file, mapped by both sides and without a name from then
 * on:
 *
 * <pre>
 *   position        size   content
 *   0               512    header of the ring to the listening side
 *   512             a      its records
 *   512 + a         512    header of the ring to the connecting side
 *   1024 + a        b      its records
 *
 *   header: magic at 0, read position at 128, "reader sleeps" at 256, "writer waits" at 384
 *   record: at a multiple of 8: 4 bytes length &lt;&lt; 3 | kind, 4 unused, payload
 *   kinds:  1 whole frame, 2 first piece (4 bytes: length of the frame), 3 further, 4 last piece,
 *           5 end in good order, 6 padding to the end of the ring
 * </pre>
 *
 * <p><b>Life of a frame.</b> {@code send} and {@code offer} copy it into the ring, by the calling
 * thread. A frame that is offered alone is published at once. {@code flush} publishes all others
 * since the last one by the release of the first one's length word; where 16 KiB are held they are
 * published before that. A peer that is awake sees them some hundred nanoseconds later, with no
 * system call on either side. Then {@code flush} looks whether the peer sleeps, and rings. The
 * receiving I/O thread copies the frame out, for the peer could still change the ring, and hands it
 * over: on the heap, or in pooled direct memory where it is above 4 KiB and the connection was
 * accepted. A frame that finds no room waits in a queue that counts as pending.
 *
 * <p><b>Trust.</b> Only processes of the same user are admitted, or of a group where the options
 * name one. They can still be broken: whatever is read from the ring is checked, and who breaks the
 * rules loses this connection.
 *
 * <p><b>Threads.</b> {@code ioThreads} I/O threads serve all connections, each bound to one of
 * them; one more accepts and shakes hands.
 */
@NullMarked
package io.weirmq.transport.shm;

import org.jspecify.annotations.NullMarked;
