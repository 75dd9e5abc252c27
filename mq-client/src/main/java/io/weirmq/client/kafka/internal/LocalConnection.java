package io.weirmq.client.kafka.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one broker, as Kafka's client sees it: connecting, open, closed for ever.
 *
 * <p>The callbacks come from whoever runs the transport's loop and only fill the {@link Inbox}; all
 * else belongs to the polling thread. Frames that wait there are bounded: above {@value
 * #WAITING_BYTES_MAX} bytes the connection is read no more until half of them are taken, so that a
 * broker waits for a slow client as it would over TCP.
 */
final class LocalConnection implements ConnectionHandler {

  private static final Logger LOG = LoggerFactory.getLogger(LocalConnection.class);

  /** Bytes of frames that wait for the polling thread; one frame may exceed it. */
  static final int WAITING_BYTES_MAX = 1024 * 1024;

  /** What a waiting frame counts beside its bytes. */
  private static final int FRAME_COST_BYTES = 64;

  /** How long a connection that was cut may take to let go of the request under way. */
  private static final long RELEASE_MILLIS = 10_000;

  /** Turns of the loop that a cut may take: one, and some more where a fault comes between. */
  private static final int RELEASE_TURNS = 8;

  /** Hears what happens to a connection, on the polling thread. */
  interface Owner {

    /** It is open. */
    void opened(LocalConnection connection);

    /** It could not be made. */
    void failed(LocalConnection connection, Throwable cause);

    /** A response has come. */
    void received(LocalConnection connection, NetworkReceive receive);

    /** The other side has ended it. */
    void ended(LocalConnection connection, @Nullable Throwable cause);

    /**
     * Has the transport do what waits for it, where the polling thread does its work.
     *
     * @return whether that is so
     */
    boolean runTransport();
  }

  private enum State {
    CONNECTING,
    OPEN,
    CLOSED
  }

  private final String id;
  private final InetSocketAddress address;
  private final Inbox inbox;
  private final Owner owner;
  private final AtomicLong waitingBytes = new AtomicLong();
  private volatile boolean paused;

  private State state = State.CONNECTING;
  private @Nullable Connection connection;
  private @Nullable Sending sending;
  private final Queue<ByteBuffer> held = new ArrayDeque<>();
  private boolean muted;
  private boolean unflushed;
  private long lastTrafficNanos;

  /**
   * Makes a connection that is about to be made.
   *
   * @param id Kafka's name of the broker
   * @param address where Kafka's client believes to connect to
   */
  LocalConnection(String id, InetSocketAddress address, Inbox inbox, Owner owner, long nowNanos) {
    this.id = id;
    this.address = address;
    this.inbox = inbox;
    this.owner = owner;
    this.lastTrafficNanos = nowNanos;
  }

  String id() {
    return id;
  }

  InetSocketAddress address() {
    return address;
  }

  @Override
  public void onOpen(Connection opened) {
    inbox.add(() -> opened(opened));
  }

  /** Tells that the connection could not be made; from any thread. */
  void onFailed(Throwable cause) {
    inbox.add(
        () -> {
          if (state == State.CONNECTING) {
            state = State.CLOSED;
            owner.failed(this, cause);
          }
        });
  }

  @Override
  public void onFrame(Connection from, InboundFrame frame) {
    ByteBuffer content = frame.detach();
    if (waitingBytes.addAndGet(cost(content)) > WAITING_BYTES_MAX) {
      from.pauseReading();
      // Before the event is added: whoever runs it sees the pause.
      paused = true;
    }
    inbox.add(() -> received(content));
  }

  @Override
  public void onClosed(Connection closed, @Nullable Throwable cause) {
    inbox.add(
        () -> {
          if (state == State.OPEN) {
            state = State.CLOSED;
            owner.ended(this, cause);
          }
        });
  }

  /** Whether a request may be sent: open, and the one before has left. */
  boolean isReady() {
    return state == State.OPEN && sending == null;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  /**
   * Sends a request; it leaves with the next {@link #flush}.
   *
   * @throws IllegalStateException where {@link #isReady} is false
   * @throws IOException where the request is no frame
   */
  void send(NetworkSend send, long nowNanos) throws IOException {
    Connection to = connection;
    if (to == null || !isReady()) {
      throw new IllegalStateException(
          "broker %s is %s and can't take a request%s"
              .formatted(id, state, sending == null ? "" : " while one is under way"));
    }
    Sending started = new Sending(send, inbox);
    OutboundFrame frame = new OutboundFrame(SendCollector.collect(send), started);
    sending = started;
    unflushed = true;
    lastTrafficNanos = nowNanos;
    to.send(frame);
  }

  /** Lets go what was sent since the last call. */
  void flush() {
    Connection to = connection;
    if (unflushed && to != null) {
      unflushed = false;
      to.flush();
    }
  }

  /** Returns the request that has left and was not returned yet; null where there is none. */
  @Nullable NetworkSend takeCompleted() {
    Sending done = sending;
    if (done == null || !done.isReleased()) {
      return null;
    }
    sending = null;
    return done.send();
  }

  /** Holds responses back, or no more. */
  void mute(boolean on, long nowNanos) {
    muted = on;
    ByteBuffer next;
    while (!muted && state == State.OPEN && (next = held.poll()) != null) {
      deliver(next, nowNanos);
    }
  }

  /** Whether nothing was sent or received for a time, and nothing is under way. */
  boolean isIdleFor(long nanos, long nowNanos) {
    return state == State.OPEN && sending == null && nowNanos - lastTrafficNanos > nanos;
  }

  /** Notes a sign of life. */
  void touch(long nowNanos) {
    lastTrafficNanos = nowNanos;
  }

  /**
   * Ends the connection; its owner hears nothing more. Where a request is under way the connection
   * is cut and its buffers are waited for, which is a turn of the transport's loop.
   */
  void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    held.clear();
    Connection ending = connection;
    if (ending == null) {
      return; // cut when it opens
    }
    Sending underWay = sending;
    if (underWay == null || underWay.isReleased()) {
      ending.flush();
      ending.close();
      return;
    }
    ending.abort(new IOException("closed by the client with a request under way"));
    for (int turns = 0; turns < RELEASE_TURNS && !underWay.isReleased(); turns++) {
      if (!owner.runTransport()) {
        break;
      }
    }
    if (!underWay.awaitRelease(RELEASE_MILLIS)) {
      LOG.error("request to broker {} is still held by its transport after the end", id);
    }
  }

  private void opened(Connection opened) {
    if (state == State.CONNECTING) {
      connection = opened;
      state = State.OPEN;
      owner.opened(this);
    } else {
      opened.abort(new IOException("given up by the client while connecting"));
    }
  }

  private void received(ByteBuffer content) {
    if (muted && state == State.OPEN) {
      held.add(content);
      return;
    }
    long left = waitingBytes.addAndGet(-cost(content));
    if (paused && left <= WAITING_BYTES_MAX / 2) {
      paused = false;
      Connection from = connection;
      if (from != null) {
        from.resumeReading();
      }
    }
    if (state == State.OPEN) {
      owner.received(this, new NetworkReceive(id, content));
    }
  }

  private void deliver(ByteBuffer content, long nowNanos) {
    lastTrafficNanos = nowNanos;
    received(content);
  }

  private static int cost(ByteBuffer content) {
    return content.capacity() + FRAME_COST_BYTES;
  }
}
