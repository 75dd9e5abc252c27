package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.HandlerBed.ORDERS_ID;
import static io.weirmq.server.internal.group.HandlerBed.UNKNOWN_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetCommitRequest;
import io.weirmq.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.weirmq.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.weirmq.protocol.message.OffsetDeleteRequest;
import io.weirmq.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import io.weirmq.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import io.weirmq.protocol.message.OffsetFetchRequest;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.weirmq.server.internal.handler.OffsetCommitHandler;
import io.weirmq.server.internal.handler.OffsetDeleteHandler;
import io.weirmq.server.internal.handler.OffsetFetchHandler;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handlers of the offsets' APIs in every version; what they answer is read by Kafka's code. */
class OffsetHandlersTest {

  private static final short COMMIT = 8;
  private static final short FETCH = 9;
  private static final short DELETE = 47;
  private static final short NO_TOPIC = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code();

  private final HandlerBed bed = new HandlerBed();
  private final OffsetCommitHandler commits = new OffsetCommitHandler(bed.bed.coordinator, bed);
  private final OffsetFetchHandler fetches = new OffsetFetchHandler(bed.bed.coordinator, bed);
  private final OffsetDeleteHandler deletes = new OffsetDeleteHandler(bed.bed.coordinator, bed);

  // ---- commit ------------------------------------------------------------------------------

  private static OffsetCommitRequestTopic topic(String name, UUID id, int... partitions) {
    OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(name).setTopicId(id);
    for (int partition : partitions) {
      topic
          .partitions()
          .add(
              new OffsetCommitRequestPartition()
                  .setPartitionIndex(partition)
                  .setCommittedOffset(100 + partition)
                  .setCommittedLeaderEpoch(4)
                  .setCommittedMetadata(partition == 0 ? "text" : null));
    }
    return topic;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 10})
  void commitsInEveryVersion(int version) {
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .setGroupId("g")
            .setTopics(
                List.of(
                    topic("none", UNKNOWN_ID, 0),
                    topic("orders", ORDERS_ID, 1, 5, -1, 0),
                    topic("none", UNKNOWN_ID, 1)));
    OffsetCommitResponseData response =
        bed.call(OffsetCommitResponseData.class, COMMIT, commits, version, request);

    short unknown = version >= 10 ? ErrorCode.UNKNOWN_TOPIC_ID.code() : NO_TOPIC;
    List<List<Object>> rows = new ArrayList<>();
    for (var topic : response.topics()) {
      Object name = version >= 10 ? topic.topicId() : topic.name();
      topic
          .partitions()
          .forEach(p -> rows.add(List.of(name, p.partitionIndex(), (int) p.errorCode())));
    }
    Object none = version >= 10 ? new Uuid(7, 99) : "none";
    Object orders = version >= 10 ? new Uuid(7, 1) : "orders";
    assertThat(rows)
        .containsExactly(
            List.of(none, 0, (int) unknown),
            List.of(orders, 1, 0),
            List.of(orders, 5, (int) NO_TOPIC),
            List.of(orders, -1, (int) NO_TOPIC),
            List.of(orders, 0, 0),
            List.of(none, 1, (int) unknown));
    assertThat(bed.bed.fetch(ORDERS_0)).isEqualTo(100);
  }

  @Test
  void anErrorOfTheGroupStandsAtEachPartitionThatExists() {
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .setGroupId("g")
            .setMemberId("x")
            .setGenerationIdOrMemberEpoch(3)
            .setTopics(List.of(topic("orders", ORDERS_ID, 0, 9, 1)));
    assertThat(errors(8, request))
        .containsExactly(
            ErrorCode.ILLEGAL_GENERATION.code(), NO_TOPIC, ErrorCode.ILLEGAL_GENERATION.code());
    assertThat(errors(9, request))
        .containsExactly(
            ErrorCode.GROUP_ID_NOT_FOUND.code(), NO_TOPIC, ErrorCode.GROUP_ID_NOT_FOUND.code());
  }

  private List<Short> errors(int version, OffsetCommitRequest request) {
    return bed
        .call(OffsetCommitResponseData.class, COMMIT, commits, version, request)
        .topics()
        .get(0)
        .partitions()
        .stream()
        .map(OffsetCommitResponseData.OffsetCommitResponsePartition::errorCode)
        .toList();
  }

  @Test
  void theRetentionOfOldVersionsIsKept() {
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .setGroupId("g")
            .setRetentionTimeMs(1_000)
            .setTopics(List.of(topic("orders", ORDERS_ID, 0)));
    bed.call(OffsetCommitResponseData.class, COMMIT, commits, 4, request);
    assertThat(bed.bed.fetch(ORDERS_0)).isEqualTo(100);
    bed.bed.pass(600_000);
    assertThat(bed.bed.fetch(ORDERS_0)).isEqualTo(-1);
  }

  // ---- fetch -------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void fetchesOfOneGroup(int version) {
    bed.bed.commitAlone(ORDERS_0, 42);
    OffsetFetchRequest request =
        new OffsetFetchRequest()
            .setGroupId("g")
            .setTopics(
                List.of(
                    new OffsetFetchRequestTopic().setName("none").setPartitionIndexes(List.of(3)),
                    new OffsetFetchRequestTopic()
                        .setName("orders")
                        .setPartitionIndexes(List.of(1, 0, -1))));
    OffsetFetchResponseData response =
        bed.call(OffsetFetchResponseData.class, FETCH, fetches, version, request);

    assertThat(response.errorCode()).isZero();
    assertThat(response.topics()).extracting("name").containsExactly("none", "orders");
    int epoch = version >= 5 ? 5 : -1;
    assertThat(response.topics().get(0).partitions())
        .extracting("partitionIndex", "committedOffset", "metadata", "errorCode")
        .containsExactly(tuple(3, -1L, "", (short) 0));
    assertThat(response.topics().get(1).partitions())
        .extracting("partitionIndex", "committedOffset", "committedLeaderEpoch", "metadata")
        .containsExactly(
            tuple(1, -1L, -1, ""), tuple(0, 42L, epoch, "note"), tuple(-1, -1L, -1, ""));
    if (version >= 2) {
      OffsetFetchResponseData all =
          bed.call(OffsetFetchResponseData.class, FETCH, fetches, version, request.setTopics(null));
      assertThat(all.topics()).hasSize(1);
      assertThat(all.topics().get(0).partitions()).hasSize(1);
      assertThat(all.topics().get(0).partitions().get(0).committedOffset()).isEqualTo(42);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 8, 10})
  void anErrorOfTheGroupStandsWhereTheVersionHasIt(int version) {
    bed.bed.coordinator.resign(0);
    short gone = ErrorCode.NOT_COORDINATOR.code();
    OffsetFetchRequest request = new OffsetFetchRequest();
    if (version < 8) {
      request
          .setGroupId("g")
          .setTopics(
              List.of(
                  new OffsetFetchRequestTopic().setName("orders").setPartitionIndexes(List.of(0))));
    } else {
      request.setGroups(List.of(new OffsetFetchRequestGroup().setGroupId("g").setTopics(null)));
    }
    OffsetFetchResponseData response =
        bed.call(OffsetFetchResponseData.class, FETCH, fetches, version, request);
    if (version == 1) {
      assertThat(response.topics().get(0).partitions().get(0).errorCode()).isEqualTo(gone);
    } else if (version < 8) {
      assertThat(response.errorCode()).isEqualTo(gone);
      assertThat(response.topics()).isEmpty();
    } else {
      assertThat(response.groups().get(0).errorCode()).isEqualTo(gone);
      assertThat(response.groups().get(0).topics()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10})
  void fetchesOfSeveralGroups(int version) {
    bed.bed.commitAlone(ORDERS_0, 42);
    bed.bed.commitAlone(new TopicPartition("deleted", 0), 7);
    OffsetFetchRequest request =
        new OffsetFetchRequest()
            .setGroups(
                List.of(
                    new OffsetFetchRequestGroup().setGroupId("g").setTopics(null),
                    new OffsetFetchRequestGroup()
                        .setGroupId("g")
                        .setTopics(
                            List.of(
                                new OffsetFetchRequestTopics()
                                    .setName("none")
                                    .setTopicId(UNKNOWN_ID)
                                    .setPartitionIndexes(List.of(4)),
                                new OffsetFetchRequestTopics()
                                    .setName("orders")
                                    .setTopicId(ORDERS_ID)
                                    .setPartitionIndexes(List.of(1, 0)))),
                    new OffsetFetchRequestGroup().setGroupId("other").setTopics(null)));
    OffsetFetchResponseData response =
        bed.call(OffsetFetchResponseData.class, FETCH, fetches, version, request);

    assertThat(response.groups()).extracting("groupId").containsExactly("g", "g", "other");
    // By id, a topic that is gone can't be named.
    assertThat(response.groups().get(0).topics()).hasSize(version >= 10 ? 1 : 2);
    assertThat(response.groups().get(2).topics()).isEmpty();
    var topics = response.groups().get(1).topics();
    short unknown = version >= 10 ? ErrorCode.UNKNOWN_TOPIC_ID.code() : 0;
    assertThat(topics.get(0).partitions())
        .extracting("partitionIndex", "committedOffset", "errorCode")
        .containsExactly(tuple(4, -1L, unknown));
    assertThat(topics.get(1).partitions())
        .extracting("partitionIndex", "committedOffset", "committedLeaderEpoch", "metadata")
        .containsExactly(tuple(1, -1L, -1, ""), tuple(0, 42L, 5, "note"));
    assertThat(topics.get(1).topicId()).isEqualTo(version >= 10 ? new Uuid(7, 1) : Uuid.ZERO_UUID);
  }

  // ---- delete ------------------------------------------------------------------------------

  @Test
  void deletesOffsets() {
    OffsetDeleteRequestTopic orders =
        new OffsetDeleteRequestTopic()
            .setName("orders")
            .setPartitions(List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0)));
    OffsetDeleteRequestTopic none =
        new OffsetDeleteRequestTopic()
            .setName("none")
            .setPartitions(List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0)));
    OffsetDeleteRequest request =
        new OffsetDeleteRequest().setGroupId("g").setTopics(List.of(none, orders));
    OffsetDeleteResponseData noGroup =
        bed.call(OffsetDeleteResponseData.class, DELETE, deletes, 0, request);
    assertThat(noGroup.errorCode()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND.code());
    assertThat(noGroup.topics()).isEmpty();

    List<String> members = bed.bed.stableGroup(1);
    bed.bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    OffsetDeleteResponseData inUse =
        bed.call(OffsetDeleteResponseData.class, DELETE, deletes, 0, request);
    assertThat(inUse.errorCode()).isZero();
    assertThat(inUse.topics().find("none").partitions().find(0).errorCode()).isEqualTo(NO_TOPIC);
    assertThat(inUse.topics().find("orders").partitions().find(0).errorCode())
        .isEqualTo(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC.code());
  }
}
