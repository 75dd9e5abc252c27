package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader of a partition where records are, one request at a time. Where the broker grants
 * no direct reading (another host or user, another broker), it fetches the records themselves.
 *
 * <p>What fails is tried again for as long as it takes, see {@link LeaderChannel}. The connection
 * is kept where the leader refuses for now what no other would do better.
 *
 * <p>Confined to the subscriber's thread; answers come from others through futures.
 */
final class LogRequests implements AutoCloseable {

  /** Topics by name. */
  private static final short FETCH_VERSION = 11;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final boolean readCommitted;
  private final LeaderChannel leader;

  /** Why the leader has not answered well; connecting again does not make up for it. */
  private final ConnectFailures answerFailures;

  private @Nullable CompletableFuture<? extends Reply<?>> pending;
  private long pendingOffset;
  private boolean pendingWaits;
  private UUID topicId = new UUID(0, 0);

  LogRequests(IpcClient client, String topic, int partition, boolean readCommitted) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.readCommitted = readCommitted;
    String name = "subscriber of " + topic + "-" + partition;
    this.leader = new LeaderChannel(client, topic, partition, name);
    this.answerFailures = new ConnectFailures(name);
  }

  /**
   * What the leader says.
   *
   * @param offset the offset that was asked for
   * @param facts error, offsets, file range, aborted transactions
   * @param records what was fetched instead of granted; empty where it was granted
   * @param edge the offset of the edge that was asked for; {@link #NO_EDGE} where records were
   * @param reply owns the records; to be closed
   */
  record Answer(
      long offset, DirectReadResponse facts, ByteBuffer records, long edge, Reply<?> reply)
      implements AutoCloseable {

    /** Is no offset. */
    static final long NO_EDGE = Long.MIN_VALUE;

    ErrorCode error() {
      return ErrorCode.forCode(facts.errorCode());
    }

    @Override
    public void close() {
      reply.close();
    }
  }

  /** Takes a first channel to the leader. */
  void use(RequestChannel opened) {
    leader.use(opened);
  }

  /** Whether the leader lets us read its files. */
  boolean isDirect() {
    return leader.grantsFiles();
  }

  /** Lets records be fetched until the next connection, as the files can't be found. */
  void fetchFromNowOn() {
    leader.forgoFiles();
  }

  /** Remembers which topic of that name is read. */
  void pin(UUID id) {
    topicId = id;
  }

  /** Whether a connection is there, as far as was noticed. */
  boolean isConnected() {
    return leader.isOpen();
  }

  /** Why the last attempt to connect or to get an answer has failed; null where it has not. */
  @Nullable IOException failure() {
    IOException failure = leader.failure();
    return failure == null ? answerFailures.last() : failure;
  }

  /** Whether an answer is still to come. */
  boolean isOutstanding() {
    return pending != null;
  }

  /**
   * Asks for records, unless an answer is still to come, there is no connection now, or a pause is
   * not over.
   *
   * @param offset first offset that is wanted
   * @param maxWaitMs how long the leader waits for it; one that has not answered a time-out later
   *     is left
   * @throws IpcException where the client is closed
   */
  void ask(long offset, int maxBytes, int maxWaitMs) throws IpcException {
    RequestChannel open = ready();
    if (open == null) {
      return;
    }
    if (leader.grantsFiles()) {
      DirectReadRequest request = directRead(offset, maxBytes, maxWaitMs);
      expect(
          open.send(ApiKey.DIRECT_READ, (short) 0, request, DirectReadResponse.class),
          offset,
          maxWaitMs);
    } else {
      FetchRequest request = fetch(offset, maxBytes, maxWaitMs);
      expect(
          open.send(ApiKey.FETCH, FETCH_VERSION, request, FetchResponse.class), offset, maxWaitMs);
    }
  }

  /**
   * Asks where the log begins or ends, as {@link #ask} asks for records.
   *
   * @param offset what the answer is known by
   */
  void askEdge(long offset, StartPosition.Edge edge) throws IpcException {
    RequestChannel open = ready();
    if (open != null) {
      ListOffsetsRequest request =
          SubscriberOffsets.edgeRequest(topic, partition, readCommitted, edge);
      expect(
          open.send(
              ApiKey.LIST_OFFSETS,
              SubscriberOffsets.LIST_OFFSETS_VERSION,
              request,
              ListOffsetsResponse.class),
          offset,
          0);
    }
  }

  /** The connection to ask over; null where nothing is to be asked now. */
  private @Nullable RequestChannel ready() throws IpcException {
    return pending == null ? leader.ready() : null;
  }

  private <P extends ApiMessage> void expect(
      CompletionStage<Reply<P>> sent, long offset, int maxWaitMs) {
    pendingOffset = offset;
    pendingWaits = maxWaitMs > 0;
    // What comes later is closed by the channel.
    pending =
        sent.toCompletableFuture()
            .orTimeout(
                Nanos.of(client.options().timeout()) + TimeUnit.MILLISECONDS.toNanos(maxWaitMs),
                TimeUnit.NANOSECONDS);
  }

  private DirectReadRequest directRead(long offset, int maxBytes, int maxWaitMs) {
    boolean byName =
        topicId.getMostSignificantBits() == 0 && topicId.getLeastSignificantBits() == 0;
    return new DirectReadRequest()
        .setTopicId(topicId)
        .setTopic(byName ? topic : "")
        .setPartition(partition)
        .setFetchOffset(offset)
        .setMaxBytes(maxBytes)
        .setMaxWaitMs(maxWaitMs)
        .setIsolationLevel((byte) (readCommitted ? 1 : 0));
  }

  private FetchRequest fetch(long offset, int maxBytes, int maxWaitMs) {
    FetchRequest.FetchPartition wanted =
        new FetchRequest.FetchPartition()
            .setPartition(partition)
            .setFetchOffset(offset)
            .setPartitionMaxBytes(maxBytes);
    return new FetchRequest()
        .setMaxWaitMs(maxWaitMs)
        .setMinBytes(1)
        .setMaxBytes(maxBytes)
        .setIsolationLevel((byte) (readCommitted ? 1 : 0))
        .setTopics(
            List.of(new FetchRequest.FetchTopic().setTopic(topic).setPartitions(List.of(wanted))));
  }

  /** Returns the answer, to be closed, where it is there. */
  @Nullable Answer poll() {
    CompletableFuture<? extends Reply<?>> asked = pending;
    if (asked == null || !asked.isDone()) {
      return null;
    }
    pending = null;
    try {
      Answer answer = answer(asked.get());
      if (!answer.error().isRetriable()) {
        leader.answered();
        answerFailures.clear();
      }
      return answer;
    } catch (ExecutionException | CancellationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      answerFailures.add(
          cause instanceof TimeoutException
              ? new IOException("the leader does not answer", e)
              : cause);
      leader.leave();
      return null;
    } catch (InterruptedException e) {
      throw new IllegalStateException("a future that is done does not wait", e);
    }
  }

  private Answer answer(Reply<?> reply) {
    if (reply.message() instanceof DirectReadResponse response) {
      return new Answer(pendingOffset, response, NOTHING, Answer.NO_EDGE, reply);
    }
    if (reply.message() instanceof ListOffsetsResponse response) {
      var found = response.topics().get(0).partitions().get(0);
      DirectReadResponse error = new DirectReadResponse().setErrorCode(found.errorCode());
      return new Answer(pendingOffset, error, NOTHING, found.offset(), reply);
    }
    FetchResponse response = (FetchResponse) reply.message();
    DirectReadResponse facts = new DirectReadResponse().setErrorCode(response.errorCode());
    ByteBuffer records = NOTHING;
    if (response.errorCode() == ErrorCode.NONE.code()) {
      FetchResponse.PartitionData data = response.responses().get(0).partitions().get(0);
      facts
          .setErrorCode(data.errorCode())
          .setHighWatermark(data.highWatermark())
          .setLastStableOffset(data.lastStableOffset())
          .setLogStartOffset(data.logStartOffset());
      if (data.abortedTransactions() != null) {
        for (FetchResponse.AbortedTransaction each : data.abortedTransactions()) {
          facts
              .abortedTransactions()
              .add(
                  new DirectReadResponse.AbortedTransaction()
                      .setProducerId(each.producerId())
                      .setFirstOffset(each.firstOffset()));
        }
      }
      if (data.records() instanceof RecordsData.Buffers buffers && !buffers.isEmpty()) {
        records = buffers.buffers().get(0);
      }
    }
    return new Answer(pendingOffset, facts, records, Answer.NO_EDGE, reply);
  }

  /**
   * Gives up waiting for a record, as another one is wanted: leaves the connection, on which no
   * other answer comes before this one.
   */
  void stopWaiting() {
    CompletableFuture<? extends Reply<?>> asked = pending;
    if (asked == null || !pendingWaits) {
      return;
    }
    pending = null;
    if (!asked.cancel(false)) {
      asked.thenAccept(Reply::close);
    }
    leader.leave();
  }

  /** Waits until an answer or a connection is there, a pause is over, or the time is. */
  void await(long nanos) throws InterruptedException {
    CompletableFuture<?> awaited = pending != null ? pending : leader.coming();
    if (awaited == null) {
      return;
    }
    try {
      awaited.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException e) {
      return; // whoever polls sees it
    }
  }

  /**
   * Asks again later, where nothing is outstanding: whom the cluster names by then, if the error is
   * about that, else over this connection.
   *
   * @param error a retriable one
   * @param message what the leader has said besides, if anything
   */
  void retry(ErrorCode error, @Nullable String message) {
    answerFailures.add(
        new IOException(
            "%s (%s)%s".formatted(error.text(), error, message == null ? "" : ": " + message)));
    if (ProduceRefusals.isOfLeadership(error)) {
      leader.leave();
    } else {
      leader.pause();
    }
  }

  @Override
  public void close() {
    CompletableFuture<? extends Reply<?>> asked = pending;
    pending = null;
    if (asked != null && !asked.cancel(false)) {
      asked.thenAccept(Reply::close);
    }
    leader.close();
  }
}
