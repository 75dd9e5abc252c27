package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import io.weirmq.replication.Partition;
import io.weirmq.replication.PartitionListener;
import io.weirmq.server.internal.request.ClientConnection;
import io.weirmq.server.internal.schedule.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A fetch, answered at once where there is enough to read, else when there is or the client's wait
 * is over.
 *
 * <p>While it waits, it listens to its partitions. An append costs a flag and, at most once until
 * the flag was looked at, a task for the connection's I/O thread; that thread then measures the
 * partitions that have moved, and only these.
 *
 * <p>Confined to the connection's I/O thread, but for {@link #finishSoon} and what the listeners
 * call.
 */
final class DelayedFetch extends CompletableFuture<@Nullable FetchResponse>
    implements DelayedAnswer {

  private final FetchContext context;
  private final FetchRules rules;
  private final PartitionReader reader;
  private final ClientConnection connection;
  private final DelayedFetches waiting;
  private final AtomicBoolean signalled = new AtomicBoolean();

  private Watch[] watches = {};
  private Scheduler.@Nullable Scheduled timeout;

  DelayedFetch(
      FetchContext context,
      FetchRules rules,
      PartitionReader reader,
      ClientConnection connection,
      DelayedFetches waiting) {
    this.context = context;
    this.rules = rules;
    this.reader = reader;
    this.connection = connection;
    this.waiting = waiting;
  }

  /** Answers, or begins to wait. */
  void begin() {
    List<PartitionData> results = readAll();
    if (rules.maxWaitMs() <= 0 || results.isEmpty() || isWorthAnAnswer(results)) {
      complete(context.respond(results));
      return;
    }
    watch(results);
    FetchResults.release(results);
  }

  @Override
  public void finishSoon() {
    connection.execute(this::finish);
  }

  /** Drops the fetch, as nobody waits for it any more. */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    stopWaiting();
    return super.cancel(mayInterruptIfRunning);
  }

  private void finish() {
    if (!isDone()) {
      stopWaiting();
      complete(context.respond(readAll()));
    }
  }

  private List<PartitionData> readAll() {
    List<FetchPartition> partitions = context.partitions();
    List<PartitionData> results = new ArrayList<>(partitions.size());
    int left = rules.maxBytes();
    boolean nothingYet = true;
    for (FetchPartition wanted : partitions) {
      PartitionData result =
          reader.read(wanted, rules, Math.min(left, wanted.maxBytes()), nothingYet);
      results.add(result);
      long bytes = FetchResults.recordBytes(result);
      nothingYet &= bytes == 0;
      left = (int) Math.max(0, left - bytes);
    }
    return results;
  }

  private boolean isWorthAnAnswer(List<PartitionData> results) {
    long bytes = 0;
    for (PartitionData result : results) {
      if (result.errorCode() != ErrorCode.NONE.code() || result.hasDivergingEpoch()) {
        return true;
      }
      bytes += FetchResults.recordBytes(result);
    }
    return bytes >= rules.minBytes();
  }

  private void watch(List<PartitionData> results) {
    List<FetchPartition> partitions = context.partitions();
    watches = new Watch[partitions.size()];
    waiting.add(this);
    boolean missedSomething = false;
    for (int i = 0; i < watches.length; i++) {
      FetchPartition wanted = partitions.get(i);
      Optional<Partition> partition = reader.find(wanted.target(), rules);
      if (partition.isEmpty()) {
        missedSomething = true;
        watches = java.util.Arrays.copyOf(watches, i);
        break;
      }
      PartitionData seen = results.get(i);
      Watch watch = new Watch(partition.get(), wanted, FetchResults.recordBytes(seen));
      watches[i] = watch;
      partition.get().addListener(watch);
      // What happened between the read and the listener was not told to anybody.
      long seenEnd = rules.readCommitted() ? seen.lastStableOffset() : seen.highWatermark();
      if (PartitionReader.visibleEnd(partition.get().log(), rules) != seenEnd) {
        watch.moved = true;
        missedSomething = true;
      }
    }
    timeout = waiting.schedule(rules.maxWaitMs(), this);
    if (missedSomething) {
      signal();
    }
  }

  private void signal() {
    if (signalled.compareAndSet(false, true)) {
      connection.execute(this::measure);
    }
  }

  private void measure() {
    signalled.set(false);
    if (isDone()) {
      return;
    }
    if (watches.length < context.partitions().size()) {
      finish();
      return;
    }
    long available = 0;
    for (Watch watch : watches) {
      if (watch.moved) {
        watch.moved = false;
        watch.availableBytes = reader.availableBytes(watch.wanted, rules);
        if (watch.availableBytes == Long.MAX_VALUE) {
          finish();
          return;
        }
      }
      available += watch.availableBytes;
    }
    if (available >= rules.minBytes()) {
      finish();
    }
  }

  private void stopWaiting() {
    for (Watch watch : watches) {
      watch.partition.removeListener(watch);
    }
    watches = new Watch[0];
    if (timeout != null) {
      timeout.cancel();
    }
    waiting.remove(this);
  }

  /** Looks at one partition on behalf of the fetch. */
  private final class Watch implements PartitionListener {

    private final Partition partition;
    private final FetchPartition wanted;
    private volatile boolean moved;
    private long availableBytes;

    Watch(Partition partition, FetchPartition wanted, long availableBytes) {
      this.partition = partition;
      this.wanted = wanted;
      this.availableBytes = availableBytes;
    }

    @Override
    public void onAdvanced(Partition advanced) {
      moved = true;
      signal();
    }

    @Override
    public void onLeadershipChanged(Partition changed) {
      moved = true;
      signal();
    }
  }
}
