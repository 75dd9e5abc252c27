package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Peer;
import io.weirmq.transport.support.RateLimit;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one connection: when it is read from, when its requests are begun, and how it ends.
 * {@link RequestDecoding} reads the requests, {@link PendingResponses} sends the answers in request
 * order.
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
 * <p>Confined to the connection's I/O thread, but for {@link #isOnIoThread} and {@link #execute}.
 */
final class RequestConnection implements ConnectionHandler, ClientConnection {

  private static final Logger LOG = LoggerFactory.getLogger(RequestConnection.class);

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
  private final RequestDecoding decoding;
  private final RequestLimits limits;
  private final RateLimit badRequestReports;
  private final Consumer<RequestConnection> onEnd;
  private final boolean ofOwnUser;

  private final ArrayDeque<InboundFrame> waitingFrames = new ArrayDeque<>(4);
  private final PendingResponses responses;

  private @Nullable Thread ioThread;
  private int holds;
  private boolean dispatching;
  private boolean paused;
  private boolean closed;

  RequestConnection(
      Connection connection,
      long id,
      ListenerNames listener,
      RequestTraffic traffic,
      RequestDecoding decoding,
      RequestLimits limits,
      RateLimit badRequestReports,
      boolean ofOwnUser,
      Consumer<RequestConnection> onEnd) {
    this.connection = connection;
    this.id = id;
    this.listener = listener;
    this.principal = Principal.of(connection.peer());
    this.decoding = decoding;
    this.limits = limits;
    this.badRequestReports = badRequestReports;
    this.ofOwnUser = ofOwnUser;
    this.onEnd = onEnd;
    this.responses = new PendingResponses(this, connection, traffic);
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
    responses.end();
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
    execute(() -> responses.expire(nowNs));
  }

  /** Sends the responses that have become complete, unless requests are still being begun. */
  void responsesCompleted() {
    if (!dispatching) {
      sendComplete(); // dispatching ends with it
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
    RequestDecoding.Decoded<?, ?> request;
    try {
      request = decoding.decode(frame.buffer(), this);
    } catch (BadRequestException e) {
      frame.release();
      refuse(e);
      return;
    } catch (RuntimeException | Error e) {
      frame.release(); // the transport cuts the connection for it
      throw e;
    }
    handle(request, frame);
  }

  private <Q extends ApiMessage, P extends ApiMessage> void handle(
      RequestDecoding.Decoded<Q, P> request, InboundFrame frame) {
    PendingResponse<P> response =
        new PendingResponse<>(
            responses, request.entry(), request.context(), frame.buffer().remaining());
    responses.add(response);
    updateLimit();
    try {
      response.await(answer(request, frame));
    } catch (RuntimeException e) {
      response.accept(null, e);
    }
  }

  private <Q extends ApiMessage, P extends ApiMessage> CompletionStage<@Nullable P> answer(
      RequestDecoding.Decoded<Q, P> request, InboundFrame frame) {
    ApiHandler<Q, P> handler = request.entry().handler();
    Q body = request.body();
    if (body != null && handler instanceof FrameHandler<Q, P> frameHandler) {
      return frameHandler.handle(request.context(), body, frame);
    }
    try {
      return body == null
          ? CompletableFuture.completedFuture(unsupportedVersion(handler))
          : handler.handle(request.context(), body);
    } finally {
      frame.release();
    }
  }

  @SuppressWarnings("unchecked") // a handler that negotiates does so with its own response
  private static <P extends ApiMessage> P unsupportedVersion(ApiHandler<?, P> handler) {
    return ((VersionNegotiation<P>) handler).unsupportedVersion();
  }

  private void sendComplete() {
    responses.sendComplete();
    updateLimit();
    updateReading();
    closeDrained();
  }

  private void closeDrained() {
    if ((holds & DRAINING) != 0 && responses.isEmpty()) {
      beginClose();
    }
  }

  /** Whether nothing more is sent. */
  boolean isClosing() {
    return (holds & CLOSING) != 0;
  }

  /** Closes the connection on a fault of ours, {@code what} as the log is to name it. */
  void closeOnFault(String what, Throwable fault) {
    LOG.error("{}; the connection of {} is closed", what, client(), fault);
    beginClose();
  }

  private void refuse(BadRequestException bad) {
    long leftOut = badRequestReports.tryPass();
    if (leftOut >= 0) {
      LOG.warn(
          "Connection of {} closed on {} ({} like it since the last such line)",
          client(),
          bad.getMessage(),
          leftOut);
    }
    beginClose();
  }

  private void beginClose() {
    holds |= CLOSING;
    releaseWaitingFrames();
    connection.close();
  }

  private void updateLimit() {
    holds = responses.isAtLimit(limits) ? holds | AT_LIMIT : holds & ~AT_LIMIT;
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

  /**
   * Whether the caller runs between enter and leave: completions that come there need no hop to the
   * I/O thread. From any thread: one that reads a stale value never finds itself in it, as each
   * takes its own mark away again.
   */
  boolean isOnIoThread() {
    return Thread.currentThread() == ioThread;
  }

  private @Nullable Thread enter() {
    Thread outer = ioThread;
    ioThread = Thread.currentThread();
    return outer;
  }

  private void leave(@Nullable Thread outer) {
    ioThread = outer;
  }
}
