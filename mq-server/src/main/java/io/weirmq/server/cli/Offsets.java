package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.OffsetCommitRequest;
import io.weirmq.protocol.message.OffsetCommitResponse;
import io.weirmq.protocol.message.OffsetFetchRequest;
import io.weirmq.protocol.message.OffsetFetchResponse;
import io.weirmq.storage.TopicPartition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks up and commits offsets through the protocol. Confined to one thread. */
final class Offsets {

  /** The special timestamp of the log end. */
  static final long LATEST = -1;

  /** The special timestamp of the log start. */
  static final long EARLIEST = -2;

  /** The generation of a commit from outside of the group. */
  static final int NO_GENERATION = -1;

  /** From version 10 on topics go by id; by name we may ask for topics that are gone. */
  private static final short BY_NAME_VERSION_MAX = 9;

  private static final Comparator<TopicPartition> BY_NAME =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  private final ClusterClient client;

  Offsets(ClusterClient client) {
    this.client = client;
  }

  /** An ordered map of partitions. */
  static <V> Map<TopicPartition, V> map() {
    return new TreeMap<>(BY_NAME);
  }

  /**
   * The offset of a time or of {@link #LATEST} or {@link #EARLIEST}; the log end where no record is
   * that late.
   */
  long at(TopicPartition partition, long timestampMs) throws IOException {
    long offset = lookUp(partition, timestampMs);
    return offset >= 0 ? offset : lookUp(partition, LATEST);
  }

  private long lookUp(TopicPartition partition, long timestampMs) throws IOException {
    ListOffsetsRequest request =
        new ListOffsetsRequest()
            .setReplicaId(-1)
            .setTopics(
                List.of(
                    new ListOffsetsRequest.ListOffsetsTopic()
                        .setName(partition.topic())
                        .setPartitions(
                            List.of(
                                new ListOffsetsRequest.ListOffsetsPartition()
                                    .setPartitionIndex(partition.partition())
                                    .setTimestamp(timestampMs)))));
    try (Reply<ListOffsetsResponse> reply =
        client
            .leader(partition.topic(), partition.partition())
            .call(ApiKey.LIST_OFFSETS, request, ListOffsetsResponse.class)) {
      var answer = reply.message().topics().get(0).partitions().get(0);
      CommandFailedException.check(answer.errorCode(), "offset of " + partition, null);
      return answer.offset();
    }
  }

  /** All committed offsets of a group. */
  Map<TopicPartition, Long> committed(String groupId) throws IOException {
    OffsetFetchRequest request =
        new OffsetFetchRequest()
            .setGroups(
                List.of(
                    new OffsetFetchRequest.OffsetFetchRequestGroup()
                        .setGroupId(groupId)
                        .setTopics(null)));
    ClusterClient.Broker coordinator = client.groupCoordinator(groupId);
    short version = byNameVersion(coordinator, ApiKey.OFFSET_FETCH);
    try (Reply<OffsetFetchResponse> reply =
        client.await(
            coordinator
                .channel()
                .send(ApiKey.OFFSET_FETCH, version, request, OffsetFetchResponse.class))) {
      var group = reply.message().groups().get(0);
      CommandFailedException.check(group.errorCode(), "offsets of group " + groupId, null);
      Map<TopicPartition, Long> offsets = map();
      for (var topic : group.topics()) {
        for (var partition : topic.partitions()) {
          if (partition.committedOffset() >= 0) {
            offsets.put(
                new TopicPartition(topic.name(), partition.partitionIndex()),
                partition.committedOffset());
          }
        }
      }
      return offsets;
    }
  }

  /**
   * Commits offsets.
   *
   * @param memberId the member, empty for a commit from outside
   * @param perPartition told of partitions that were refused, with the error
   */
  void commit(
      String groupId,
      int generation,
      String memberId,
      Map<TopicPartition, Long> offsets,
      Consumer<ErrorCode> perPartition)
      throws IOException {
    Map<String, List<OffsetCommitRequest.OffsetCommitRequestPartition>> byTopic = new TreeMap<>();
    offsets.forEach(
        (partition, offset) ->
            byTopic
                .computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                .add(
                    new OffsetCommitRequest.OffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("")));
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .setGroupId(groupId)
            .setGenerationIdOrMemberEpoch(generation)
            .setMemberId(memberId)
            .setTopics(
                byTopic.entrySet().stream()
                    .map(
                        entry ->
                            new OffsetCommitRequest.OffsetCommitRequestTopic()
                                .setName(entry.getKey())
                                .setPartitions(entry.getValue()))
                    .toList());
    ClusterClient.Broker coordinator = client.groupCoordinator(groupId);
    short version = byNameVersion(coordinator, ApiKey.OFFSET_COMMIT);
    try (Reply<OffsetCommitResponse> reply =
        client.await(
            coordinator
                .channel()
                .send(ApiKey.OFFSET_COMMIT, version, request, OffsetCommitResponse.class))) {
      for (var topic : reply.message().topics()) {
        for (var partition : topic.partitions()) {
          ErrorCode error = ErrorCode.forCode(partition.errorCode());
          if (error != ErrorCode.NONE) {
            perPartition.accept(error);
          }
        }
      }
    }
  }

  private static short byNameVersion(ClusterClient.Broker coordinator, ApiKey api) {
    return (short) Math.min(coordinator.channel().versionOf(api), BY_NAME_VERSION_MAX);
  }

  /** The lag of a group at a partition; null where nothing is committed. */
  static @Nullable Long lag(@Nullable Long committed, long end) {
    return committed == null ? null : Math.max(0, end - committed);
  }
}
