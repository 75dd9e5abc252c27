package io.weirmq.client.ipc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Connects to brokers, by the way that {@link BrokerRoutes} names, and asks them.
 *
 * <p>What returns a future never blocks: its steps run on the client's conductor and on I/O
 * threads, and each connect and request has the client's time-out. So one broker that does not
 * answer holds nobody up who needs another. The rest blocks, and is for callers that may. Safe for
 * use by several threads.
 */
final class BrokerCalls {

  /**
   * Requests and connects in the longest chain of steps: a publisher's is six, three of them
   * connects that may be tried twice.
   */
  private static final int STEPS_MAX = 9;

  private final Transports transports;
  private final BrokerRoutes routes;
  private final IpcClientOptions options;
  private final Executor conductor;
  private final Executor resolver;

  /**
   * Makes it.
   *
   * @param conductor runs the steps, none of which blocks
   * @param resolver runs what may wait for a name server
   */
  BrokerCalls(
      Transports transports, IpcClientOptions options, Executor conductor, Executor resolver) {
    this.transports = transports;
    this.routes = new BrokerRoutes(options);
    this.options = options;
    this.conductor = conductor;
    this.resolver = resolver;
  }

  /** What a step of a chain throws. */
  static CompletionException failed(String message) {
    return new CompletionException(new IpcException(message, null));
  }

  /** Waits for a channel; one that comes too late is closed. */
  RequestChannel awaitOpen(CompletableFuture<RequestChannel> coming) throws IOException {
    try {
      return await(coming);
    } catch (IOException e) {
      coming.thenAccept(RequestChannel::close);
      throw e;
    }
  }

  /** Returns the answer alone. */
  static <P extends ApiMessage> P takeOut(Reply<P> reply) {
    try (reply) {
      return reply.message();
    }
  }

  /** Connects to a broker and learns what it serves. */
  CompletableFuture<RequestChannel> connect(Endpoint address) {
    return reach(
        address,
        endpoint ->
            bounded(
                RequestChannel.open(
                    transports.of(endpoint.scheme()), endpoint, options.clientId())));
  }

  /**
   * Connects to a broker by the way that is open.
   *
   * @param address where it listens
   * @param attempt connects to an endpoint; called again with another one where it has failed
   */
  <T> CompletableFuture<T> reach(
      Endpoint address, Function<Endpoint, CompletableFuture<T>> attempt) {
    boolean mayWait = routes.mayAskNameServer(address);
    CompletableFuture<BrokerRoutes.Route> route;
    try {
      route = CompletableFuture.supplyAsync(() -> routeTo(address), mayWait ? resolver : conductor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IpcException("the client is closed, or too many wait for a name server", e));
    }
    return (mayWait ? bounded(route) : route)
        .thenComposeAsync(
            way -> {
              CompletableFuture<T> first = attempt.apply(way.first());
              if (way.otherwise().isEmpty()) {
                return first;
              }
              return first.exceptionallyCompose(
                  failure -> {
                    routes.tellFallback(address, reason(failure));
                    return attempt.apply(address);
                  });
            },
            conductor);
  }

  private BrokerRoutes.Route routeTo(Endpoint address) {
    try {
      return routes.to(address);
    } catch (IpcException e) {
      throw new CompletionException(e);
    }
  }

  private String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof TimeoutException
        ? "no answer within " + options.timeout()
        : String.valueOf(cause.getMessage());
  }

  /** As {@link #connect}, but waits for it. */
  RequestChannel open(Endpoint address) throws IOException {
    return awaitOpen(connect(address));
  }

  /** Connects to an endpoint, see {@link #reach}, without asking for anything. */
  CompletableFuture<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    return bounded(transports.of(endpoint.scheme()).connect(endpoint, handler));
  }

  /** Sends a request. */
  <P extends ApiMessage> CompletableFuture<Reply<P>> ask(
      RequestChannel channel, ApiKey api, short version, ApiMessage request, Class<P> response) {
    return bounded(channel.send(api, version, request, response));
  }

  /** Sends a request and waits for its answer. */
  <P extends ApiMessage> Reply<P> call(
      RequestChannel channel, ApiKey api, short version, ApiMessage request, Class<P> response)
      throws IOException {
    CompletableFuture<Reply<P>> coming = ask(channel, api, version, request, response);
    try {
      return await(coming);
    } catch (IOException e) {
      coming.thenAccept(Reply::close);
      throw e;
    }
  }

  /** What comes later than the time-out is closed or released by its maker. */
  private <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(Nanos.of(options.timeout()), NANOSECONDS);
  }

  /**
   * Waits for a chain of steps, each of which has the time-out of a request.
   *
   * <p>Where it throws, the chain goes on until its next step fails or the last one is done: the
   * caller closes what comes then. Cancelling it would hide that, as only the last future of a
   * chain is cancelled and none of its steps.
   */
  <T> T await(CompletableFuture<T> stage) throws IOException {
    Duration allSteps = Duration.ofNanos(Nanos.of(options.timeout())).multipliedBy(STEPS_MAX);
    try {
      return stage.get(Nanos.of(allSteps), NANOSECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof TimeoutException) {
        throw new IOException("no answer within " + options.timeout(), cause);
      }
      String message = String.valueOf(cause.getMessage());
      throw cause instanceof IpcException
          ? new IpcException(message, cause)
          : new IOException(message, cause);
    } catch (TimeoutException e) {
      throw new IOException(
          "no outcome within %s, %d times what one request may take".formatted(allSteps, STEPS_MAX),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a broker");
    }
  }
}
