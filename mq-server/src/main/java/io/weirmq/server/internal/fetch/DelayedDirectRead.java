package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.replication.Partition;
import io.weirmq.replication.PartitionListener;
import io.weirmq.server.internal.request.ClientConnection;
import io.weirmq.server.internal.schedule.Scheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A direct read, answered at once where there is a record to read or something to tell, else when
 * there is or the client's wait is over.
 *
 * <p>A reader that keeps up asks only before it goes to sleep, so that this is its alarm clock.
 *
 * <p>Confined to the connection's I/O thread, but for {@link #finishSoon} and what the listener
 * calls.
 */
final class DelayedDirectRead extends CompletableFuture<@Nullable DirectReadResponse>
    implements DelayedAnswer, PartitionListener {

  private final DirectReadRequest request;
  private final DirectReader reader;
  private final ClientConnection connection;
  private final DelayedFetches waiting;
  private final AtomicBoolean woken = new AtomicBoolean();

  private @Nullable Partition watched;
  private Scheduler.@Nullable Scheduled timeout;

  DelayedDirectRead(
      DirectReadRequest request,
      DirectReader reader,
      ClientConnection connection,
      DelayedFetches waiting) {
    this.request = request;
    this.reader = reader;
    this.connection = connection;
    this.waiting = waiting;
  }

  /** Answers, or begins to wait. */
  void begin() {
    DirectReadResponse response = reader.read(request);
    Optional<Partition> partition = reader.find(request);
    if (request.maxWaitMs() <= 0 || !DirectReader.isEmpty(response) || partition.isEmpty()) {
      complete(response);
      return;
    }
    watched = partition.get();
    waiting.add(this);
    timeout = waiting.schedule(request.maxWaitMs(), this);
    partition.get().addListener(this);
    // What happened between the read and the listener was not told to anybody.
    onAdvanced(partition.get());
    if (!partition.get().isLeader()) {
      wake();
    }
  }

  @Override
  public void onAdvanced(Partition advanced) {
    if (DirectReader.visibleEnd(advanced.log(), request) > request.fetchOffset()) {
      wake();
    }
  }

  @Override
  public void onLeadershipChanged(Partition changed) {
    wake();
  }

  @Override
  public void finishSoon() {
    wake();
  }

  /** Drops the read, as nobody waits for it any more. */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    stopWaiting();
    return super.cancel(mayInterruptIfRunning);
  }

  private void wake() {
    if (woken.compareAndSet(false, true)) {
      connection.execute(this::finish);
    }
  }

  private void finish() {
    if (!isDone()) {
      stopWaiting();
      complete(reader.read(request));
    }
  }

  private void stopWaiting() {
    if (watched != null) {
      watched.removeListener(this);
    }
    if (timeout != null) {
      timeout.cancel();
    }
    waiting.remove(this);
  }
}
