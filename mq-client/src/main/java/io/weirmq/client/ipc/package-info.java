/**
 * Publisher and subscriber of a broker's topics for processes on the broker's host. Needs no
 * kafka-clients, and speaks of the same topics and offsets as everybody else.
 *
 * <pre>{@code
 * try (IpcClient client = IpcClient.open(IpcClientOptions.of(Endpoint.tcp("localhost", 9092)));
 *     IpcPublisher publisher = client.publisher("prices", 0, PublisherOptions.defaults());
 *     IpcSubscriber subscriber =
 *         client.subscriber("prices", 0, StartPosition.latest(), SubscriberOptions.defaults())) {
 *   publisher.offer(key, value);
 *   subscriber.poll(record -> use(record.buffer(), record.valuePosition()), 100);
 * }
 * }</pre>
 *
 * <pre>
 *   IpcPublisher                          broker                               IpcSubscriber
 *   batch in place --ring--&gt; I/O thread --&gt; pipeline --write--&gt; segment file &lt;--read-- window
 *         ^                      |             +--store--&gt; published offsets &lt;--load---+
 *         +------ answer --------+                          (shared memory)
 * </pre>
 *
 * <p>Read {@link io.weirmq.client.ipc.IpcClient}, {@link io.weirmq.client.ipc.IpcPublisher} and
 * {@link io.weirmq.client.ipc.IpcSubscriber}. A publisher's batches are built in the form in which
 * they are stored; a subscriber reads the log's files itself, and follows the high watermark in
 * memory that the broker shares with it. Why it is so is in {@code docs/adr/0018-ipc-clients.md}.
 *
 * <p>Threads: a client has one I/O thread per kind of transport, which runs the listeners of
 * publishers, one that connects again, and one for names of brokers that have to be looked up. A
 * subscriber runs on the thread that polls it.
 */
@NullMarked
package io.weirmq.client.ipc;

import org.jspecify.annotations.NullMarked;
