package io.weirmq.client.ipc;

import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of one partition out of the broker's own log files.
 *
 * <p>A poll takes records out of the batch in hand and has {@link BatchSource} bring the next one.
 * The subscriber keeps its own descriptors of one segment and of the published offsets, and the
 * broker keeps nothing for it: a subscriber that stalls costs nothing, and one that is behind reads
 * at the speed of files. What it reads lies below the high watermark (or last stable offset). A
 * segment that retention or compaction removes meanwhile stays readable until it is read to its
 * end.
 *
 * <p>Where the broker does not let it read files, because it is on another host or of another user,
 * it fetches the records as any consumer does; {@link #isDirect()} tells.
 *
 * <p>Confined to one thread at a time, but for {@link #close()}, which must not run beside a poll
 * either.
 */
public final class IpcSubscriber implements AutoCloseable {

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final String name;
  private final SubscriberOptions options;
  private final SubscriberOffsets offsets;
  private final BatchSource source;
  private final RecordCursor cursor;
  private final ReceivedRecord view;
  private boolean inBatch;
  private boolean polling;
  private boolean closed;

  private IpcSubscriber(
      IpcClient client, String topic, int partition, SubscriberOptions options, Duration longPoll) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.name = "subscriber of %s-%d".formatted(topic, partition);
    this.options = options;
    this.offsets = new SubscriberOffsets(client, topic, partition, options.readCommitted());
    this.source = new BatchSource(client, topic, partition, options, longPoll, name);
    this.cursor =
        new RecordCursor(new Decompressor(new BufferPool(), options.decompressedBytesMax()));
    this.view = new ReceivedRecord(cursor);
  }

  static IpcSubscriber open(
      IpcClient client, String topic, int partition, StartPosition start, SubscriberOptions options)
      throws IOException {
    return open(client, topic, partition, start, options, BatchSource.LONG_POLL);
  }

  /** As the other, with another time for which the broker waits with one request. */
  static IpcSubscriber open(
      IpcClient client,
      String topic,
      int partition,
      StartPosition start,
      SubscriberOptions options,
      Duration longPoll)
      throws IOException {
    IpcSubscriber subscriber = new IpcSubscriber(client, topic, partition, options, longPoll);
    RequestChannel leader = client.lookup().openLeader(topic, partition);
    try {
      subscriber.source.begin(subscriber.offsets.find(leader, start), leader);
      return subscriber;
    } catch (IOException | RuntimeException e) {
      leader.close();
      throw e;
    }
  }

  /**
   * Takes the records that are there, without waiting. A thread that is interrupted gets those of
   * the batch in hand only: an interrupt closes the files that are read meanwhile.
   *
   * @param handler takes each
   * @param limit most records to take, 1 or more
   * @return the number of records taken, 0 where none is there now
   * @throws IpcException where the subscriber can't go on: a file can't be read, a batch is
   *     damaged, or the position is out of range
   */
  public int poll(RecordHandler handler, int limit) throws IpcException {
    requireOpen();
    int count = 0;
    polling = true;
    view.beginPoll();
    try {
      while (count < limit && !view.endsPoll() && (inBatch || nextBatch())) {
        count += takeRecords(handler, limit - count);
      }
      return count;
    } catch (CorruptBatchException e) {
      throw new IpcException("%s: %s: %s".formatted(this, source.place(), e.getMessage()), e);
    } catch (IpcException e) {
      throw e;
    } catch (IOException e) {
      throw new IpcException("%s: %s".formatted(this, e.getMessage()), e);
    } finally {
      polling = false;
    }
  }

  private void requireOpen() throws IpcException {
    if (closed) {
      throw new IpcException(this + " is closed", null);
    }
  }

  /**
   * Takes the records that are there, or waits for some: spins, lets other threads run, then sleeps
   * until the broker wakes it.
   *
   * @param timeout how long to wait, at most
   * @return the number of records taken, 0 where none has come in time
   * @throws InterruptedException where the thread is interrupted and there are no records
   */
  @SuppressWarnings("ThreadPriorityCheck") // the broker may need this core
  public int poll(RecordHandler handler, int limit, Duration timeout)
      throws IpcException, InterruptedException {
    int count = poll(handler, limit);
    if (count > 0) {
      return count;
    }
    long startNs = client.options().nanoClock().getAsLong();
    long timeoutNs = Nanos.of(timeout);
    long spinNs = Nanos.of(options.spin());
    long awakeNs = spinNs + Nanos.of(options.yield());
    long elapsedNs = 0;
    while (elapsedNs < timeoutNs) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while " + this + " waits");
      }
      if (elapsedNs < spinNs) {
        Thread.onSpinWait();
      } else if (elapsedNs < awakeNs) {
        Thread.yield();
      } else {
        source.await(timeoutNs - elapsedNs);
      }
      count = poll(handler, limit);
      if (count > 0) {
        return count;
      }
      elapsedNs = client.options().nanoClock().getAsLong() - startNs;
    }
    return 0;
  }

  private boolean nextBatch() throws IOException {
    RecordBatch batch = source.next();
    if (batch == null) {
      return false;
    }
    cursor.open(batch);
    inBatch = true;
    return true;
  }

  private int takeRecords(RecordHandler handler, int limit) throws CorruptBatchException {
    int count = 0;
    while (count < limit && !view.endsPoll()) {
      if (!cursor.next()) {
        inBatch = false;
        source.leaveBatch();
        break;
      }
      long offset = cursor.offset();
      if (offset < source.nextOffset()) {
        continue; // the batch begins before the position
      }
      source.moveTo(offset + 1);
      count++;
      handler.onRecord(view);
    }
    return count;
  }

  /** The offset of the record that comes next, which Kafka's consumers call the position. */
  public long position() {
    return source.nextOffset();
  }

  /**
   * The offset behind the last record that may be read, as far as it is known: the high watermark,
   * with read committed the last stable offset. It is up to date while records are read directly,
   * else that of the last answer; -1 before the first one. How far the subscriber is behind is this
   * less {@link #position()}, and may count offsets that hold no record.
   */
  public long endOffset() {
    return source.endOffset();
  }

  /**
   * Goes on elsewhere, from the next poll on. To an offset it takes no question, and whether it is
   * in range is found by that poll; else the leader or the group's coordinator is asked, and this
   * blocks. Where a poll has left the broker waiting for a record the connection is made anew.
   *
   * @throws IllegalStateException in a handler: it may {@linkplain ReceivedRecord#endPoll() end the
   *     poll} first
   * @throws IOException where the place can't be found; then nothing has changed
   */
  public void seek(StartPosition place) throws IOException {
    requireOpen();
    if (polling) {
      throw new IllegalStateException(this + " can't seek while it polls");
    }
    long offset;
    if (place instanceof StartPosition.Offset known) {
      offset = known.offset();
    } else {
      try (RequestChannel leader = client.lookup().openLeader(topic, partition)) {
        offset = offsets.find(leader, place);
      }
    }
    cursor.close();
    inBatch = false;
    source.seek(offset);
  }

  /**
   * Why polls return 0 although there may be records: the last attempt to connect again has failed,
   * or the leader has not answered, or only that the same may succeed later. It is tried again for
   * as long as it takes, after pauses that grow from {@link IpcClientOptions#reconnectBackoff} to a
   * second. Null where nothing has failed since the last good answer. May be asked by any thread.
   */
  public @Nullable IOException connectFailure() {
    return source.connectFailure();
  }

  /** Whether records come out of the broker's files; else they are fetched. */
  public boolean isDirect() {
    return source.isDirect();
  }

  /**
   * Stores the position for the group of the options, from where {@link StartPosition#committed}
   * finds it. Blocks.
   *
   * @throws IllegalStateException where the options name no group
   * @throws IOException where the coordinator does not take it
   */
  public void commit() throws IOException {
    offsets.commit(
        options
            .group()
            .orElseThrow(() -> new IllegalStateException(this + " has no group to commit for")),
        source.nextOffset());
  }

  /** Lets go of connection and file. Closing again does nothing. */
  @Override
  public void close() throws IpcException {
    if (closed) {
      return;
    }
    closed = true;
    cursor.close();
    try {
      source.close();
    } catch (IOException e) {
      throw new IpcException("%s: %s".formatted(this, e.getMessage()), e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
