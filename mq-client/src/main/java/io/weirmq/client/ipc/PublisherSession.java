package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a publisher's batches to the leader: sends, takes answers, and connects again.
 *
 * <pre>
 *   connected --end of the link--&gt; away --backoff--&gt; connecting --+
 *       ^                           ^                   | fails    | link, last sequence
 *       |                           +-------------------+          |
 *       +---------------- what was not answered goes again --------+
 *
 *   connected --refused for now--&gt; draining --all answered, backoff--&gt; connected
 *                                            what was refused, and all behind it, goes again
 * </pre>
 *
 * <p>A broker that knows nothing of a producer takes a batch of any sequence, also one behind a
 * batch that it has refused. Therefore only one batch is under way until the leader is known to
 * know this producer: because it has acknowledged a batch not long ago, or has told its last
 * sequence. And a batch that was refused before it was written goes alone until it is answered:
 * only that proves that the log has it, and a leader that comes back answers its last batch only.
 *
 * <p>{@link #work} and what it uses belong to whoever has the turn; answers and ends come from the
 * I/O thread of the link, connections from any.
 */
final class PublisherSession implements ProduceLink.Events {

  private static final Logger LOG = LoggerFactory.getLogger(PublisherSession.class);

  private final IpcClient client;
  private final String topicPartition;
  private final Acknowledgement acknowledgement;
  private final int requestsInFlightMax;
  private final Turn turn = new Turn();
  private final PublisherBatches batches;
  private final AppendProgress progress;
  private final ProduceConnector connector;
  private final LeaderMemory memory;
  private final ConnectFailures connectFailures;
  private final Backoff backoff;

  /** An attempt to connect is under way or due; there is one at most. */
  private final AtomicBoolean connecting = new AtomicBoolean(true);

  private volatile ProduceConnector.@Nullable Resumption resumption;

  /**
   * The link that was made last: in use, or to be taken into use by whoever has the turn next. Only
   * one that has ended is replaced.
   */
  private volatile @Nullable ProduceLink newest;

  private volatile boolean closed;
  private volatile boolean local;

  /** Changed by whoever has the turn, where a connection is taken into use. */
  private volatile @Nullable ProducerIdentity producer;

  /** The link on which a batch was refused for now, until it goes again; null where none was. */
  private volatile @Nullable ProduceLink refusedOn;

  /** The pause after that is over. */
  private volatile boolean againDue;

  /** Owned by whoever has the turn. */
  private @Nullable ProduceLink link;

  PublisherSession(
      IpcClient client,
      String topic,
      int partition,
      PublisherOptions options,
      PublisherBatches batches,
      AppendProgress progress) {
    this.client = client;
    this.topicPartition = topic + "-" + partition;
    this.acknowledgement = options.acknowledgement();
    this.requestsInFlightMax = options.requestsInFlightMax();
    this.batches = batches;
    this.progress = progress;
    this.connector = new ProduceConnector(client, topic, partition, acknowledgement);
    this.memory = new LeaderMemory(client.options().nanoClock());
    this.connectFailures = new ConnectFailures("publisher of " + topicPartition);
    this.backoff = new Backoff(client.options().reconnectBackoff());
  }

  /** Connects for the first time; blocks. */
  void open() throws IOException {
    CompletableFuture<ProduceConnector.Resumption> coming = connector.connect(this, null);
    try {
      goOn(client.calls().await(coming));
    } catch (IOException e) {
      closed = true;
      coming.thenAccept(late -> late.link().close());
      throw e;
    }
  }

  // ---- of whoever has the turn

  void takeTurn() {
    turn.take();
  }

  /** Whether the calling thread has the turn. */
  boolean hasTurn() {
    return turn.isMine();
  }

  void giveTurnBack() {
    while (!turn.giveBack()) {
      try {
        work();
      } catch (Error e) {
        giveTurnBack();
        throw e;
      }
    }
  }

  boolean isConnected() {
    return link != null;
  }

  /** Sends the record that was committed, unless it has to wait for an answer. */
  void committed() {
    int unanswered = batches.unansweredCount();
    if (link != null && (unanswered == 0 || (unanswered < requestsInFlightMax && mayPipeline()))) {
      work();
    }
  }

  /** Ends the current batch. */
  void seal() {
    try {
      batches.seal(producer);
    } catch (RuntimeException | Error e) {
      failAt(e);
      throw e;
    }
  }

  /**
   * Does what can be done now: takes answers in, and sends. What goes wrong fails the publisher, as
   * nobody knows what has left; an {@link Error} comes through, too.
   */
  void work() {
    try {
      sendWhatMayGo();
    } catch (RuntimeException e) {
      failAt(e);
    } catch (Error e) {
      failAt(e);
      throw e;
    }
  }

  /** The turn goes on to others, who see that the publisher has failed. */
  private void failAt(Throwable cause) {
    fail(new IpcException(this + ": " + cause, cause), link);
  }

  private void sendWhatMayGo() {
    if (isOver()) {
      return;
    }
    batches.recycle();
    leaveEnded();
    ProduceConnector.Resumption fresh = resumption;
    if (fresh != null) {
      resumption = null;
      if (!fresh.link().hasEnded()) {
        takeOver(fresh);
      }
    }
    ProduceLink target = link;
    if (target == null || !maySendOn(target)) {
      return;
    }
    boolean any = false;
    while (mayBeSent()) {
      target.send(batches.moveToSent());
      any = true;
    }
    if (any) {
      target.flush();
    }
  }

  private void takeOver(ProduceConnector.Resumption fresh) {
    refusedOn = null;
    againDue = false;
    boolean known = fresh.lastSequence() != RecordBatch.NO_SEQUENCE;
    if (!Objects.equals(fresh.producer(), producer)) {
      producer = fresh.producer();
      memory.beginAnew();
      batches.renumber(producer);
    } else if (acknowledgement.isIdempotent() && memory.hasAcknowledged() && !known) {
      leaveIdentity(fresh.link());
      return;
    }
    link = fresh.link();
    batches.putBack(fresh.lastSequence());
    if (known) {
      memory.told(fresh.link());
    }
  }

  /**
   * Goes on under another identity, where the leader knows the present one no more: it was idle for
   * long, or the log is another one now. What was sent must keep its identity, as it may be in a
   * log all the same.
   */
  private void leaveIdentity(ProduceLink unused) {
    if (batches.isInDoubt()) {
      fail(
          new IpcException(
              ("the leader of %s has acknowledged batches of this producer (%s), and knows nothing"
                      + " of it now; expected is the last sequence that it has. Records from token"
                      + " %d on may be lost: compare what is in the log and publish the rest with"
                      + " a new publisher")
                  .formatted(topicPartition, producer, progress.settledCount()),
              null),
          unused);
      return;
    }
    LOG.info("{} takes a new producer id: the leader knows {} no more", this, producer);
    producer = null;
    unused.close(); // the next one comes with another identity
  }

  /** Whether batches may go; after a refusal once all answers and the end of a pause are there. */
  private boolean maySendOn(ProduceLink target) {
    if (refusedOn == null) {
      return true;
    }
    if (!againDue || !batches.isAnswered() || target.hasEnded()) {
      return false;
    }
    batches.sendAgain();
    againDue = false;
    refusedOn = null; // no answer is on its way that would have to be told apart
    return true;
  }

  /** Whether one more batch may be under way beside those that are. */
  private boolean mayGo(int max) {
    return batches.isNoneInFlight() || (batches.sentCount() < max && mayPipeline());
  }

  private boolean mayPipeline() {
    return !acknowledgement.isIdempotent()
        || (!batches.isRefusedOneNext() && memory.isSureOf(link));
  }

  /**
   * Whether a sealed batch is to be sent now; seals the open one where it is its turn. Sealed ones
   * are full, or go again: nothing is gained by holding them back.
   */
  private boolean mayBeSent() {
    OutgoingBatch open = batches.current();
    if (!batches.hasSealed() && open != null && !open.isEmpty() && mayGo(requestsInFlightMax)) {
      seal();
    }
    return batches.hasSealed() && mayGo(PublisherOptions.REQUESTS_IN_FLIGHT_MAX);
  }

  /**
   * Gives up a link that has ended. Its last answer was taken by then, as end and answers come from
   * one I/O thread; only a publisher that is at its end anyway ends a link in use from another.
   */
  private void leaveEnded() {
    ProduceLink open = link;
    if (open == null || !open.hasEnded() || isOver()) {
      return;
    }
    link = null;
    if (!acknowledgement.isIdempotent()) {
      batches.loseSent(progress::drop);
    }
  }

  private boolean isOver() {
    return closed || progress.failure() != null;
  }

  /** Has somebody look at what has changed: this thread, or the one that has the turn. */
  private void lookAgain() {
    if (turn.takeOrMark()) {
      try {
        work();
      } finally {
        giveTurnBack();
      }
    }
  }

  // ---- what the I/O thread tells

  @Override
  public void onAnswer(
      ProduceLink source, OutgoingBatch batch, ProduceResponse.PartitionProduceResponse response) {
    if (source != newest || isOver()) {
      return; // nothing is settled any more, or its batches may be under way on another link
    }
    ErrorCode error = ErrorCode.forCode(response.errorCode());
    boolean accepted = error == ErrorCode.NONE || error == ErrorCode.DUPLICATE_SEQUENCE_NUMBER;
    boolean behindRefused = refusedOn == source;
    if (accepted && !behindRefused) {
      onProgress(source);
      progress.acknowledge(batch, error == ErrorCode.NONE ? response.baseOffset() : -1);
    } else if (!acknowledgement.isIdempotent()) {
      connectFailures.addLoss(
          ProduceRefusals.ofDropped(topicPartition, error, response.errorMessage()),
          batch.recordCount());
      progress.drop(batch);
    } else if (behindRefused) {
      batch.expectNoAnswer(); // whatever it was: it goes again behind the other, and is told anew
    } else if (error.isRetriable()) {
      connectFailures.addRefusal(
          ProduceRefusals.forNow(topicPartition, error, response.errorMessage()));
      holdUp(source, batch, error);
    } else {
      fail(ProduceRefusals.forGood(topicPartition, error, batch, response.errorMessage()), source);
      return;
    }
    if (ProduceRefusals.isOfLeadership(error)) {
      source.close();
      return;
    }
    lookAgain();
  }

  private void onProgress(ProduceLink source) {
    memory.acknowledged(source);
    backoff.reset();
    if (connectFailures.last() != null) {
      connectFailures.clear();
    }
  }

  /** Lets a batch that was refused for now, and all that follow it on this link, go again. */
  private void holdUp(ProduceLink source, OutgoingBatch batch, ErrorCode error) {
    memory.doubt();
    againDue = false;
    refusedOn = source; // before the batch counts as answered
    if (!ProduceRefusals.mayBeAppendedDespite(error)) {
      batch.refuseBeforeAppend();
    }
    batch.expectNoAnswer();
    if (!ProduceRefusals.isOfLeadership(error)) {
      schedule(() -> goAgain(source), backoff.nextNs());
    }
  }

  private void goAgain(ProduceLink source) {
    if (refusedOn == source) {
      againDue = true;
      lookAgain();
    }
  }

  @Override
  public void onEnd(ProduceLink source, @Nullable Throwable cause) {
    if (!isOver()) {
      lookAgain();
      reconnectSoon();
    }
  }

  private void fail(IpcException cause, @Nullable ProduceLink source) {
    progress.fail(cause);
    if (source != null) {
      source.close();
    }
  }

  // ---- connecting

  /** Takes a connection into use. */
  private void goOn(ProduceConnector.Resumption fresh) {
    connectFailures.connected();
    if (connectFailures.last() == null) {
      backoff.reset(); // else the leader has refused what goes again now, and may do so again
    }
    local = fresh.link().isLocal();
    resumption = fresh;
    newest = fresh.link();
    connecting.set(false); // from now on an end is a reason to connect
    lookAgain();
    if (isOver()) {
      fresh.link().close(); // who ended it may have looked before it was there
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
    schedule(this::reconnect, backoff.nextNs());
  }

  private void schedule(Runnable task, long delayNs) {
    try {
      client.conductor().schedule(task, delayNs, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      fail(new IpcException("the client of " + this + " is closed", e), null);
    }
  }

  private void reconnect() {
    if (isOver()) {
      return;
    }
    ProduceLink last = newest;
    if (last != null && !last.hasEnded()) {
      // A thread was held up between the end of an earlier link and this, and another has
      // connected.
      connecting.set(false);
      if (last.hasEnded()) {
        reconnectSoon(); // whoever told its end may have found an attempt due
      }
      return;
    }
    connector
        .connect(this, producer)
        .whenComplete(
            (fresh, cause) -> {
              if (cause == null) {
                goOn(fresh);
              } else {
                connectFailures.add(cause);
                scheduleReconnect(); // as long as it takes: the caller may close
              }
            });
  }

  /** Whether the last connection went through shared memory. */
  boolean isLocal() {
    return local;
  }

  /** Why it does not go on yet; null where it does. */
  @Nullable IOException connectFailure() {
    return connectFailures.last();
  }

  /** Ends it; records that are not acknowledged yet may be lost. */
  void close() {
    closed = true;
    turn.take();
    ProduceLink open = link;
    giveTurnBack();
    if (open != null) {
      open.close();
    }
    progress.end(new IpcException(this + " was closed", null));
  }

  @Override
  public String toString() {
    return "publisher of " + topicPartition;
  }
}
