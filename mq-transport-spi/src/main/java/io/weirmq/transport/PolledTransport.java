package io.weirmq.transport;

/**
 * A transport without threads: whoever calls {@link #poll} does its work, and all callbacks come
 * from within that call.
 *
 * <p>For a program that has a loop of its own: a frame is handed to it on the thread that wants it,
 * without a queue and a wake-up between two threads. Nothing is read, connected or timed while
 * nobody polls; what fits into the transport's buffers is sent all the same. An optional
 * capability, see {@link TransportProvider#openPolled}; {@link TransportOptions#ioThreads()} has no
 * meaning here.
 *
 * <pre>{@code
 * transport.connect(endpoint, handler);
 * while (running) {
 *   transport.poll(100); // calls the handler
 * }
 * transport.close();
 * }</pre>
 *
 * <p><b>Threads.</b> One thread at a time polls; which one may change from call to call where the
 * callers hand over safely, under a lock for instance. The methods of connections, {@link #connect}
 * and {@link #wakeup} are for any thread. {@link #close()} and the {@code close} of a listener poll
 * themselves until the end is reached, where no other thread is polling; a {@link #poll} beside
 * them waits for its turn.
 */
public interface PolledTransport extends Transport {

  /**
   * Does what there is to do, and waits where there is nothing: until there is something, {@link
   * #wakeup} was called, the thread was interrupted, or the time is over. It returns as soon as
   * something was done, with or without a callback. An interrupt stays set.
   *
   * @param timeoutMillis how long to wait at most; 0 not to wait
   * @return the amount of work done, 0 for none
   * @throws IllegalStateException where a thread is in {@link #poll}, from within a callback too
   */
  int poll(long timeoutMillis);

  /** Ends the poll that is under way, or else the next one. From any thread. */
  void wakeup();
}
