package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of one partition out of the broker's own log files.
 *
 * <pre>
 *            asks DirectRead                    reads the file          up to the visible end
 *   IDLE ----------------------&gt; GRANTED ------------------------&gt; LIVE
 *    ^  file, range, entry          | range is read, more behind      | follows the published offset:
 *    |                              | it: asks for the next range     | no request, no copy by the broker
 *    +------------------------------+---------------------------------+
 *       segment is full, entry has ended, connection lost, transactions to be looked up
 * </pre>
 *
 * <p>It keeps its own descriptor of one segment, and the broker keeps nothing for it: a subscriber
 * that stalls costs nothing, and one that is behind reads at the speed of files. What it reads lies
 * below the high watermark (or last stable offset). A segment that retention or compaction removes
 * meanwhile stays readable until it is read to its end.
 *
 * <p>Where the broker does not let it read files, because it is on another host or of another user,
 * it fetches the records as any consumer does; {@link #isDirect()} tells.
 *
 * <p>Confined to one thread at a time, but for {@link #close()}, which must not run beside a poll
 * either.
 */
public final class IpcSubscriber implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(IpcSubscriber.class);

  /** Bytes asked for at once where the subscriber is behind. */
  private static final int GRANT_BYTES = 8 * 1024 * 1024;

  /** Longest sleep of one request; the broker is asked again then. */
  private static final int WAIT_MS_MAX = 5_000;

  /** Time between two looks at the connection, where no record comes. */
  private static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Files that were not there, one after the other, until records are fetched instead: the broker
   * sees another file system, as in another container. A swap or a removal costs one.
   */
  private static final int MISSING_FILES_MAX = 5;

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final SubscriberOptions options;
  private final Positions positions;
  private final LogRequests requests;
  private final LogWindow window;
  private final AbortedRecords aborted = new AbortedRecords();
  private final RecordCursor cursor;
  private final ReceivedRecord view;

  private Mode mode = Mode.IDLE;
  private @Nullable OffsetsEntry entry;
  private boolean entryRefused;
  private boolean asked;

  /** The offset of the record that is wanted next. */
  private long next;

  private boolean inBatch;
  private long offsetBehindBatch;

  /** While granted: how far the broker let us see. While live: how far the window may be taken. */
  private long visibleEnd;

  private LogRequests.@Nullable Answer fetched;
  private long lastCheckNs;
  private int missingFiles;
  private boolean closed;

  private enum Mode {
    IDLE,
    GRANTED,
    LIVE
  }

  private IpcSubscriber(IpcClient client, String topic, int partition, SubscriberOptions options) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.options = options;
    this.positions = new Positions(client, topic, partition, options.readCommitted());
    this.requests = new LogRequests(client, topic, partition, options.readCommitted());
    this.window = new LogWindow(options.readBytes(), options.batchBytesMax());
    this.cursor =
        new RecordCursor(new Decompressor(new BufferPool(), options.decompressedBytesMax()));
    this.view = new ReceivedRecord(cursor);
  }

  static IpcSubscriber open(
      IpcClient client, String topic, int partition, StartPosition start, SubscriberOptions options)
      throws IOException {
    IpcSubscriber subscriber = new IpcSubscriber(client, topic, partition, options);
    RequestChannel leader = client.lookup().openLeader(topic, partition);
    try {
      subscriber.next = subscriber.positions.find(leader, start);
      subscriber.requests.use(leader);
      return subscriber;
    } catch (IOException | RuntimeException e) {
      leader.close();
      throw e;
    }
  }

  /**
   * Takes the records that are there, without waiting.
   *
   * @param handler takes each
   * @param limit most records to take, 1 or more
   * @return the number of records taken, 0 where none is there now
   * @throws IpcException where the subscriber can't go on: a file can't be read, a batch is
   *     damaged, or the position is out of range
   */
  public int poll(RecordHandler handler, int limit) throws IpcException {
    if (closed) {
      throw new IpcException(this + " is closed", null);
    }
    int count = 0;
    try {
      while (count < limit && (inBatch || nextBatch())) {
        count += takeRecords(handler, limit - count);
      }
      return count;
    } catch (CorruptBatchException e) {
      throw new IpcException(
          "%s: batch before offset %d of %s: %s"
              .formatted(this, offsetBehindBatch, window.place(), e.getMessage()),
          e);
    } catch (IpcException e) {
      throw e;
    } catch (IOException e) {
      throw new IpcException("%s: %s".formatted(this, e.getMessage()), e);
    }
  }

  /**
   * Takes the records that are there, or waits for some: spins, lets other threads run, then sleeps
   * until the broker wakes it.
   *
   * @param timeout how long to wait, at most
   * @return the number of records taken, 0 where none has come in time
   * @throws InterruptedException where the thread is interrupted while it sleeps
   */
  @SuppressWarnings("ThreadPriorityCheck") // the broker may need this core
  public int poll(RecordHandler handler, int limit, Duration timeout)
      throws IpcException, InterruptedException {
    int count = poll(handler, limit);
    if (count > 0) {
      return count;
    }
    long startNs = client.options().nanoClock().getAsLong();
    long timeoutNs = timeout.toNanos();
    long spinNs = options.spin().toNanos();
    long awakeNs = spinNs + options.yield().toNanos();
    long elapsedNs = 0;
    while (elapsedNs < timeoutNs) {
      if (elapsedNs < spinNs) {
        Thread.onSpinWait();
      } else if (elapsedNs < awakeNs) {
        Thread.yield();
      } else {
        sleep(timeoutNs - elapsedNs);
      }
      count = poll(handler, limit);
      if (count > 0) {
        return count;
      }
      elapsedNs = client.options().nanoClock().getAsLong() - startNs;
    }
    return 0;
  }

  private void sleep(long leftNs) throws InterruptedException {
    // The request outlives this poll where its time is shorter: the next one waits for its answer.
    requests.ask(next, GRANT_BYTES, WAIT_MS_MAX);
    requests.await(leftNs);
  }

  private int takeRecords(RecordHandler handler, int limit) throws CorruptBatchException {
    int count = 0;
    while (count < limit) {
      if (!cursor.next()) {
        inBatch = false;
        next = offsetBehindBatch;
        window.take();
        break;
      }
      long offset = cursor.offset();
      if (offset < next) {
        continue; // the batch begins before the position
      }
      next = offset + 1;
      count++;
      handler.onRecord(view);
    }
    return count;
  }

  /** Opens the next batch with records for us; false where there is none now. */
  private boolean nextBatch() throws IOException {
    while (true) {
      if (requests.isOutstanding()) {
        takeAnswer();
      }
      boolean mayRead =
          switch (mode) {
            case IDLE -> beginAsking();
            case GRANTED -> true;
            case LIVE -> follow();
          };
      if (!mayRead) {
        return false;
      }
      if (window.next() != LogWindow.READY) {
        leaveRange();
      } else if (enter(window.batch())) {
        return true;
      }
    }
  }

  /** Asks for a range where there may be one. */
  private boolean beginAsking() throws IOException {
    OffsetsEntry published = entry;
    boolean known = published != null && published.isLive();
    if (known && published != null && published.visibleEnd() <= next && checkedConnection()) {
      return false; // nothing there: no need to ask
    }
    if (!requests.isOutstanding()) {
      // Without published offsets, or without files at all, only the broker can tell when.
      boolean wait = asked && entryRefused;
      requests.ask(next, GRANT_BYTES, wait ? WAIT_MS_MAX : 0);
    }
    takeAnswer();
    return mode != Mode.IDLE;
  }

  /** Whether the connection is there, which is looked at now and then only. */
  private boolean checkedConnection() {
    long nowNs = client.options().nanoClock().getAsLong();
    if (nowNs - lastCheckNs < CHECK_INTERVAL_NS) {
      return true;
    }
    lastCheckNs = nowNs;
    return requests.isConnected();
  }

  /** Looks how far the log has come; the bytes below that offset are in the file for certain. */
  private boolean follow() {
    if (next < visibleEnd) {
      return true;
    }
    OffsetsEntry published = entry;
    if (published == null) {
      mode = Mode.IDLE;
      return false;
    }
    long newEnd = published.visibleEnd();
    if (newEnd <= next) {
      if (!published.isLive() || !checkedConnection()) {
        mode = Mode.IDLE;
      }
      return false;
    }
    visibleEnd = newEnd;
    window.rereadFrom();
    return true;
  }

  /** The range is read, or the file does not go on. */
  private void leaveRange() {
    if (mode == Mode.GRANTED
        && next >= visibleEnd
        && entry != null
        && entry.isLive()
        && window.isOpen()) {
      window.rereadFrom();
      window.growing();
      mode = Mode.LIVE;
    } else {
      mode = Mode.IDLE;
    }
  }

  private boolean enter(RecordBatch batch) throws IOException {
    if (options.checkCrcs()) {
      offsetBehindBatch = batch.nextOffset();
      batch.ensureValid();
    }
    if (mode == Mode.LIVE && options.readCommitted() && batch.isTransactional()) {
      mode = Mode.IDLE; // only the broker knows what was aborted
      requests.ask(next, GRANT_BYTES, 0);
      return false;
    }
    offsetBehindBatch = batch.nextOffset();
    boolean skip = (options.readCommitted() && aborted.covers(batch)) || batch.isControl();
    if (skip || offsetBehindBatch <= next) {
      window.take();
      next = Math.max(next, offsetBehindBatch);
      return false;
    }
    cursor.open(batch);
    inBatch = true;
    return true;
  }

  private void takeAnswer() throws IOException {
    LogRequests.Answer answer = requests.poll();
    if (answer == null) {
      return;
    }
    boolean keep = false;
    try {
      ErrorCode error = answer.error();
      if (error != ErrorCode.NONE) {
        handle(error, answer);
      } else {
        asked = true;
        noteEntry(answer.facts());
        if (mode == Mode.IDLE && answer.offset() == next) {
          keep = beginRange(answer);
        }
      }
    } finally {
      if (!keep) {
        answer.close();
      }
    }
  }

  private boolean beginRange(LogRequests.Answer answer) throws IOException {
    DirectReadResponse facts = answer.facts();
    long end = options.readCommitted() ? facts.lastStableOffset() : facts.highWatermark();
    if (answer.records().hasRemaining()) {
      dropFetched();
      fetched = answer;
      window.open(answer.records());
    } else if (facts.lengthBytes() > 0) {
      try {
        window.open(
            Path.of(facts.segmentPath()),
            facts.segmentInode(),
            facts.position(),
            facts.lengthBytes());
        missingFiles = 0;
      } catch (NoSuchFileException e) {
        // Swapped or removed between grant and opening: asked again.
        if (++missingFiles >= MISSING_FILES_MAX) {
          LOG.info("{} fetches its records: the broker's {} is not here", this, e.getFile());
          requests.fetchFromNowOn();
        }
        return false;
      }
    } else {
      return false;
    }
    aborted.begin(facts.abortedTransactions());
    visibleEnd = end;
    mode = Mode.GRANTED;
    return answer.records().hasRemaining();
  }

  private void dropFetched() {
    if (fetched != null) {
      fetched.close();
      fetched = null;
    }
  }

  private void noteEntry(DirectReadResponse facts) throws IOException {
    if (requests.isDirect()) {
      requests.pin(facts.topicId());
    }
    String path = facts.offsetsPath();
    entryRefused = path.isEmpty();
    if (entryRefused) {
      entry = null;
    } else if (entry == null
        || !entry.isLive()
        || !entry.isAt(path, facts.offsetsInode(), facts.offsetsPosition())) {
      try {
        entry =
            OffsetsEntry.open(
                path,
                facts.offsetsInode(),
                facts.offsetsPosition(),
                facts.topicId(),
                partition,
                options.readCommitted());
      } catch (NoSuchFileException e) {
        entry = null; // the broker has ended, or sees another file system
        entryRefused = true;
      }
    }
  }

  private void handle(ErrorCode error, LogRequests.Answer answer) throws IpcException {
    mode = Mode.IDLE;
    if (error == ErrorCode.OFFSET_OUT_OF_RANGE) {
      if (answer.offset() == next) {
        leaveOutOfRange(answer.facts());
      }
    } else if (error == ErrorCode.UNKNOWN_TOPIC_ID) {
      throw new IpcException(this + ": the topic was deleted", null);
    } else if (error.isRetriable() && error != ErrorCode.CORRUPT_MESSAGE) {
      requests.reconnect();
    } else {
      String message = answer.facts().errorMessage();
      throw new IpcException(
          "%s can't be read at offset %d: %s (%s)%s"
              .formatted(this, next, error.text(), error, message == null ? "" : ": " + message),
          null);
    }
  }

  private void leaveOutOfRange(DirectReadResponse facts) throws IpcException {
    long start = facts.logStartOffset();
    long end = facts.highWatermark();
    if (options.outOfRange() == SubscriberOptions.OutOfRange.FAIL || start < 0) {
      throw new IpcException(
          "%s: offset %d is out of range, there are %d to %d".formatted(this, next, start, end),
          null);
    }
    next = options.outOfRange() == SubscriberOptions.OutOfRange.EARLIEST ? start : end;
  }

  /** The offset of the record that comes next. */
  public long position() {
    return next;
  }

  /**
   * Why the last attempt to connect again has failed, which is repeated for as long as it takes
   * while polls return 0; null where the subscriber is connected, or no attempt has failed since it
   * was. May be asked by any thread.
   */
  public @Nullable IOException connectFailure() {
    return requests.connectFailure();
  }

  /** Whether records come out of the broker's files; else they are fetched. */
  public boolean isDirect() {
    return requests.isDirect();
  }

  /**
   * Stores the position for the group of the options, from where {@link StartPosition#committed}
   * finds it. Blocks.
   *
   * @throws IllegalStateException where the options name no group
   * @throws IOException where the coordinator does not take it
   */
  public void commit() throws IOException {
    positions.commit(
        options
            .group()
            .orElseThrow(() -> new IllegalStateException(this + " has no group to commit for")),
        next);
  }

  /** Lets go of connection and file. Closing again does nothing. */
  @Override
  public void close() throws IpcException {
    if (closed) {
      return;
    }
    closed = true;
    requests.close();
    cursor.close();
    dropFetched();
    try {
      window.close();
    } catch (IOException e) {
      throw new IpcException("%s: %s".formatted(this, e.getMessage()), e);
    }
  }

  @Override
  public String toString() {
    return "subscriber of %s-%d".formatted(topic, partition);
  }
}
