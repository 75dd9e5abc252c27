package io.weirmq.transport.netty.internal;

import io.netty.util.NetUtil;
import io.weirmq.transport.Endpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Resolves host names off the I/O threads: the system's resolver blocks, for seconds where a name
 * server is away. Safe for use by several threads.
 */
final class HostResolver {

  /**
   * Look-ups that may wait; more means that the name service is gone, and new ones fail at once.
   */
  private static final int WAITING_MAX = 1000;

  private static final long THREAD_IDLE_SECONDS = 5;

  private final ThreadPoolExecutor executor;

  HostResolver(ThreadFactory threads) {
    this.executor =
        new ThreadPoolExecutor(
            0,
            1,
            THREAD_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_MAX),
            threads);
  }

  /**
   * Returns the address of an endpoint; at once where the host is a numeric address.
   *
   * @return fails with {@link UnknownHostException}
   */
  CompletableFuture<InetSocketAddress> resolve(Endpoint endpoint) {
    byte[] numeric = NetUtil.createByteArrayFromIpAddressString(endpoint.host());
    if (numeric != null || endpoint.host().isEmpty()) {
      try {
        return CompletableFuture.completedFuture(resolveNow(endpoint));
      } catch (UnknownHostException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    CompletableFuture<InetSocketAddress> result = new CompletableFuture<>();
    try {
      executor.execute(
          () -> {
            try {
              result.complete(resolveNow(endpoint));
            } catch (UnknownHostException e) {
              result.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  /** Resolves in the calling thread; an empty host is the wildcard address to bind. */
  static InetSocketAddress resolveNow(Endpoint endpoint) throws UnknownHostException {
    if (endpoint.host().isEmpty()) {
      return new InetSocketAddress(endpoint.port());
    }
    return new InetSocketAddress(InetAddress.getByName(endpoint.host()), endpoint.port());
  }

  /** Ends the thread; look-ups that wait are dropped. */
  void close() {
    executor.shutdownNow();
  }
}
