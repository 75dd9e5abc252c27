package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.message.RequestHeader;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Peer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one connection: takes frames in, hands requests to handlers, and sends responses
 * in request order.
 *
 * <p>Requests run one after the other, but do not wait for each other's responses: behind a fetch
 * that waits, a produce is still executed, and its response is held back. How far a client may run
 * ahead is bounded by {@link RequestLimits}; beyond that, and while the peer does not read what it
 * asked for, the connection is not read from.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>every frame is released once, and every response is sent or discarded once
 *   <li>while there is a reason to hold requests back, none is begun and the transport is paused
 * </ul>
 *
 * <p>Confined to the connection's I/O thread, but for {@link #completed} and {@link #execute}.
 */
final class RequestConnection implements ConnectionHandler, ClientConnection {

  private static final Logger LOG = LoggerFactory.getLogger(RequestConnection.class);

  /** API key, API version and correlation id. */
  private static final int FIXED_HEADER_BYTES = 8;

  /**
   * The largest request that carries no records. Decoded it takes many times its size on the heap,
   * so that such requests get less than a frame may have.
   */
  static final int PLAIN_REQUEST_BYTES_MAX = 4 * 1024 * 1024;

  /** Reasons to hold requests back; one bit each. */
  private static final int SUSPENDED = 1;

  private static final int AT_LIMIT = 2;
  private static final int NOT_WRITABLE = 4;
  private static final int CLOSING = 8;
  private static final int DRAINING = 16;

  private final Connection connection;
  private final long id;
  private final ListenerNames listener;
  private final Principal principal;
  private final ApiTable apis;
  private final RequestLimits limits;
  private final StringInterner names;
  private final RateLimitedLog badRequests;
  private final Consumer<RequestConnection> onEnd;
  private final boolean ofOwnUser;

  private final ArrayDeque<InboundFrame> waitingFrames = new ArrayDeque<>(4);
  private final ArrayDeque<PendingResponse<?>> pending = new ArrayDeque<>();
  private final Queue<PendingResponse<?>> completions = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean completionsScheduled = new AtomicBoolean();

  private @Nullable Thread ioThread;
  private long bytesInFlight;
  private int holds;
  private boolean dispatching;
  private boolean paused;
  private volatile boolean closed;

  RequestConnection(
      Connection connection,
      long id,
      ListenerNames listener,
      ApiTable apis,
      RequestLimits limits,
      StringInterner names,
      RateLimitedLog badRequests,
      boolean ofOwnUser,
      Consumer<RequestConnection> onEnd) {
    this.connection = connection;
    this.id = id;
    this.listener = listener;
    this.principal = Principal.of(connection.peer());
    this.apis = apis;
    this.limits = limits;
    this.names = names;
    this.badRequests = badRequests;
    this.ofOwnUser = ofOwnUser;
    this.onEnd = onEnd;
  }

  @Override
  public void onOpen(Connection opened) {}

  @Override
  public void onFrame(Connection from, InboundFrame frame) {
    Thread outer = enter();
    try {
      waitingFrames.add(frame);
      dispatchWaiting();
    } finally {
      leave(outer);
    }
  }

  @Override
  public void onWritabilityChanged(Connection changed, boolean writable) {
    hold(NOT_WRITABLE, !writable);
  }

  @Override
  public void onClosed(Connection ended, @Nullable Throwable cause) {
    closed = true;
    holds |= CLOSING;
    if (cause != null) {
      LOG.debug("Connection {} of {} ended", id, client(), cause);
    }
    releaseWaitingFrames();
    // Complete ones hold a response; the others are told that nobody waits and come back through
    // completed(), which discards them.
    for (PendingResponse<?> response : pending) {
      if (response.isComplete()) {
        response.discard();
      } else {
        response.cancel();
      }
    }
    pending.clear();
    bytesInFlight = 0;
    discardCompletions();
    onEnd.accept(this);
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public Peer peer() {
    return connection.peer();
  }

  @Override
  public boolean isOfOwnUser() {
    return ofOwnUser;
  }

  @Override
  public String listenerName() {
    return listener.name();
  }

  @Override
  public String advertisedListener() {
    return listener.advertised();
  }

  @Override
  public Principal principal() {
    return principal;
  }

  /** The client for the log: {@code 127.0.0.1:41000 (User:ANONYMOUS on PLAINTEXT)}. */
  private String client() {
    return "%s (%s on %s)".formatted(peer(), principal, listener.name());
  }

  @Override
  public void execute(Runnable task) {
    connection.execute(
        () -> {
          Thread outer = enter();
          try {
            task.run();
          } finally {
            leave(outer);
          }
        });
  }

  @Override
  public void suspendRequests() {
    hold(SUSPENDED, true);
  }

  @Override
  public void resumeRequests() {
    hold(SUSPENDED, false);
  }

  @Override
  public void close() {
    execute(this::beginClose);
  }

  /** Begins no further request, and closes once the responses to the present ones have left. */
  void drain() {
    execute(
        () -> {
          hold(DRAINING, true);
          closeDrained();
        });
  }

  /** Lets requests that wait beyond their own time-outs expire. From any thread. */
  void expire(long nowNs) {
    execute(
        () -> {
          for (PendingResponse<?> response : pending.toArray(new PendingResponse<?>[0])) {
            response.expire(nowNs);
          }
        });
  }

  /** Takes a response over from whatever thread it was completed on. */
  void completed(PendingResponse<?> response) {
    if (Thread.currentThread() == ioThread && !closed) {
      response.markComplete();
      if (!dispatching) {
        sendComplete();
      }
      return;
    }
    completions.add(response);
    if (closed) {
      // The I/O thread may have looked for the last time: whoever polls an entry discards it.
      discardCompletions();
    } else if (completionsScheduled.compareAndSet(false, true)) {
      execute(this::takeCompletions);
    }
  }

  private void takeCompletions() {
    completionsScheduled.set(false);
    if (closed) {
      discardCompletions();
      return;
    }
    for (PendingResponse<?> r = completions.poll(); r != null; r = completions.poll()) {
      r.markComplete();
    }
    sendComplete();
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

  private void dispatchWaiting() {
    if (dispatching) {
      return; // an outer call goes on with what waits
    }
    dispatching = true;
    try {
      while (holds == 0) {
        InboundFrame frame = waitingFrames.poll();
        if (frame == null) {
          break;
        }
        dispatch(frame);
      }
    } finally {
      dispatching = false;
    }
    sendComplete();
  }

  private void dispatch(InboundFrame frame) {
    ByteBuffer buffer = frame.buffer();
    if (buffer.remaining() < FIXED_HEADER_BYTES) {
      refuse(frame, "a request of " + buffer.remaining() + " bytes, too short for a header");
      return;
    }
    short apiKey = buffer.getShort(buffer.position());
    short version = buffer.getShort(buffer.position() + Short.BYTES);
    ApiTable.Entry<?, ?> entry = apis.entry(apiKey);
    if (entry == null || !entry.isFor(this)) {
      refuse(frame, "API key " + apiKey + " v" + version + ", which is not served");
    } else if (buffer.remaining() > PLAIN_REQUEST_BYTES_MAX
        && !(entry.handler() instanceof FrameHandler)) {
      refuse(
          frame,
          "%s v%d of %d bytes; the limit of requests without records is %d"
              .formatted(
                  entry.key().apiName(), version, buffer.remaining(), PLAIN_REQUEST_BYTES_MAX));
    } else if (entry.serves(version)) {
      decode(entry, version, frame);
    } else if (entry.key() == ApiKey.API_VERSIONS) {
      negotiate(entry, version, frame);
    } else {
      refuse(
          frame,
          "%s v%d; served versions are %d to %d"
              .formatted(entry.key().apiName(), version, entry.minVersion(), entry.maxVersion()));
    }
  }

  private <Q extends ApiMessage, P extends ApiMessage> void decode(
      ApiTable.Entry<Q, P> entry, short version, InboundFrame frame) {
    RequestContext context;
    Q request;
    try {
      ProtocolReader reader = new ProtocolReader(frame.buffer(), names);
      RequestHeader header = new RequestHeader(reader, entry.key().requestHeaderVersion(version));
      context = contextOf(header, version);
      request = entry.decoder().decode(reader, version);
    } catch (ProtocolException e) {
      refuse(frame, "%s v%d: %s".formatted(entry.key().apiName(), version, e.getMessage()));
      return;
    } catch (RuntimeException | Error e) {
      frame.release(); // the transport cuts the connection for it
      throw e;
    }
    handle(entry, context, request, frame);
  }

  private RequestContext contextOf(RequestHeader header, short version) {
    String clientId = header.clientId();
    return new RequestContext(
        version, header.correlationId(), clientId == null ? "" : clientId, this);
  }

  /**
   * Answers an ApiVersions request of a version that is not known: its body is not looked at, and
   * the answer has the form of version 0, which every client can read.
   */
  private <Q extends ApiMessage, P extends ApiMessage> void negotiate(
      ApiTable.Entry<Q, P> entry, short version, InboundFrame frame) {
    if (!(entry.handler() instanceof VersionNegotiation<?> negotiation)) {
      refuse(frame, entry.key().apiName() + " v" + version + ", which is not served");
      return;
    }
    int correlationId = frame.buffer().getInt(frame.buffer().position() + 2 * Short.BYTES);
    int requestBytes = frame.buffer().remaining();
    frame.release();
    @SuppressWarnings("unchecked") // the handler of an entry makes the responses of the entry
    VersionNegotiation<P> typed = (VersionNegotiation<P>) negotiation;
    RequestContext context = new RequestContext((short) 0, correlationId, "", this);
    PendingResponse<P> response = new PendingResponse<>(this, entry, context, requestBytes);
    enqueue(response);
    response.accept(typed.unsupportedVersion(), null);
  }

  private <Q extends ApiMessage, P extends ApiMessage> void handle(
      ApiTable.Entry<Q, P> entry, RequestContext context, Q request, InboundFrame frame) {
    PendingResponse<P> response =
        new PendingResponse<>(this, entry, context, frame.buffer().remaining());
    enqueue(response);
    ApiHandler<Q, P> handler = entry.handler();
    try {
      CompletionStage<@Nullable P> stage;
      if (handler instanceof FrameHandler<Q, P> frameHandler) {
        stage = frameHandler.handle(context, request, frame);
      } else {
        try {
          stage = handler.handle(context, request);
        } finally {
          frame.release();
        }
      }
      response.await(stage);
    } catch (RuntimeException e) {
      response.accept(null, e);
    }
  }

  private void enqueue(PendingResponse<?> response) {
    pending.add(response);
    bytesInFlight += response.requestBytes();
    updateLimit();
  }

  /** Sends the responses that are complete, up to the first one that is not. */
  private void sendComplete() {
    boolean sent = false;
    PendingResponse<?> head = pending.peek();
    while (head != null && head.isComplete()) {
      pending.remove();
      bytesInFlight -= head.requestBytes();
      sent |= send(head);
      head = pending.peek();
    }
    if (sent) {
      connection.flush();
    }
    updateLimit();
    updateReading();
    closeDrained();
  }

  private void closeDrained() {
    if ((holds & DRAINING) != 0 && pending.isEmpty()) {
      beginClose();
    }
  }

  private boolean send(PendingResponse<?> response) {
    if ((holds & CLOSING) != 0) {
      response.discard();
      return false;
    }
    Throwable failure = response.failure();
    if (failure != null) {
      LOG.error(
          "Handler of {} from {} failed; the connection is closed",
          response.describe(),
          client(),
          failure);
      beginClose();
      return false;
    }
    OutboundFrame frame;
    try {
      frame = response.encode();
    } catch (RuntimeException e) {
      LOG.error(
          "Response to {} for {} can't be encoded; the connection is closed",
          response.describe(),
          client(),
          e);
      response.discard();
      beginClose();
      return false;
    }
    if (frame == null) {
      return false;
    }
    connection.send(frame);
    return true;
  }

  private void refuse(InboundFrame frame, String what) {
    frame.release();
    badRequests.warn("Connection of %s closed on %s".formatted(client(), what));
    beginClose();
  }

  private void beginClose() {
    holds |= CLOSING;
    releaseWaitingFrames();
    connection.close();
  }

  private void updateLimit() {
    boolean atLimit =
        pending.size() >= limits.requestsInFlightMax()
            || bytesInFlight >= limits.bytesInFlightMax();
    holds = atLimit ? holds | AT_LIMIT : holds & ~AT_LIMIT;
  }

  private void hold(int reason, boolean on) {
    holds = on ? holds | reason : holds & ~reason;
    Thread outer = enter();
    try {
      updateReading();
    } finally {
      leave(outer);
    }
  }

  private void updateReading() {
    if (dispatching || closed) {
      return; // looked at again when the outer call is done
    }
    if (holds == 0 && !waitingFrames.isEmpty()) {
      dispatchWaiting();
      return; // which came back here
    }
    boolean pause = holds != 0;
    if (pause != paused) {
      paused = pause;
      if (pause) {
        connection.pauseReading();
      } else {
        connection.resumeReading();
      }
    }
  }

  private void releaseWaitingFrames() {
    for (InboundFrame f = waitingFrames.poll(); f != null; f = waitingFrames.poll()) {
      f.release();
    }
  }

  // Between enter and leave, completions that come on this thread need no hop to it. A thread that
  // reads a stale value never finds itself in it, as each thread takes its own mark away again.
  private @Nullable Thread enter() {
    Thread outer = ioThread;
    ioThread = Thread.currentThread();
    return outer;
  }

  private void leave(@Nullable Thread outer) {
    ioThread = outer;
  }
}
