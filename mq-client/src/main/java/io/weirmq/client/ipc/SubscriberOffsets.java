package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.OffsetCommitRequest;
import io.weirmq.protocol.message.OffsetCommitResponse;
import io.weirmq.protocol.message.OffsetFetchRequest;
import io.weirmq.protocol.message.OffsetFetchResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Finds where a subscriber begins, and stores where it is. Blocks; confined to one thread. */
final class SubscriberOffsets {

  // Topics by name, one group a request.
  static final short LIST_OFFSETS_VERSION = 5;
  private static final short OFFSET_FETCH_VERSION = 5;
  private static final short OFFSET_COMMIT_VERSION = 7;

  private static final long LATEST = -1;
  private static final long EARLIEST = -2;
  private static final int NO_GENERATION = -1;
  private static final int ATTEMPTS_MAX = 50;

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final boolean readCommitted;

  SubscriberOffsets(IpcClient client, String topic, int partition, boolean readCommitted) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.readCommitted = readCommitted;
  }

  /**
   * Returns the offset of a start.
   *
   * @param leader a channel to the partition's leader
   */
  long find(RequestChannel leader, StartPosition start) throws IOException {
    if (start instanceof StartPosition.Offset known) {
      return known.offset();
    }
    if (start instanceof StartPosition.Timestamp time) {
      long found = listOffset(leader, time.timestampMs());
      return found >= 0 ? found : listOffset(leader, LATEST);
    }
    if (start instanceof StartPosition.Committed committed) {
      long found = committed(committed.group());
      return found >= 0 ? found : find(leader, committed.otherwise());
    }
    return listOffset(leader, timestampOf((StartPosition.Edge) start));
  }

  private static long timestampOf(StartPosition.Edge edge) {
    return edge == StartPosition.Edge.EARLIEST ? EARLIEST : LATEST;
  }

  /** The question where a log begins or ends; with read committed, at the last stable offset. */
  static ListOffsetsRequest edgeRequest(
      String topic, int partition, boolean readCommitted, StartPosition.Edge edge) {
    return request(topic, partition, readCommitted, timestampOf(edge));
  }

  private static ListOffsetsRequest request(
      String topic, int partition, boolean readCommitted, long timestamp) {
    ListOffsetsRequest.ListOffsetsPartition wanted =
        new ListOffsetsRequest.ListOffsetsPartition()
            .setPartitionIndex(partition)
            .setTimestamp(timestamp);
    return new ListOffsetsRequest()
        .setReplicaId(-1)
        .setIsolationLevel((byte) (readCommitted ? 1 : 0))
        .setTopics(
            List.of(
                new ListOffsetsRequest.ListOffsetsTopic()
                    .setName(topic)
                    .setPartitions(List.of(wanted))));
  }

  private long listOffset(RequestChannel leader, long timestamp) throws IOException {
    ListOffsetsRequest request = request(topic, partition, readCommitted, timestamp);
    try (Reply<ListOffsetsResponse> reply =
        client
            .calls()
            .call(
                leader,
                ApiKey.LIST_OFFSETS,
                LIST_OFFSETS_VERSION,
                request,
                ListOffsetsResponse.class)) {
      var found = reply.message().topics().get(0).partitions().get(0);
      requireNone(found.errorCode(), "offsets");
      return found.offset();
    }
  }

  /** Returns what a group has committed, -1 where it has not. */
  private long committed(String group) throws IOException {
    OffsetFetchRequest request =
        new OffsetFetchRequest()
            .setGroupId(group)
            .setTopics(
                List.of(
                    new OffsetFetchRequest.OffsetFetchRequestTopic()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partition))));
    return atCoordinator(
        group,
        coordinator -> {
          try (Reply<OffsetFetchResponse> reply =
              client
                  .calls()
                  .call(
                      coordinator,
                      ApiKey.OFFSET_FETCH,
                      OFFSET_FETCH_VERSION,
                      request,
                      OffsetFetchResponse.class)) {
            requireNone(reply.message().errorCode(), "group " + group);
            var found = reply.message().topics().get(0).partitions().get(0);
            requireNone(found.errorCode(), "group " + group);
            return found.committedOffset();
          }
        });
  }

  /** Stores an offset for a group without members. */
  void commit(String group, long offset) throws IOException {
    OffsetCommitRequest.OffsetCommitRequestPartition position =
        new OffsetCommitRequest.OffsetCommitRequestPartition()
            .setPartitionIndex(partition)
            .setCommittedOffset(offset)
            .setCommittedMetadata("");
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .setGroupId(group)
            .setGenerationIdOrMemberEpoch(NO_GENERATION)
            .setMemberId("")
            .setTopics(
                List.of(
                    new OffsetCommitRequest.OffsetCommitRequestTopic()
                        .setName(topic)
                        .setPartitions(List.of(position))));
    atCoordinator(
        group,
        coordinator -> {
          try (Reply<OffsetCommitResponse> reply =
              client
                  .calls()
                  .call(
                      coordinator,
                      ApiKey.OFFSET_COMMIT,
                      OFFSET_COMMIT_VERSION,
                      request,
                      OffsetCommitResponse.class)) {
            requireNone(
                reply.message().topics().get(0).partitions().get(0).errorCode(), "group " + group);
            return offset;
          }
        });
  }

  private interface Question {
    long ask(RequestChannel coordinator) throws IOException;
  }

  /** Repeats a question while the coordinator's answer is a temporary one. */
  private long atCoordinator(String group, Question question) throws IOException {
    IOException last = new IOException("never asked");
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      try (RequestChannel coordinator = client.calls().open(client.lookup().coordinator(group))) {
        return question.ask(coordinator);
      } catch (TemporaryException e) {
        last = e;
        pause();
      }
    }
    throw new IpcException(String.valueOf(last.getMessage()), last);
  }

  private void pause() throws IOException {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try {
      client
          .conductor()
          .schedule(
              () -> over.complete(true),
              client.options().reconnectBackoff().toNanos(),
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      throw new IpcException("the client is closed", e);
    }
    client.calls().await(over);
  }

  private void requireNone(short code, String what) throws IOException {
    ErrorCode error = ErrorCode.forCode(code);
    if (error == ErrorCode.NONE) {
      return;
    }
    String message = "%s of %s-%d: %s (%s)".formatted(what, topic, partition, error.text(), error);
    if (error.isRetriable()) {
      throw new TemporaryException(message);
    }
    throw new IpcException(message, null);
  }
}
