package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
 * acknowledged in the order of their tokens.
 *
 * <p><b>Once.</b> Unless it is {@link Acknowledgement#FIRE_AND_FORGET}, a publisher connects again
 * by itself and sends again what was not acknowledged; the broker knows by producer id and sequence
 * what it has, so that each record is there once and in order. Where the broker has lost track of
 * the sequence, the publisher fails: sending on could lose or repeat records.
 *
 * <p><b>Threads.</b> Safe for use by several threads; made for one, as several wait for each other.
 * Whoever has the <em>turn</em> owns all the batches: a thread between claim and commit, or the I/O
 * thread that an answer has come to. Who finds it taken leaves a mark, and the owner looks again
 * before he gives it back; so no thread ever waits for an I/O thread's work, nor the reverse.
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

  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int TAKEN_AND_MARKED = 2;

  private static final int SPINS_BEFORE_YIELD = 100;

  private static final VarHandle TURN = turn();

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final PublisherOptions options;
  private final int recordBytesMax;
  private final int batchesMax;
  private final ProduceConnector connector;
  private final ProduceLink.Events linkEvents = new LinkEvents();

  /** An attempt to connect is under way or due; there is one at most. */
  private final AtomicBoolean connecting = new AtomicBoolean(true);

  @SuppressWarnings("unused") // through TURN
  private volatile int turn;

  // Owned by whoever has the turn.
  private final ArrayDeque<OutgoingBatch> spare = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sent = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sealed = new ArrayDeque<>();
  private @Nullable OutgoingBatch current;
  private @Nullable ProduceLink link;
  private int batchCount;
  private int nextSequence;
  private long nextToken;

  private volatile ProduceConnector.@Nullable Resumption resumption;
  private volatile @Nullable IpcException failure;
  private volatile boolean closed;

  /** No further record is taken. Written by whoever has the turn. */
  private boolean closing;

  /** The records whose outcome is known, without a gap: acknowledged or dropped. */
  private volatile long settledCount;

  private volatile long lastAppendedOffset = -1;
  private final AtomicLong droppedCount = new AtomicLong();

  private final Object progress = new Object();
  private volatile int progressWaiters;

  private IpcPublisher(IpcClient client, String topic, int partition, PublisherOptions options) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.options = options;
    this.recordBytesMax = OutgoingBatch.recordBytesMax(options.batchBytesMax());
    this.batchesMax =
        (int) Math.min(Integer.MAX_VALUE, options.bufferedBytesMax() / options.batchBytesMax());
    this.connector = new ProduceConnector(client, topic, partition, options.acknowledgement());
  }

  static IpcPublisher open(IpcClient client, String topic, int partition, PublisherOptions options)
      throws IOException {
    IpcPublisher publisher = new IpcPublisher(client, topic, partition, options);
    publisher.connectFirst();
    return publisher;
  }

  private static VarHandle turn() {
    try {
      return MethodHandles.lookup().findVarHandle(IpcPublisher.class, "turn", int.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the field is there", e);
    }
  }

  /**
   * Publishes a record.
   *
   * @param key from position to limit, which stay as they are, or null; copied
   * @param value from position to limit, which stay as they are, or null; copied
   * @return the record's token, 0 or more, or one of the negative constants
   */
  public long offer(@Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    int keyLength = key == null ? -1 : key.remaining();
    int valueLength = value == null ? -1 : value.remaining();
    long token = begin(keyLength, valueLength);
    if (token < 0) {
      return token;
    }
    OutgoingBatch batch = claimed();
    ByteBuffer target = batch.buffer();
    if (key != null) {
      target.put(batch.keyPosition(), key, key.position(), keyLength);
    }
    if (value != null) {
      target.put(batch.valuePosition(), value, value.position(), valueLength);
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
    long token = begin(-1, length);
    if (token < 0) {
      return token;
    }
    OutgoingBatch batch = claimed();
    batch.buffer().put(batch.valuePosition(), value, offset, length);
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
   */
  public long tryClaim(int keyLength, int valueLength, RecordClaim claim) {
    if (!OutgoingBatch.isLength(keyLength) || !OutgoingBatch.isLength(valueLength)) {
      throw new IllegalArgumentException(
          "lengths are %d and %d, expected -1 or more".formatted(keyLength, valueLength));
    }
    long token = begin(keyLength, valueLength);
    if (token >= 0) {
      claim.wrap(this, claimed(), keyLength, valueLength);
    }
    return token;
  }

  /** Takes the turn and lays a record out; where it returns a token, the turn is kept. */
  private long begin(int keyLength, int valueLength) {
    if (failure != null) {
      return FAILED;
    }
    if (closed) {
      return CLOSED;
    }
    if ((long) Math.max(keyLength, 0) + Math.max(valueLength, 0) > recordBytesMax) {
      return TOO_LARGE;
    }
    long nowMs = client.options().clock().millis();
    takeTurn();
    if (closing) {
      giveTurnBack();
      return CLOSED;
    }
    OutgoingBatch batch = current;
    if (batch != null && batch.claim(nowMs, keyLength, valueLength)) {
      return batch.nextToken();
    }
    long result = beginInNewBatch(nowMs, keyLength, valueLength);
    if (result < 0) {
      giveTurnBack();
    }
    return result;
  }

  private long beginInNewBatch(long nowMs, int keyLength, int valueLength) {
    OutgoingBatch full = current;
    if (full != null && full.isEmpty()) {
      return TOO_LARGE;
    }
    if (full != null) {
      seal(full);
      work();
    }
    OutgoingBatch fresh = takeSpare();
    if (fresh == null) {
      work();
      fresh = takeSpare();
    }
    if (fresh == null) {
      return link == null ? NOT_CONNECTED : BACK_PRESSURED;
    }
    fresh.begin(nextToken);
    current = fresh;
    return fresh.claim(nowMs, keyLength, valueLength) ? fresh.nextToken() : TOO_LARGE;
  }

  private @Nullable OutgoingBatch takeSpare() {
    // Not the first, which a transport may still hold; one that no transport holds any more.
    for (int i = spare.size(); i > 0; i--) {
      OutgoingBatch batch = spare.remove();
      if (!batch.isLent()) {
        return batch;
      }
      spare.add(batch);
    }
    if (batchCount < batchesMax) {
      batchCount++;
      return new OutgoingBatch(options.batchBytesMax());
    }
    return null;
  }

  private OutgoingBatch claimed() {
    OutgoingBatch batch = current;
    if (batch == null) {
      throw new IllegalStateException("nothing is claimed");
    }
    return batch;
  }

  void commitClaim() {
    claimed().commit();
    ProduceLink target = link;
    if (target != null && sent.size() - answeredInSent() < options.requestsInFlightMax()) {
      work();
    }
    giveTurnBack();
  }

  void abortClaim() {
    giveTurnBack();
  }

  private int answeredInSent() {
    OutgoingBatch head = sent.peek();
    return head != null && head.isDone() ? 1 : 0;
  }

  private void seal(OutgoingBatch batch) {
    ClusterLookup.ProducerIdentity identity = connector.producer();
    if (options.acknowledgement().isIdempotent() && identity != null) {
      batch.seal(identity.id(), identity.epoch(), nextSequence);
      nextSequence = RecordBatch.incrementSequence(nextSequence, batch.recordCount());
    } else {
      batch.seal(
          RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);
    }
    nextToken = batch.nextToken();
    sealed.add(batch);
    current = null;
  }

  /** Does what can be done now: takes answers in, and sends. Of whoever has the turn. */
  private void work() {
    try {
      sendWhatMayGo();
    } catch (RuntimeException e) {
      // The turn goes on to others, who see that the publisher has failed.
      fail(new IpcException(this + ": " + e, e), link);
    }
  }

  private void sendWhatMayGo() {
    recycle();
    leaveEnded();
    ProduceConnector.Resumption fresh = resumption;
    if (fresh != null) {
      resumption = null;
      if (!fresh.link().hasEnded()) {
        link = fresh.link();
        sendAgain(fresh.lastSequence());
      }
    }
    ProduceLink target = link;
    if (target == null) {
      return;
    }
    boolean any = false;
    while (mayBeSent()) {
      OutgoingBatch next = sealed.remove();
      sent.add(next);
      target.send(next);
      any = true;
    }
    if (any) {
      target.flush();
    }
  }

  /**
   * Whether a sealed batch is to be sent now; seals the open one where it is its turn. Sealed ones
   * are full, or go again: nothing is gained by holding them back.
   */
  private boolean mayBeSent() {
    OutgoingBatch open = current;
    if (sealed.isEmpty()
        && open != null
        && !open.isEmpty()
        && sent.size() < options.requestsInFlightMax()) {
      seal(open);
    }
    return !sealed.isEmpty() && sent.size() < PublisherOptions.REQUESTS_IN_FLIGHT_MAX;
  }

  /**
   * Gives up a link that has ended. Its last answer was taken by then, as end and answers come from
   * one I/O thread; only a publisher that is at its end anyway ends a link from another.
   */
  private void leaveEnded() {
    ProduceLink open = link;
    if (open == null || !open.hasEnded() || closed || failure != null) {
      return;
    }
    link = null;
    if (!options.acknowledgement().isIdempotent()) {
      recycle();
      for (OutgoingBatch lost = sent.poll(); lost != null; lost = sent.poll()) {
        drop(lost);
        spare.add(lost);
      }
    }
  }

  private void recycle() {
    for (OutgoingBatch head = sent.peek(); head != null && head.isDone(); head = sent.peek()) {
      spare.add(sent.remove());
    }
  }

  /**
   * Puts what was sent on a connection that has ended back in front of the rest. What the leader
   * has is not sent again, but for the last batch of it: that the broker knows as a repetition, and
   * answers when the promise holds for it, and so for all before it. Sending those, too, would not
   * do: after a restart the leader remembers the last batch of a producer only, so that it would
   * take an earlier one for a gap.
   */
  private void sendAgain(int lastSequence) {
    recycle();
    for (OutgoingBatch last = sent.pollLast(); last != null; last = sent.pollLast()) {
      last.answersFor(List.of());
      sealed.addFirst(last);
    }
    List<OutgoingBatch> covered = new ArrayList<>(PublisherOptions.REQUESTS_IN_FLIGHT_MAX);
    for (OutgoingBatch batch : sealed) {
      if (!batch.isCoveredBy(lastSequence)) {
        break;
      }
      covered.add(batch);
    }
    for (int i = 0; i < covered.size() - 1; i++) {
      sent.add(sealed.remove());
    }
    if (!covered.isEmpty()) {
      OutgoingBatch repeated = covered.remove(covered.size() - 1);
      repeated.answersFor(covered);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // the owner may need this core
  private void takeTurn() {
    int spins = 0;
    while (!TURN.compareAndSet(this, FREE, TAKEN)) {
      if (++spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private void giveTurnBack() {
    while (!TURN.compareAndSet(this, TAKEN, FREE)) {
      TURN.setVolatile(this, TAKEN); // before the look, so that a later mark is not lost
      work();
    }
  }

  /** Has somebody look at what has changed: this thread, or the one that has the turn. */
  private void lookAgain() {
    while (true) {
      if (TURN.compareAndSet(this, FREE, TAKEN)) {
        work();
        giveTurnBack();
        return;
      }
      if (TURN.compareAndSet(this, TAKEN, TAKEN_AND_MARKED)
          || (int) TURN.getVolatile(this) == TAKEN_AND_MARKED) {
        return;
      }
    }
  }

  // ---- what the I/O thread tells

  private final class LinkEvents implements ProduceLink.Events {

    @Override
    public void onAnswer(
        ProduceLink source,
        OutgoingBatch batch,
        ProduceResponse.PartitionProduceResponse response) {
      ErrorCode error = ErrorCode.forCode(response.errorCode());
      if (error == ErrorCode.NONE || error == ErrorCode.DUPLICATE_SEQUENCE_NUMBER) {
        acknowledge(batch, error == ErrorCode.NONE ? response.baseOffset() : -1);
        lookAgain();
      } else if (!options.acknowledgement().isIdempotent() && !error.isRetriable()) {
        drop(batch);
        lookAgain();
      } else if (error.isRetriable()) {
        // What follows on this connection has a gap before it; all of it goes again, in order.
        source.close();
      } else {
        fail(refused(error, batch, response.errorMessage()), source);
      }
    }

    @Override
    public void onEnd(ProduceLink source, @Nullable Throwable cause) {
      if (!closed && failure == null) {
        lookAgain();
        reconnectSoon();
      }
    }
  }

  private void acknowledge(OutgoingBatch batch, long baseOffset) {
    for (OutgoingBatch earlier : batch.answeredBefore()) {
      finish(earlier, -1);
    }
    finish(batch, baseOffset);
  }

  private void finish(OutgoingBatch batch, long baseOffset) {
    long firstToken = batch.firstToken();
    int count = batch.recordCount();
    if (baseOffset >= 0) {
      lastAppendedOffset = baseOffset + count - 1;
    }
    settledCount = firstToken + count;
    batch.finish();
    options.listener().onAppended(firstToken, count, baseOffset);
    wakeWaiters();
  }

  /** Waits for a batch no more. */
  private void drop(OutgoingBatch batch) {
    droppedCount.addAndGet(batch.recordCount());
    settledCount = batch.nextToken();
    batch.finish();
    wakeWaiters();
  }

  private IpcException refused(ErrorCode error, OutgoingBatch batch, @Nullable String message) {
    String consequence =
        switch (error) {
          case OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID ->
              "; the broker does not have the batches before it, so that records may be lost:"
                  + " compare what is in the log and publish the rest with a new publisher";
          case INVALID_PRODUCER_EPOCH, PRODUCER_FENCED ->
              "; another producer has taken over this one's identity";
          default -> "";
        };
    return new IpcException(
        "%s-%d refused a batch of %d records from token %d on, sequence %d: %s (%s)%s%s"
            .formatted(
                topic,
                partition,
                batch.recordCount(),
                batch.firstToken(),
                batch.baseSequence(),
                error.text(),
                error,
                message == null ? "" : ": " + message,
                consequence),
        null);
  }

  private void fail(IpcException cause, @Nullable ProduceLink source) {
    failure = cause;
    if (source != null) {
      source.close();
    }
    wakeWaiters();
  }

  // ---- connecting

  private void connectFirst() throws IOException {
    CompletableFuture<ProduceConnector.Resumption> coming = connector.connect(linkEvents);
    try {
      goOn(client.lookup().await(coming));
    } catch (IOException e) {
      closed = true;
      coming.thenAccept(late -> late.link().close());
      throw e;
    }
  }

  /** Takes a connection into use. */
  private void goOn(ProduceConnector.Resumption fresh) {
    connecting.set(false);
    resumption = fresh;
    lookAgain();
    if (closed) {
      fresh.link().close(); // who closed may have looked before it was there
    } else if (fresh.link().hasEnded()) {
      reconnectSoon(); // it may have ended before it was taken for the one in use
    }
  }

  private void reconnectSoon() {
    if (connecting.compareAndSet(false, true)) {
      scheduleReconnect();
    }
  }

  private void scheduleReconnect() {
    try {
      client
          .conductor()
          .schedule(
              this::reconnect,
              client.options().reconnectBackoff().toNanos(),
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      fail(new IpcException("the client of " + this + " is closed", e), null);
    }
  }

  private void reconnect() {
    if (closed || failure != null) {
      return;
    }
    connector
        .connect(linkEvents)
        .whenComplete(
            (fresh, cause) -> {
              if (cause == null) {
                goOn(fresh);
              } else {
                scheduleReconnect(); // as long as it takes: the caller may close
              }
            });
  }

  // ---- completion

  /**
   * The number of records that nothing more is waited for: all tokens below are acknowledged. With
   * {@link Acknowledgement#FIRE_AND_FORGET} some of them may have been dropped instead, see {@link
   * #droppedCount()}.
   */
  public long acknowledgedCount() {
    return settledCount;
  }

  /** The offset of the last record that was acknowledged, -1 where there is none yet. */
  public long lastAppendedOffset() {
    return lastAppendedOffset;
  }

  /**
   * The number of records that were refused, or lost their answer with a connection, so that nobody
   * knows whether they have arrived; 0 but for {@link Acknowledgement#FIRE_AND_FORGET}.
   */
  public long droppedCount() {
    return droppedCount.get();
  }

  /** Why the publisher can't go on; null where it can. */
  public @Nullable IpcException failure() {
    return failure;
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
   * @throws IpcException where the publisher has failed before
   * @throws InterruptedException where the thread is interrupted
   */
  public boolean awaitAppended(long token, Duration timeout)
      throws IpcException, InterruptedException {
    if (settledCount > token) {
      return true;
    }
    long startNs = client.options().nanoClock().getAsLong();
    synchronized (progress) {
      progressWaiters++;
      try {
        while (settledCount <= token) {
          IpcException cause = failure;
          if (cause != null) {
            throw new IpcException(String.valueOf(cause.getMessage()), cause);
          }
          long leftNs = timeout.toNanos() - (client.options().nanoClock().getAsLong() - startNs);
          if (leftNs <= 0) {
            return false;
          }
          TimeUnit.NANOSECONDS.timedWait(progress, leftNs);
        }
        return true;
      } finally {
        progressWaiters--;
      }
    }
  }

  private void wakeWaiters() {
    if (progressWaiters > 0) {
      synchronized (progress) {
        progress.notifyAll();
      }
    }
  }

  /**
   * Waits until all records are acknowledged, or with {@link Acknowledgement#FIRE_AND_FORGET}
   * dropped, for the client's time-out at most, then ends the connection. Records that were not
   * sent yet are waited for, too. Closing again does nothing.
   *
   * @throws IpcException where records were not acknowledged in time, or the publisher has failed
   */
  @Override
  public void close() throws IpcException {
    if (closed) {
      return;
    }
    takeTurn();
    closing = true;
    OutgoingBatch open = current;
    long last = (open == null ? nextToken : open.nextToken()) - 1;
    closed = failure != null;
    giveTurnBack();
    try {
      if (last >= 0 && !awaitAppended(last, client.options().timeout())) {
        throw new IpcException(
            "%d records of %s were not acknowledged within %s"
                .formatted(last + 1 - settledCount, this, client.options().timeout()),
            null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IpcException("interrupted while " + this + " was closed", e);
    } finally {
      end();
    }
  }

  private void end() {
    closed = true;
    takeTurn();
    ProduceLink open = link;
    giveTurnBack();
    if (open != null) {
      open.close();
    }
  }

  @Override
  public String toString() {
    return "publisher of %s-%d".formatted(topic, partition);
  }
}
