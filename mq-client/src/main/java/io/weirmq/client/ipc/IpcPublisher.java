package io.weirmq.client.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Publishes records to one partition.
 *
 * <p>Records are laid out in place, in the form in which they are sent and stored. While fewer than
 * {@link PublisherOptions#requestsInFlightMax()} batches wait for their answers, a record goes out
 * at once, alone; else records gather in a batch, which the next answer sends. So batches grow with
 * the load and nothing waits for a timer. Full batches go out while fewer than {@link
 * PublisherOptions#REQUESTS_IN_FLIGHT_MAX} wait.
 *
 * <p><b>Results.</b> {@link #offer} and {@link #tryClaim} return the record's <em>token</em>, its
 * number in this publisher, counted from 0, or one of the negative constants. Records are
 * acknowledged in the order of their tokens. Where the process has no direct memory left for one
 * more batch, they throw an {@link OutOfMemoryError}; the publisher goes on.
 *
 * <p><b>Once.</b> Unless it is {@link Acknowledgement#FIRE_AND_FORGET}, a publisher connects again
 * by itself and sends again what was not acknowledged; the broker knows by producer id and sequence
 * what it has, so that each record is there once and in order. What a leader refuses for now, as
 * its disk is full or replicas are missing, is sent again with growing pauses, up to a second; that
 * shows as {@link #BACK_PRESSURED}, and {@link #connectFailure()} says why. Where the broker has a
 * gap in the sequence, or has lost it while records are not acknowledged, the publisher fails:
 * sending on could lose or repeat records. Where all is acknowledged, as after a day without
 * records, it goes on under a new producer id. An answer is waited for as long as the connection
 * stands; a broker that hangs shows as {@link #BACK_PRESSURED}, too.
 *
 * <p><b>Threads.</b> Safe for use by several threads; made for one, as several wait for each other.
 * Whoever has the <em>turn</em> owns all the batches: a thread between claim and commit, or the I/O
 * thread that an answer has come to. No thread ever waits for an I/O thread's work, nor the
 * reverse.
 */
public final class IpcPublisher implements AutoCloseable {

  /** All buffers are in use; try again when the broker has acknowledged some. */
  public static final long BACK_PRESSURED = -1;

  /** The broker is not connected now, and all buffers are in use; try again. */
  public static final long NOT_CONNECTED = -2;

  /** The publisher is closed. */
  public static final long CLOSED = -3;

  /** The record does not fit into a batch. */
  public static final long TOO_LARGE = -4;

  /** The publisher can't go on; {@link #failure()} says why. */
  public static final long FAILED = -5;

  private final IpcClientOptions clientOptions;
  private final String topic;
  private final int partition;
  private final int recordBytesMax;
  private final PublisherBatches batches;
  private final AppendProgress progress;
  private final PublisherSession session;

  private volatile boolean closed;

  /** No further record is taken. Written by whoever has the turn. */
  private boolean closing;

  /** Whoever has the turn has it for a claim. */
  private boolean claiming;

  private IpcPublisher(IpcClient client, String topic, int partition, PublisherOptions options) {
    this.clientOptions = client.options();
    this.topic = topic;
    this.partition = partition;
    this.recordBytesMax = OutgoingBatch.recordBytesMax(options.batchBytesMax());
    this.batches = new PublisherBatches(options.batchBytesMax(), options.bufferedBytesMax());
    this.progress = new AppendProgress(options.listener(), clientOptions.nanoClock());
    this.session = new PublisherSession(client, topic, partition, options, batches, progress);
  }

  static IpcPublisher open(IpcClient client, String topic, int partition, PublisherOptions options)
      throws IOException {
    IpcPublisher publisher = new IpcPublisher(client, topic, partition, options);
    publisher.session.open();
    return publisher;
  }

  /**
   * Publishes a record.
   *
   * @param key from position to limit, which stay as they are, or null; copied
   * @param value from position to limit, which stay as they are, or null; copied
   * @return the record's token, 0 or more, or one of the negative constants
   * @throws IndexOutOfBoundsException where another thread has shortened a buffer meanwhile; the
   *     record never was
   */
  public long offer(@Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    return offer(key, value, null);
  }

  /**
   * Publishes a record with headers.
   *
   * @param key from position to limit, which stay as they are, or null; copied
   * @param value from position to limit, which stay as they are, or null; copied
   * @param headers copied, in their order; null for none
   * @return the record's token, 0 or more, or one of the negative constants
   * @throws IndexOutOfBoundsException where another thread has shortened a buffer meanwhile; the
   *     record never was
   * @throws IllegalStateException where another thread has changed the headers meanwhile; the
   *     record never was
   */
  public long offer(
      @Nullable ByteBuffer key, @Nullable ByteBuffer value, @Nullable RecordHeaders headers) {
    int keyLength = key == null ? -1 : key.remaining();
    int valueLength = value == null ? -1 : value.remaining();
    long token = begin(keyLength, valueLength, headers);
    if (token < 0) {
      return token;
    }
    try {
      OutgoingBatch batch = batches.claimed();
      ByteBuffer target = batch.buffer();
      if (key != null) {
        target.put(batch.keyPosition(), key, key.position(), keyLength);
      }
      if (value != null) {
        target.put(batch.valuePosition(), value, value.position(), valueLength);
      }
    } catch (RuntimeException | Error e) {
      abortClaim();
      throw e;
    }
    commitClaim();
    return token;
  }

  /**
   * Publishes a record without a key.
   *
   * @param value bytes of the value; copied
   * @param offset index of the first byte
   * @param length number of bytes
   * @return the record's token, 0 or more, or one of the negative constants
   * @throws IndexOutOfBoundsException where the bytes do not lie in the array
   */
  public long offer(byte[] value, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, value.length);
    long token = begin(-1, length, null);
    if (token < 0) {
      return token;
    }
    try {
      OutgoingBatch batch = batches.claimed();
      batch.buffer().put(batch.valuePosition(), value, offset, length);
    } catch (RuntimeException | Error e) {
      abortClaim();
      throw e;
    }
    commitClaim();
    return token;
  }

  /**
   * Claims room for a record, to be filled in place.
   *
   * @param keyLength length of the key in bytes, -1 for none
   * @param valueLength length of the value in bytes, -1 for none
   * @param claim where the room is described; to be committed or aborted by this thread, soon
   * @return the record's token, 0 or more, or one of the negative constants, with which the claim
   *     is left alone. The token of an aborted record is given to the next one
   * @throws IllegalStateException where a claim of this thread is neither committed nor aborted, or
   *     where this is called by the listener
   */
  public long tryClaim(int keyLength, int valueLength, RecordClaim claim) {
    if (!OutgoingBatch.isLength(keyLength) || !OutgoingBatch.isLength(valueLength)) {
      throw new IllegalArgumentException(
          "lengths are %d and %d, expected -1 or more".formatted(keyLength, valueLength));
    }
    Objects.requireNonNull(claim, "claim");
    long token = begin(keyLength, valueLength, null);
    if (token >= 0) {
      claim.wrap(this, batches.claimed(), keyLength, valueLength);
    }
    return token;
  }

  /** Takes the turn and lays a record out; where it returns a token, the turn is kept. */
  private long begin(int keyLength, int valueLength, @Nullable RecordHeaders headers) {
    if (progress.failure() != null) {
      return FAILED;
    }
    if (closed) {
      return CLOSED;
    }
    long headersBytes = headers == null ? 0 : headers.sizeInBytes();
    if (headersBytes + Math.max(keyLength, 0) + Math.max(valueLength, 0) > recordBytesMax) {
      return TOO_LARGE;
    }
    long nowMs = clientOptions.clock().millis();
    session.takeTurn();
    long result = FAILED;
    try {
      result = claim(nowMs, keyLength, valueLength, headers);
    } finally {
      claiming = result >= 0;
      if (!claiming) {
        session.giveTurnBack();
      }
    }
    return result;
  }

  private long claim(long nowMs, int keyLength, int valueLength, @Nullable RecordHeaders headers) {
    if (closing) {
      return CLOSED;
    }
    OutgoingBatch batch = batches.current();
    if (batch != null && batch.claim(nowMs, keyLength, valueLength, headers)) {
      return batch.nextToken();
    }
    return beginInNewBatch(nowMs, keyLength, valueLength, headers);
  }

  private long beginInNewBatch(
      long nowMs, int keyLength, int valueLength, @Nullable RecordHeaders headers) {
    OutgoingBatch full = batches.current();
    if (full != null && full.isEmpty()) {
      return TOO_LARGE;
    }
    if (full != null) {
      session.seal();
      session.work();
    }
    OutgoingBatch fresh = batches.begin();
    if (fresh == null) {
      session.work();
      fresh = batches.begin();
    }
    if (fresh == null) {
      return session.isConnected() ? BACK_PRESSURED : NOT_CONNECTED;
    }
    return fresh.claim(nowMs, keyLength, valueLength, headers) ? fresh.nextToken() : TOO_LARGE;
  }

  void commitClaim() {
    endClaim();
    try {
      batches.claimed().commit();
      session.committed();
    } finally {
      session.giveTurnBack();
    }
  }

  void abortClaim() {
    endClaim();
    session.giveTurnBack();
  }

  private void endClaim() {
    if (!session.hasTurn() || !claiming) {
      throw new IllegalStateException("nothing is claimed by this thread");
    }
    claiming = false;
  }

  /**
   * The number of records that nothing more is waited for: all tokens below are acknowledged. With
   * {@link Acknowledgement#FIRE_AND_FORGET} some of them may have been dropped instead, see {@link
   * #droppedCount()}.
   */
  public long acknowledgedCount() {
    return progress.settledCount();
  }

  /** The offset of the last record that was acknowledged, -1 where there is none yet. */
  public long lastAppendedOffset() {
    return progress.lastAppendedOffset();
  }

  /**
   * The number of records that were refused, or lost their answer with a connection, so that nobody
   * knows whether they have arrived; 0 but for {@link Acknowledgement#FIRE_AND_FORGET}.
   */
  public long droppedCount() {
    return progress.droppedCount();
  }

  /** Why the publisher can't go on; null where it can. */
  public @Nullable IpcException failure() {
    return progress.failure();
  }

  /**
   * Why the publisher does not go on: the last attempt to connect again has failed, or the leader
   * has refused a batch for now. Both are repeated for as long as it takes; with {@link
   * Acknowledgement#FIRE_AND_FORGET} what was refused, for now or for good, is dropped instead.
   * Null where it is connected and nothing was refused since a batch was acknowledged.
   */
  public @Nullable IOException connectFailure() {
    return session.connectFailure();
  }

  /**
   * Whether batches go through shared memory, else over TCP; of the last connection where there is
   * none now. May change with each.
   */
  public boolean isLocal() {
    return session.isLocal();
  }

  /** The partition's topic. */
  public String topic() {
    return topic;
  }

  /** The partition. */
  public int partition() {
    return partition;
  }

  /**
   * Waits until a record is acknowledged, or with {@link Acknowledgement#FIRE_AND_FORGET} dropped.
   * Must not be called by the listener.
   *
   * @param token as returned by {@link #offer}
   * @return whether it is; false where the time has passed
   * @throws IpcException where the publisher has failed, or was closed and did not wait for it
   * @throws InterruptedException where the thread is interrupted
   */
  public boolean awaitAppended(long token, Duration timeout)
      throws IpcException, InterruptedException {
    return progress.await(token, timeout);
  }

  /**
   * Waits until all records are acknowledged, or with {@link Acknowledgement#FIRE_AND_FORGET}
   * dropped, for the client's time-out at most, then ends the connection. Records that were not
   * sent yet are waited for, too; a claim of this thread that is neither committed nor aborted is
   * aborted. Closing again does nothing.
   *
   * @throws IpcException where records were not acknowledged in time, or the publisher has failed
   */
  @Override
  public void close() throws IpcException {
    if (closed) {
      return;
    }
    if (session.hasTurn() && claiming) {
      abortClaim(); // an exception came between claim and commit, in a try-with-resources perhaps
    }
    session.takeTurn();
    closing = true;
    long last = batches.nextToken() - 1;
    session.giveTurnBack();
    closed = progress.failure() != null;
    try {
      if (last >= 0 && !awaitAppended(last, clientOptions.timeout())) {
        IOException cause = session.connectFailure();
        throw new IpcException(
            "%d records of %s were not acknowledged within %s%s"
                .formatted(
                    last + 1 - progress.settledCount(),
                    this,
                    clientOptions.timeout(),
                    cause == null ? "" : "; last failure: " + cause.getMessage()),
            cause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IpcException("interrupted while " + this + " was closed", e);
    } finally {
      closed = true;
      session.close();
    }
  }

  @Override
  public String toString() {
    return "publisher of %s-%d".formatted(topic, partition);
  }
}
