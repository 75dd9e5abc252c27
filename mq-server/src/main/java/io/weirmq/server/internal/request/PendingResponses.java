package io.weirmq.server.internal.request;

import io.weirmq.transport.Connection;
import io.weirmq.transport.OutboundFrame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responses of one connection that have not left yet: they complete in any order and on any
 * thread, and leave in the order of their requests.
 *
 * <p>Every response that is added is sent or discarded once. Confined to the connection's I/O
 * thread, but for {@link #completed}.
 */
final class PendingResponses {

  private static final Logger LOG = LoggerFactory.getLogger(PendingResponses.class);

  private final RequestConnection connection;
  private final Connection transport;
  private final RequestTraffic traffic;

  private final ArrayDeque<PendingResponse<?>> pending = new ArrayDeque<>();
  private long bytesInFlight;

  /** Completed on other threads, and not taken over by the I/O thread yet. */
  private final Queue<PendingResponse<?>> completions = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean completionsScheduled = new AtomicBoolean();
  private volatile boolean ended;

  /**
   * Makes an empty queue.
   *
   * @param connection told when responses are complete, and when one can't be sent
   * @param transport takes the frames
   * @param traffic counts what goes through here
   */
  PendingResponses(RequestConnection connection, Connection transport, RequestTraffic traffic) {
    this.connection = connection;
    this.transport = transport;
    this.traffic = traffic;
  }

  /** Takes the place of a request's response, behind those of the earlier requests. */
  void add(PendingResponse<?> response) {
    pending.add(response);
    bytesInFlight += response.requestBytes();
    traffic.begun(response.requestBytes());
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /** Whether the client has run ahead of its answers as far as it may. */
  boolean isAtLimit(RequestLimits limits) {
    return pending.size() >= limits.requestsInFlightMax()
        || bytesInFlight >= limits.bytesInFlightMax();
  }

  /** Takes a response over from whatever thread it was completed on. */
  void completed(PendingResponse<?> response) {
    if (!ended && connection.isOnIoThread()) {
      response.markComplete();
      connection.responsesCompleted();
      return;
    }
    completions.add(response);
    if (ended) {
      // The I/O thread may have looked for the last time: whoever polls an entry discards it.
      discardCompletions();
    } else if (completionsScheduled.compareAndSet(false, true)) {
      connection.execute(this::takeCompletions);
    }
  }

  private void takeCompletions() {
    completionsScheduled.set(false);
    if (ended) {
      discardCompletions();
      return;
    }
    for (PendingResponse<?> r = completions.poll(); r != null; r = completions.poll()) {
      r.markComplete();
    }
    connection.responsesCompleted();
  }

  private void discardCompletions() {
    for (PendingResponse<?> r = completions.poll(); r != null; r = completions.poll()) {
      r.releaseFrame();
      Throwable failure = r.failure();
      if (failure != null && !r.isCancelled()) {
        LOG.error("Handler of {} failed after the connection had ended", r.describe(), failure);
      }
      r.discard();
    }
  }

  /** Sends the responses that are complete, up to the first one that is not. */
  void sendComplete() {
    boolean sent = false;
    PendingResponse<?> head = pending.peek();
    while (head != null && head.isComplete()) {
      pending.remove();
      bytesInFlight -= head.requestBytes();
      traffic.ended(1);
      sent |= send(head);
      head = pending.peek();
    }
    if (sent) {
      transport.flush();
    }
  }

  private boolean send(PendingResponse<?> response) {
    if (connection.isClosing()) {
      response.discard();
      return false;
    }
    Throwable failure = response.failure();
    if (failure != null) {
      connection.closeOnFault("Handler of " + response.describe() + " failed", failure);
      return false;
    }
    OutboundFrame frame;
    try {
      frame = response.encode();
    } catch (RuntimeException e) {
      response.discard();
      connection.closeOnFault("Response to " + response.describe() + " can't be encoded", e);
      return false;
    }
    if (frame == null) {
      return false;
    }
    traffic.sent(frame.lengthBytes()); // before it is the transport's
    transport.send(frame);
    return true;
  }

  /** Lets requests that wait beyond their own time-outs expire. */
  void expire(long nowNs) {
    // What expires may be sent at once, and leaves the queue then.
    for (PendingResponse<?> response : pending.toArray(new PendingResponse<?>[0])) {
      response.expire(nowNs);
    }
  }

  /** Discards what is complete, and whatever completes from now on: the connection has ended. */
  void end() {
    ended = true;
    // Complete ones hold a response; the others are told that nobody waits and come back through
    // completed(), which discards them.
    for (PendingResponse<?> response : pending) {
      if (response.isComplete()) {
        response.discard();
      } else {
        response.cancel();
      }
    }
    traffic.ended(pending.size());
    pending.clear();
    bytesInFlight = 0;
    discardCompletions();
  }
}
