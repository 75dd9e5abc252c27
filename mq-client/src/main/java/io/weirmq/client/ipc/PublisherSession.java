package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ProduceResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings a publisher's batches to the leader: sends, takes answers, and connects again.
 *
 * <pre>
 *   connected --end of the link--&gt; away --backoff--&gt; connecting --+
 *       ^                           ^                   | fails    | link, last sequence
 *       |                           +-------------------+          |
 *       +---------------- what was not answered goes again --------+
 * </pre>
 *
 * <p>{@link #work} and what it uses belong to whoever has the turn; answers and ends come from the
 * I/O thread of the link, connections from any.
 */
final class PublisherSession implements ProduceLink.Events {

  private final IpcClient client;
  private final String topicPartition;
  private final Acknowledgement acknowledgement;
  private final int requestsInFlightMax;
  private final Turn turn = new Turn();
  private final PublisherBatches batches;
  private final AppendProgress progress;
  private final ProduceConnector connector;
  private final ConnectFailures connectFailures;

  /** An attempt to connect is under way or due; there is one at most. */
  private final AtomicBoolean connecting = new AtomicBoolean(true);

  private volatile ProduceConnector.@Nullable Resumption resumption;
  private volatile boolean closed;

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
    this.connectFailures = new ConnectFailures("publisher of " + topicPartition);
  }

  /** Connects for the first time; blocks. */
  void open() throws IOException {
    CompletableFuture<ProduceConnector.Resumption> coming = connector.connect(this);
    try {
      goOn(client.lookup().await(coming));
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
    if (link != null && batches.unansweredCount() < requestsInFlightMax) {
      work();
    }
  }

  /** Ends the current batch. */
  void seal() {
    try {
      batches.seal(connector.producer());
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
    batches.recycle();
    leaveEnded();
    ProduceConnector.Resumption fresh = resumption;
    if (fresh != null) {
      resumption = null;
      if (!fresh.link().hasEnded()) {
        link = fresh.link();
        batches.putBack(fresh.lastSequence());
      }
    }
    ProduceLink target = link;
    if (target == null) {
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

  /**
   * Whether a sealed batch is to be sent now; seals the open one where it is its turn. Sealed ones
   * are full, or go again: nothing is gained by holding them back.
   */
  private boolean mayBeSent() {
    OutgoingBatch open = batches.current();
    if (!batches.hasSealed()
        && open != null
        && !open.isEmpty()
        && batches.sentCount() < requestsInFlightMax) {
      seal();
    }
    return batches.hasSealed() && batches.sentCount() < PublisherOptions.REQUESTS_IN_FLIGHT_MAX;
  }

  /**
   * Gives up a link that has ended. Its last answer was taken by then, as end and answers come from
   * one I/O thread; only a publisher that is at its end anyway ends a link from another.
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
    ErrorCode error = ErrorCode.forCode(response.errorCode());
    if (error == ErrorCode.NONE || error == ErrorCode.DUPLICATE_SEQUENCE_NUMBER) {
      progress.acknowledge(batch, error == ErrorCode.NONE ? response.baseOffset() : -1);
      lookAgain();
    } else if (!acknowledgement.isIdempotent() && !error.isRetriable()) {
      progress.drop(batch);
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
    if (!isOver()) {
      lookAgain();
      reconnectSoon();
    }
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
        "%s refused a batch of %d records from token %d on, sequence %d: %s (%s)%s%s"
            .formatted(
                topicPartition,
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
    progress.fail(cause);
    if (source != null) {
      source.close();
    }
  }

  // ---- connecting

  /** Takes a connection into use. */
  private void goOn(ProduceConnector.Resumption fresh) {
    connectFailures.clear();
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
              this::reconnect, client.options().reconnectBackoff().toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      fail(new IpcException("the client of " + this + " is closed", e), null);
    }
  }

  private void reconnect() {
    if (isOver()) {
      return;
    }
    connector
        .connect(this)
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

  /** Why the last attempt to connect again has failed; null where it has not. */
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
  }

  @Override
  public String toString() {
    return "publisher of " + topicPartition;
  }
}
