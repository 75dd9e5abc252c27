package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** What the groups of the contract share: transports, pairs of handlers, contents. */
abstract class ContractCase {

  private final Deque<Transport> transports = new ArrayDeque<>();
  private final List<RecordingHandler> handlers = new ArrayList<>();

  /** Counts the frames of the test; checked at its end. */
  final FrameLedger ledger = new FrameLedger();

  /** The suite, which knows the transport. */
  abstract TransportContract subject();

  @AfterEach
  void closeAll() {
    transports.forEach(Transport::close);
    handlers.forEach(RecordingHandler::assertRulesKept);
    ledger.awaitAllReleasedOnce();
  }

  static TransportOptions options() {
    return TransportOptions.defaults().withIoThreads(2, "contract-io");
  }

  final Transport open(TransportOptions options) {
    Transport transport = subject().open(options);
    transports.push(transport);
    return transport;
  }

  final Endpoint endpoint() {
    return subject().endpoint();
  }

  /** Has the callback rules of a handler checked at the end. */
  final <T extends RecordingHandler> T watched(T handler) {
    synchronized (handlers) {
      handlers.add(handler);
    }
    return handler;
  }

  /** A listener whose handlers are plain recorders. */
  final Server serve(TransportOptions options) throws IOException {
    return serve(options, RecordingHandler::new);
  }

  final Server serve(TransportOptions options, Supplier<RecordingHandler> handler)
      throws IOException {
    return new Server(open(options), endpoint(), () -> watched(handler.get()));
  }

  /** Connects with a transport of its own. */
  final Connection connect(Server server, ConnectionHandler handler) {
    return connect(open(options()), server, handler);
  }

  final Connection connect(Transport transport, Server server, ConnectionHandler handler) {
    if (handler instanceof RecordingHandler recorder) {
      watched(recorder);
    }
    try {
      return transport
          .connect(server.listener.endpoint(), handler)
          .toCompletableFuture()
          .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | TimeoutException | ExecutionException e) {
      throw new AssertionError("cannot connect to " + server.listener.endpoint(), e);
    }
  }

  /** Returns why a connect failed. */
  static Throwable failureOf(Transport transport, Endpoint endpoint, ConnectionHandler handler) {
    try {
      Connection connection =
          transport
              .connect(endpoint, handler)
              .toCompletableFuture()
              .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      throw new AssertionError("expected no connection, got " + connection);
    } catch (ExecutionException e) {
      Throwable cause = e;
      while ((cause instanceof ExecutionException || cause instanceof CompletionException)
          && cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause;
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no result of the connect to " + endpoint, e);
    }
  }

  /** Bytes that are the same for the same seed. */
  static byte[] content(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** A listener and the handlers of the connections that it has accepted. */
  static final class Server {

    final Transport transport;
    final Listener listener;
    private final BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();

    Server(Transport transport, Endpoint endpoint, Supplier<RecordingHandler> handlers)
        throws IOException {
      this.transport = transport;
      this.listener =
          transport.listen(
              endpoint,
              connection -> {
                RecordingHandler handler = handlers.get();
                accepted.add(handler);
                return handler;
              });
    }

    /** Waits for the next accepted connection. */
    RecordingHandler awaitAccepted() {
      try {
        RecordingHandler handler = accepted.poll(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(handler).as("accepted connection").isNotNull();
        return handler;
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted while waiting for a connection", e);
      }
    }

    /** The number of accepted connections that the test has not asked for. */
    int unclaimedCount() {
      return accepted.size();
    }
  }
}
