package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.internal.handler.FindCoordinatorHandler;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding the coordinator, making its topic, and following who leads it. */
class FindCoordinatorTest {

  private static final short FIND_COORDINATOR = 10;

  private final HandlerBed bed = new HandlerBed();
  private final MemoryMetadataStore metadata = new MemoryMetadataStore();
  private final OffsetsTopic topic =
      new OffsetsTopic(OffsetsTopic.Settings.DEFAULTS, metadata, () -> new UUID(1, 2));
  private final FindCoordinatorHandler handler = new FindCoordinatorHandler(topic);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void findsOneInOldVersions(int version) {
    FindCoordinatorResponseData found = find(version, new FindCoordinatorRequest().setKey("g"));
    assertThat(found.errorCode()).isZero();
    assertThat(found.nodeId()).isEqualTo(1);
    assertThat(found.host()).isEqualTo("broker.example");
    assertThat(found.port()).isEqualTo(9092);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void findsSeveralInNewVersions(int version) {
    FindCoordinatorResponseData found =
        find(version, new FindCoordinatorRequest().setCoordinatorKeys(List.of("b", "a", "")));
    assertThat(found.coordinators()).extracting(Coordinator::key).containsExactly("b", "a", "");
    assertThat(found.coordinators())
        .allSatisfy(
            coordinator -> {
              assertThat(coordinator.errorCode()).isZero();
              assertThat(coordinator.nodeId()).isEqualTo(1);
              assertThat(coordinator.port()).isEqualTo(9092);
            });
  }

  @Test
  void theTopicIsMadeAtTheFirstQuestionAsKafkaMakesIt() {
    assertThat(topic.partitionCount()).isZero();
    find(2, new FindCoordinatorRequest().setKey("g"));
    find(2, new FindCoordinatorRequest().setKey("h"));

    TopicMetadata made = metadata.image().topic("__consumer_offsets").orElseThrow();
    assertThat(topic.partitionCount()).isEqualTo(50);
    assertThat(made.partitions()).hasSize(50).allMatch(p -> p.replicas().equals(List.of(1)));
    assertThat(made.configs())
        .containsOnly(
            Map.entry("cleanup.policy", "compact"),
            Map.entry("compression.type", "producer"),
            Map.entry("segment.bytes", "104857600"));
  }

  @Test
  void withoutTheTopicClientsAreToldToComeAgain() {
    metadata.breakDown();
    FindCoordinatorResponseData found = find(1, new FindCoordinatorRequest().setKey("g"));
    assertThat(found.errorCode()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE.code());
    assertThat(found.nodeId()).isEqualTo(-1);
  }

  @Test
  void othersThanGroupsHaveNoCoordinatorAndClientsAreToldSoForGood() {
    FindCoordinatorResponseData transaction =
        find(3, new FindCoordinatorRequest().setKey("t").setKeyType((byte) 1));
    assertThat(transaction.errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.code());
    assertThat(transaction.errorMessage()).contains("does not coordinate transactions");
    FindCoordinatorResponseData share =
        find(
            6,
            new FindCoordinatorRequest()
                .setCoordinatorKeys(List.of("g:AAAAAAAAAAAAAAAAAAAAAA:0"))
                .setKeyType((byte) 2));
    assertThat(share.coordinators().get(0).errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.code());
    assertThat(share.coordinators().get(0).errorMessage()).contains("share groups");
    FindCoordinatorResponseData odd =
        find(1, new FindCoordinatorRequest().setKey("x").setKeyType((byte) 9));
    assertThat(odd.errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.code());
    assertThat(topic.partitionCount()).isZero();
  }

  private FindCoordinatorResponseData find(int version, FindCoordinatorRequest request) {
    return bed.call(FindCoordinatorResponseData.class, FIND_COORDINATOR, handler, version, request);
  }

  // ---- leadership --------------------------------------------------------------------------

  @Test
  void theCoordinatorLeadsWhatTheMetadataSays() {
    GroupTestBed group = new GroupTestBed(GroupConfig.DEFAULTS, new MemoryOffsetsLog());
    GroupLeadership.follow(1, metadata, group.coordinator);
    assertThat(group.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);

    topic.ensureExists();
    assertThat(group.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(group.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);

    metadata.apply(new DeleteTopic(new UUID(1, 2)));
    assertThat(group.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
  }

  @Test
  void whatIsLedAtTheStartIsTakenOver() {
    topic.ensureExists();
    GroupTestBed group = new GroupTestBed(GroupConfig.DEFAULTS, new MemoryOffsetsLog());
    GroupLeadership.follow(1, metadata, group.coordinator);
    group.run();
    assertThat(group.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);

    GroupTestBed other = new GroupTestBed(GroupConfig.DEFAULTS, new MemoryOffsetsLog());
    GroupLeadership.follow(2, metadata, other.coordinator);
    assertThat(other.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
  }

  @Test
  void theOffsetsOfADeletedTopicGo() {
    GroupTestBed group = new GroupTestBed();
    GroupLeadership.follow(1, metadata, group.coordinator);
    metadata.apply(new CreateTopic("orders", new UUID(3, 3), List.of(List.of(1)), Map.of()));
    group.commitAlone(ORDERS_0, 5);
    metadata.apply(new DeleteTopic(new UUID(3, 3)));
    group.run();
    assertThat(group.fetch(ORDERS_0)).isEqualTo(-1);
  }
}
