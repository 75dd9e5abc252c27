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

  private final SubscriberOptions options;
  private final String name;
  private final int waitMs;
  private final LogRequests requests;
  private final LogWindow window;
  private final PublishedEnd published;
  private final AbortedRecords aborted = new AbortedRecords();

  private Mode mode = Mode.IDLE;
  private boolean asked;

  /** Where to go on, as the next offset is out of range; null while it is not, as far as known. */
  private StartPosition.@Nullable Edge wayBack;

  /** The offset of the record that is wanted next. */
  private long nextOffset;

  /** The offset behind the batch in the window. */
  private long offsetBehindBatch;

  /** While granted: how far the broker let us see. While live: how far the window may be taken. */
  private long visibleEnd;

  /** The visible end of the last answer; -1 before the first. */
  private long toldEnd = -1;

  private LogRequests.@Nullable Answer fetched;
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
    this.options = options;
    this.waitMs = (int) longPoll.toMillis();
    this.name = name;
    this.requests = new LogRequests(client, topic, partition, options.readCommitted());
    this.published =
        new PublishedEnd(client.options().nanoClock(), partition, options.readCommitted(), name);
    this.window = new LogWindow(options.readBytes(), options.batchBytesMax());
  }

  /**
   * Begins at an offset.
   *
   * @param leader taken over
   */
  void begin(long offset, RequestChannel leader) {
    nextOffset = offset;
    requests.use(leader);
  }

  /** Goes on at another offset; what is in hand is left. */
  void seek(long offset) throws IOException {
    requests.stopWaiting();
    window.close();
    dropFetched();
    published.drop(); // so that the broker is asked, which tells an offset that is out of range
    wayBack = null;
    stopFollowing();
    nextOffset = offset;
  }

  /** The offset below which records may be read, as far as it was told; -1 where it was not. */
  long endOffset() {
    long now = published.offset();
    if (now >= 0 && !published.dropIfCut()) {
      toldEnd = now;
    }
    return toldEnd;
  }

  /** The offset of the record that is wanted next. */
  long nextOffset() {
    return nextOffset;
  }

  /** Moves on within the present batch: all below an offset was taken. */
  void moveTo(long offset) {
    nextOffset = offset;
  }

  /** Leaves the present batch, all of which was taken. */
  void leaveBatch() {
    nextOffset = offsetBehindBatch;
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
      requests.ask(nextOffset, GRANT_BYTES, maxWaitMs);
    } else {
      requests.askEdge(nextOffset, wayBack);
    }
  }

  /**
   * Brings the next batch that has records from the next offset on.
   *
   * @return valid until {@link #leaveBatch()}; null where there is none now, or the thread is
   *     interrupted
   * @throws IOException where a file can't be read, a batch is damaged, or the next offset is out
   *     of range
   */
  @Nullable RecordBatch next() throws IOException {
    try {
      return Thread.currentThread().isInterrupted() ? null : find();
    } catch (ClosedByInterruptException | InternalError e) {
      // Interrupted, and the file closed under the read: the interrupt stays set. Or a fault, which
      // the JVM reports late: the file of published offsets was cut under a look.
      if (e instanceof InternalError && !published.dropIfCut()) {
        throw e;
      }
      window.close(); // the offset is right
      stopFollowing();
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
      if (window.next() != LogWindow.Next.READY) {
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
    if (published.isLive() && published.offset() <= nextOffset && isInPlace()) {
      return false; // nothing there: no need to ask
    }
    if (!requests.isOutstanding()) {
      ask(asked && published.isSilent() ? waitMs : 0);
    }
    takeAnswer();
    return mode != Mode.IDLE;
  }

  /** Whether connection and published offsets are there, which is looked at now and then only. */
  private boolean isInPlace() {
    return !published.isLookDue() || (requests.isConnected() && !published.dropIfCut());
  }

  /** Looks how far the log has come; the bytes below that offset are in the file for certain. */
  private boolean follow() {
    if (nextOffset < visibleEnd) {
      return true;
    }
    long newEnd = published.offset();
    if (newEnd <= nextOffset) {
      if (published.isLive() && isInPlace()) {
        return false; // nothing there yet
      }
      published.dropIfCut(); // one that has ended may have been cut; a fault is reported here then
      return stopFollowing();
    }
    if (published.dropIfCut()) {
      return stopFollowing();
    }
    visibleEnd = newEnd;
    window.discardUntaken();
    return true;
  }

  /** Has the broker asked next; always false, as nothing may be read until it has answered. */
  private boolean stopFollowing() {
    mode = Mode.IDLE;
    return false;
  }

  /** The range is read, or the file does not go on. */
  private void leaveRange() {
    if (mode == Mode.GRANTED && nextOffset >= visibleEnd && published.isLive() && window.isOpen()) {
      window.discardUntaken();
      window.growing();
      mode = Mode.LIVE;
    } else {
      stopFollowing();
    }
  }

  /** Looks at a batch; one without records for us is stepped over. */
  private boolean isWanted(RecordBatch batch) throws IOException {
    if (options.checkCrcs()) {
      offsetBehindBatch = batch.nextOffset();
      batch.ensureValid();
    }
    if (mode == Mode.LIVE && options.readCommitted() && batch.isTransactional()) {
      ask(0); // only the broker knows what was aborted
      return stopFollowing();
    }
    offsetBehindBatch = batch.nextOffset();
    boolean skip = (options.readCommitted() && aborted.covers(batch)) || batch.isControl();
    if (skip || offsetBehindBatch <= nextOffset) {
      window.take();
      nextOffset = Math.max(nextOffset, offsetBehindBatch);
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
        if (requests.isDirect()) {
          requests.pin(answer.facts().topicId());
        }
        toldEnd = visibleEnd(answer.facts());
        published.follow(answer.facts());
        if (mode == Mode.IDLE && answer.offset() == nextOffset) {
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
    visibleEnd = visibleEnd(facts);
    mode = Mode.GRANTED;
    return answer.records().hasRemaining();
  }

  private long visibleEnd(DirectReadResponse facts) {
    return options.readCommitted() ? facts.lastStableOffset() : facts.highWatermark();
  }

  private void dropFetched() {
    if (fetched != null) {
      fetched.close();
      fetched = null;
    }
  }

  private void handle(ErrorCode error, LogRequests.Answer answer) throws IpcException {
    stopFollowing();
    if (error == ErrorCode.OFFSET_OUT_OF_RANGE) {
      if (answer.offset() == nextOffset) {
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
                  name, nextOffset, error.text(), error, message == null ? "" : ": " + message),
          null);
    }
  }

  private StartPosition.Edge wayBack(DirectReadResponse facts) throws IpcException {
    return switch (options.outOfRange()) {
      case EARLIEST -> StartPosition.Edge.EARLIEST;
      case LATEST -> StartPosition.Edge.LATEST;
      case FAIL ->
          throw new IpcException(
              "%s: offset %d is out of range%s".formatted(name, nextOffset, range(facts)), null);
    };
  }

  /** What a grant tells and a fetch does not. */
  private static String range(DirectReadResponse facts) {
    return facts.logStartOffset() < 0
        ? ""
        : ", there are %d to %d".formatted(facts.logStartOffset(), facts.highWatermark());
  }

  private void goBack(LogRequests.Answer answer) throws IpcException {
    if (answer.edge() < 0) {
      throw new IpcException(
          "%s: offset %d is out of range, and the leader names %d instead"
              .formatted(name, nextOffset, answer.edge()),
          null);
    }
    if (wayBack != null && answer.offset() == nextOffset) {
      LOG.warn(
          "{} goes on at offset {}: {} is out of range, records may be missed",
          name,
          answer.edge(),
          nextOffset);
      wayBack = null;
      nextOffset = answer.edge();
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
    published.close();
    window.close();
  }
}
