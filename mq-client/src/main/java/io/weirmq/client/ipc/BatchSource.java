package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches of one partition from an offset on, out of the broker's files where it lets us read
 * them, else fetched.
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
 * <p>Confined to the subscriber's thread.
 */
final class BatchSource implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BatchSource.class);

  /** Bytes asked for at once where the subscriber is behind. */
  private static final int GRANT_BYTES = 8 * 1024 * 1024;

  /**
   * How long the broker waits for a record with one request, where nobody says otherwise; polls
   * that are shorter go on waiting for its answer.
   */
  static final Duration LONG_POLL = Duration.ofSeconds(5);

  /** Time between two looks at the connection, where no record comes. */
  private static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Files that were not there or may not be read, one after the other, until records are fetched
   * instead: the broker sees another file system, as in another container, or another user number.
   * A swap or a removal costs one.
   */
  private static final int MISSING_FILES_MAX = 5;

  private enum Mode {
    IDLE,
    GRANTED,
    LIVE
  }

  private final IpcClient client;
  private final int partition;
  private final SubscriberOptions options;
  private final String name;
  private final int waitMs;
  private final LogRequests requests;
  private final LogWindow window;
  private final AbortedRecords aborted = new AbortedRecords();

  private Mode mode = Mode.IDLE;
  private @Nullable OffsetsEntry entry;
  private boolean entryRefused;
  private boolean damageTold;
  private boolean asked;

  /** Where to go on, as the position is out of range; null while it is not, as far as known. */
  private StartPosition.@Nullable Edge wayBack;

  /** The offset of the record that is wanted next. */
  private long position;

  /** The offset behind the batch in the window. */
  private long offsetBehindBatch;

  /** While granted: how far the broker let us see. While live: how far the window may be taken. */
  private long visibleEnd;

  private LogRequests.@Nullable Answer fetched;
  private long lastCheckNs;
  private int missingFiles;

  /**
   * Makes a source that has not begun; see {@link #begin}.
   *
   * @param longPoll how long the broker waits for a record with one request
   * @param name of the subscriber, for messages
   */
  BatchSource(
      IpcClient client,
      String topic,
      int partition,
      SubscriberOptions options,
      Duration longPoll,
      String name) {
    this.client = client;
    this.partition = partition;
    this.options = options;
    this.waitMs = (int) longPoll.toMillis();
    this.name = name;
    this.requests = new LogRequests(client, topic, partition, options.readCommitted());
    this.window = new LogWindow(options.readBytes(), options.batchBytesMax());
  }

  /**
   * Begins at an offset.
   *
   * @param leader taken over
   */
  void begin(long offset, RequestChannel leader) {
    position = offset;
    requests.use(leader);
  }

  /** The offset of the record that is wanted next. */
  long position() {
    return position;
  }

  /** Moves on within the present batch: all below an offset was taken. */
  void moveTo(long offset) {
    position = offset;
  }

  /** Leaves the present batch, all of which was taken. */
  void leaveBatch() {
    position = offsetBehindBatch;
    window.take();
  }

  /**
   * Waits until the broker says that there is something, an answer or a connection comes, or the
   * time is over.
   *
   * @param nanos how long at most, above 0
   * @throws IpcException where the client is closed
   */
  void await(long nanos) throws IpcException, InterruptedException {
    // The request outlives this wait where its time is shorter: the next one waits for its answer.
    ask(waitMs);
    requests.await(nanos);
  }

  private void ask(int maxWaitMs) throws IpcException {
    if (wayBack == null) {
      requests.ask(position, GRANT_BYTES, maxWaitMs);
    } else {
      requests.askEdge(position, wayBack);
    }
  }

  /**
   * Brings the next batch that has records from the position on.
   *
   * @return valid until {@link #leaveBatch()}; null where there is none now, or the thread is
   *     interrupted
   * @throws IOException where a file can't be read, a batch is damaged, or the position is out of
   *     range
   */
  @Nullable RecordBatch next() throws IOException {
    try {
      return Thread.currentThread().isInterrupted() ? null : find();
    } catch (ClosedByInterruptException e) {
      // The file was closed under the read; the interrupt stays set, and the position is right.
      window.close();
      mode = Mode.IDLE;
      return null;
    } catch (InternalError e) {
      // A fault, which the JVM reports late: the file of published offsets was cut under a look.
      OffsetsEntry published = entry;
      if (published == null || !droppedIfCut(published)) {
        throw e;
      }
      window.close();
      mode = Mode.IDLE;
      return null;
    }
  }

  private @Nullable RecordBatch find() throws IOException {
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
        return null;
      }
      if (window.next() != LogWindow.READY) {
        leaveRange();
        continue;
      }
      RecordBatch batch = window.batch();
      if (isWanted(batch)) {
        return batch;
      }
    }
  }

  /** Asks for a range where there may be one. */
  private boolean beginAsking() throws IOException {
    OffsetsEntry published = entry;
    boolean live = published != null && published.isLive();
    if (live && published != null && published.visibleEnd() <= position && checked(published)) {
      return false; // nothing there: no need to ask
    }
    if (!requests.isOutstanding()) {
      boolean cut = published != null && droppedIfCut(published);
      // Without published offsets, or without files at all, only the broker can tell when.
      boolean wait = asked && (entryRefused || (published != null && !live && !cut));
      ask(wait ? waitMs : 0);
    }
    takeAnswer();
    return mode != Mode.IDLE;
  }

  /** Whether connection and published offsets are there, which is looked at now and then only. */
  private boolean checked(OffsetsEntry published) {
    long nowNs = client.options().nanoClock().getAsLong();
    if (nowNs - lastCheckNs < CHECK_INTERVAL_NS) {
      return true;
    }
    lastCheckNs = nowNs;
    return requests.isConnected() && !droppedIfCut(published);
  }

  /** Lets go of published offsets whose file was cut: the broker is asked then. */
  private boolean droppedIfCut(OffsetsEntry published) {
    if (published.isWhole()) {
      return false;
    }
    dropEntry();
    return true;
  }

  private void dropEntry() {
    if (entry != null) {
      entry.close();
      entry = null;
    }
  }

  /** Looks how far the log has come; the bytes below that offset are in the file for certain. */
  private boolean follow() {
    if (position < visibleEnd) {
      return true;
    }
    OffsetsEntry published = entry;
    if (published == null) {
      mode = Mode.IDLE;
      return false;
    }
    long newEnd = published.visibleEnd();
    if (newEnd <= position) {
      // An entry that is not live any more may have been cut; a fault is reported here then.
      if (!published.isLive()) {
        droppedIfCut(published);
        mode = Mode.IDLE;
      } else if (!checked(published)) {
        mode = Mode.IDLE;
      }
      return false;
    }
    if (droppedIfCut(published)) {
      mode = Mode.IDLE;
      return false;
    }
    visibleEnd = newEnd;
    window.rereadFrom();
    return true;
  }

  /** The range is read, or the file does not go on. */
  private void leaveRange() {
    if (mode == Mode.GRANTED
        && position >= visibleEnd
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

  /** Looks at a batch; one without records for us is stepped over. */
  private boolean isWanted(RecordBatch batch) throws IOException {
    if (options.checkCrcs()) {
      offsetBehindBatch = batch.nextOffset();
      batch.ensureValid();
    }
    if (mode == Mode.LIVE && options.readCommitted() && batch.isTransactional()) {
      mode = Mode.IDLE; // only the broker knows what was aborted
      ask(0);
      return false;
    }
    offsetBehindBatch = batch.nextOffset();
    boolean skip = (options.readCommitted() && aborted.covers(batch)) || batch.isControl();
    if (skip || offsetBehindBatch <= position) {
      window.take();
      position = Math.max(position, offsetBehindBatch);
      return false;
    }
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
      } else if (answer.edge() != LogRequests.Answer.NO_EDGE) {
        goBack(answer);
      } else {
        asked = true;
        noteEntry(answer.facts());
        if (mode == Mode.IDLE && answer.offset() == position) {
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
      } catch (NoSuchFileException | AccessDeniedException e) {
        // Swapped or removed between grant and opening: asked again.
        if (++missingFiles >= MISSING_FILES_MAX) {
          LOG.info("{} fetches, as the broker's file can't be had: {}", name, e.toString());
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
      dropEntry();
    } else if (entry == null
        || !entry.isLive()
        || !entry.isAt(path, facts.offsetsInode(), facts.offsetsPosition())) {
      dropEntry();
      openEntry(facts);
    }
  }

  private void openEntry(DirectReadResponse facts) throws IOException {
    try {
      entry =
          OffsetsEntry.open(
              facts.offsetsPath(),
              facts.offsetsInode(),
              facts.offsetsPosition(),
              facts.topicId(),
              partition,
              options.readCommitted());
    } catch (NoSuchFileException e) {
      entryRefused = true; // the broker has ended, or sees another file system
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      entryRefused = true;
      if (!damageTold) {
        damageTold = true;
        LOG.warn(
            "{} asks the broker for each record, as its published offsets can't be used: {}",
            name,
            e.getMessage());
      }
    }
  }

  private void handle(ErrorCode error, LogRequests.Answer answer) throws IpcException {
    mode = Mode.IDLE;
    if (error == ErrorCode.OFFSET_OUT_OF_RANGE) {
      if (answer.offset() == position) {
        wayBack = wayBack(answer.facts());
      }
    } else if (error == ErrorCode.UNKNOWN_TOPIC_ID) {
      throw new IpcException(name + ": the topic was deleted", null);
    } else if (error.isRetriable() && error != ErrorCode.CORRUPT_MESSAGE) {
      requests.retry(error, answer.facts().errorMessage());
    } else {
      String message = answer.facts().errorMessage();
      throw new IpcException(
          "%s can't be read at offset %d: %s (%s)%s"
              .formatted(
                  name, position, error.text(), error, message == null ? "" : ": " + message),
          null);
    }
  }

  private StartPosition.Edge wayBack(DirectReadResponse facts) throws IpcException {
    return switch (options.outOfRange()) {
      case EARLIEST -> StartPosition.Edge.EARLIEST;
      case LATEST -> StartPosition.Edge.LATEST;
      case FAIL ->
          throw new IpcException(
              "%s: offset %d is out of range%s".formatted(name, position, range(facts)), null);
    };
  }

  /** What a grant tells and a fetch does not. */
  private static String range(DirectReadResponse facts) {
    return facts.logStartOffset() < 0
        ? ""
        : ", there are %d to %d".formatted(facts.logStartOffset(), facts.highWatermark());
  }

  private void goBack(LogRequests.Answer answer) {
    if (wayBack != null && answer.offset() == position) {
      LOG.warn(
          "{} goes on at offset {}: {} is out of range, records may be missed",
          name,
          answer.edge(),
          position);
      wayBack = null;
      position = answer.edge();
    }
  }

  /** Why there is no connection, or no good answer; null where nothing has failed. Any thread. */
  @Nullable IOException connectFailure() {
    return requests.failure();
  }

  /** Whether records come out of the broker's files. */
  boolean isDirect() {
    return requests.isDirect();
  }

  /** Where the present batch is, for messages. */
  String place() {
    return "batch before offset %d of %s".formatted(offsetBehindBatch, window.place());
  }

  /** Lets go of connection and file. */
  @Override
  public void close() throws IOException {
    requests.close();
    dropFetched();
    dropEntry();
    window.close();
  }
}
