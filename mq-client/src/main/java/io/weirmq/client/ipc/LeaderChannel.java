package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.client.RequestChannel;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber's connection to the leader of its partition. Where it has ended or is left, the
 * leader is found again in the background, for as long as it takes, after pauses that grow until an
 * answer is good.
 *
 * <p>Confined to the subscriber's thread; connections come from others through futures.
 */
final class LeaderChannel implements AutoCloseable {

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final Backoff backoff;
  private final ConnectFailures failures;

  private @Nullable RequestChannel channel;
  private boolean grantsFiles;
  private @Nullable CompletableFuture<RequestChannel> connecting;
  private @Nullable CompletableFuture<?> pausing;
  private boolean closed;

  /**
   * Has no connection yet, see {@link #use}.
   *
   * @param name whose it is, for the log
   */
  LeaderChannel(IpcClient client, String topic, int partition, String name) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.backoff = new Backoff(client.options().reconnectBackoff());
    this.failures = new ConnectFailures(name);
  }

  /** Takes a channel to the leader. */
  void use(RequestChannel opened) {
    channel = opened;
    boolean served;
    try {
      opened.versionOf(ApiKey.DIRECT_READ);
      served = true;
    } catch (IllegalStateException e) {
      served = false; // records are fetched then
    }
    grantsFiles = served;
  }

  /** Whether the leader lets us read its files. */
  boolean grantsFiles() {
    return grantsFiles;
  }

  /** Makes no use of that until the next connection. */
  void forgoFiles() {
    grantsFiles = false;
  }

  /** Whether a connection is there, as far as was noticed. */
  boolean isOpen() {
    RequestChannel open = channel;
    return open != null && open.isOpen();
  }

  /** Why the last attempt to connect has failed; null where it has not. From any thread. */
  @Nullable IOException failure() {
    return failures.last();
  }

  /** An answer was good: the next pause is the first one again. */
  void answered() {
    backoff.reset();
  }

  /**
   * Returns the connection to ask over, and looks for one where there is none.
   *
   * @return null where there is none now, or a pause is not over
   * @throws IpcException where the client is closed
   */
  @Nullable RequestChannel ready() throws IpcException {
    CompletableFuture<?> pause = pausing;
    if (closed || (pause != null && !pause.isDone())) {
      return null;
    }
    pausing = null;
    if (!isOpen()) {
      takeComing();
    }
    return channel;
  }

  private void takeComing() throws IpcException {
    CompletableFuture<RequestChannel> coming = connecting;
    if (coming == null) {
      leave();
    } else if (coming.isDone()) {
      connecting = null;
      try {
        use(coming.join());
      } catch (CancellationException e) {
        throw new IpcException("the client is closed", e);
      }
    }
  }

  /** What is done when {@link #ready} has a connection, or may be asked again; null for now. */
  @Nullable CompletableFuture<?> coming() {
    return pausing != null ? pausing : connecting;
  }

  /** Has nothing asked over this connection for a pause. */
  void pause() {
    CompletableFuture<?> pause = new CompletableFuture<>();
    pausing = pause;
    later(() -> pause.complete(null), pause);
  }

  /**
   * Leaves this connection and looks for the leader again, in the background; to be called where
   * nothing is outstanding.
   */
  void leave() {
    RequestChannel old = channel;
    channel = null;
    if (old != null) {
      old.close();
    }
    if (connecting == null && !closed) {
      CompletableFuture<RequestChannel> result = new CompletableFuture<>();
      connecting = result;
      schedule(result);
    }
  }

  private void schedule(CompletableFuture<RequestChannel> result) {
    later(() -> connect(result), result);
  }

  /** Runs a step after a pause, or cancels what it would complete. */
  private void later(Runnable step, CompletableFuture<?> result) {
    try {
      client.conductor().schedule(step, backoff.nextNs(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      result.cancel(false); // the client is closed, and its subscribers with it
    }
  }

  private void connect(CompletableFuture<RequestChannel> result) {
    if (result.isCancelled()) {
      return;
    }
    client
        .lookup()
        .connectToLeader(topic, partition)
        .whenComplete(
            (opened, failure) -> {
              if (failure != null) {
                failures.add(failure);
                schedule(result); // as long as it takes: polls return nothing meanwhile
              } else {
                failures.clear();
                if (!result.complete(opened)) {
                  opened.close();
                }
              }
            });
  }

  @Override
  public void close() {
    closed = true;
    CompletableFuture<RequestChannel> coming = connecting;
    if (coming != null && !coming.cancel(false)) {
      coming.thenAccept(RequestChannel::close);
    }
    RequestChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
