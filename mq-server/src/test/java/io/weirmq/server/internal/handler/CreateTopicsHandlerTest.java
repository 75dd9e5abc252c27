package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableReplicaAssignment;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopic;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.CreateTopicsResponse.CreatableTopicResult;
import io.weirmq.server.config.TopicKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CreateTopicsHandlerTest {

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture =
        AdminFixture.open(folder, "num.partitions", "3", "weirmq.request.partitions.max", "50");
  }

  @Test
  void aTopicIsMadeAsAskedFor() {
    CreatableTopicResult result =
        only(create(7, false, with(topic("a", 2, 1), "retention.ms", "5")));

    assertThat(result.errorCode()).isEqualTo(ErrorCode.NONE.code());
    assertThat(result.topicId()).isEqualTo(fixture.topic("a").id()).isNotEqualTo(Uuids.ZERO);
    assertThat(result.numPartitions()).isEqualTo(2);
    assertThat(result.replicationFactor()).isEqualTo((short) 1);
    assertThat(Objects.requireNonNull(result.configs()))
        .hasSameSizeAs(TopicKeys.all().keySet())
        .filteredOn(config -> config.configSource() == 1)
        .singleElement()
        .satisfies(config -> assertThat(config.name()).isEqualTo("retention.ms"));
    assertThat(fixture.topic("a").partitions()).hasSize(2).allMatch(p -> p.leader() == 1);
    assertThat(fixture.topic("a").configs()).isEqualTo(Map.of("retention.ms", "5"));
  }

  @Test
  void minusOneStandsForTheBrokersDefaults() {
    CreatableTopicResult result = only(create(5, false, topic("a", -1, -1)));

    assertThat(result.numPartitions()).isEqualTo(3);
    assertThat(result.replicationFactor()).isEqualTo((short) 1);
  }

  @Test
  void checkingOnlyChecksAllAndMakesNothing() {
    CreateTopicsResponse response =
        create(7, true, topic("a", 1, 1), topic("b", 1, 2), with(topic("c", 1, 1), "x", "y"));

    assertThat(codes(response))
        .containsExactly(
            ErrorCode.NONE, ErrorCode.INVALID_REPLICATION_FACTOR, ErrorCode.INVALID_CONFIG);
    assertThat(fixture.image().topics()).isEmpty();
  }

  @Test
  void whatBreaksARuleIsRefusedInRequestOrder() {
    create(7, false, topic("present.topic", 1, 1));

    CreateTopicsResponse response =
        create(
            7,
            false,
            topic("present.topic", 1, 1),
            topic("present_topic", 1, 1),
            topic("", 1, 1),
            topic("..", 1, 1),
            topic("a b", 1, 1),
            topic("x".repeat(250), 1, 1),
            topic("ok", 1, 1),
            topic("p", 0, 1),
            topic("q", -2, 1),
            topic("r", 1, 0),
            topic("s", 1, 2),
            with(topic("t", 1, 1), "retention.ms", "x"),
            with(topic("u", 1, 1), "no.such.config", "x"),
            with(topic("v", 1, 1), "retention.ms", null));

    assertThat(response.topics())
        .extracting(CreatableTopicResult::name, r -> ErrorCode.forCode(r.errorCode()))
        .containsExactly(
            tuple("present.topic", ErrorCode.TOPIC_ALREADY_EXISTS),
            tuple("present_topic", ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("", ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("..", ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("x".repeat(250), ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("ok", ErrorCode.NONE),
            tuple("p", ErrorCode.INVALID_PARTITIONS),
            tuple("q", ErrorCode.INVALID_PARTITIONS),
            tuple("r", ErrorCode.INVALID_REPLICATION_FACTOR),
            tuple("s", ErrorCode.INVALID_REPLICATION_FACTOR),
            tuple("t", ErrorCode.INVALID_CONFIG),
            tuple("u", ErrorCode.INVALID_CONFIG),
            tuple("v", ErrorCode.INVALID_CONFIG));
    assertThat(response.topics())
        .filteredOn(result -> result.errorCode() != 0)
        .allSatisfy(result -> assertThat(result.errorMessage()).isNotBlank());
  }

  @Test
  void aNameThatOccursTwiceHasOneResult() {
    CreateTopicsResponse response =
        create(7, false, topic("a", 1, 1), topic("b", 1, 1), topic("a", 1, 1));

    assertThat(codes(response)).containsExactly(ErrorCode.INVALID_REQUEST, ErrorCode.NONE);
    assertThat(fixture.image().topic("a")).isEmpty();
  }

  @Test
  void namesOfOneRequestCollideToo() {
    CreateTopicsResponse response = create(7, false, topic("a.b", 1, 1), topic("a_b", 1, 1));

    assertThat(codes(response)).containsExactly(ErrorCode.NONE, ErrorCode.INVALID_TOPIC_EXCEPTION);
  }

  @Test
  void partitionsCanBeAssignedByHand() {
    CreateTopicsResponse response =
        create(
            7,
            false,
            assigned("a", -1, -1, 1, new int[] {1}, 0, new int[] {1}),
            assigned("b", 2, -1, 0, new int[] {1}),
            assigned("c", -1, 1, 0, new int[] {1}),
            assigned("d", -1, -1, 1, new int[] {1}),
            assigned("e", -1, -1, 0, new int[] {2}),
            assigned("f", -1, -1, 0, new int[] {1, 1}),
            assigned("g", -1, -1, 0, new int[] {}),
            assigned("h", -1, -1, 0, new int[] {1}, 0, new int[] {1}));

    assertThat(codes(response))
        .containsExactly(
            ErrorCode.NONE,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT);
    assertThat(fixture.topic("a").partitionCount()).isEqualTo(2);
  }

  @Test
  void op07_tooManyPartitionsAreRefusedBeforeTheFirstIsMade() {
    CreateTopicsResponse response =
        create(7, false, topic("a", 30, 1), topic("b", 0, 1), topic("c", 21, 1));

    assertThat(codes(response))
        .containsExactly(
            ErrorCode.POLICY_VIOLATION, ErrorCode.INVALID_PARTITIONS, ErrorCode.POLICY_VIOLATION);
    assertThat(response.topics().get(0).errorMessage())
        .contains("creates 51 partitions", "at most 50", "weirmq.request.partitions.max");
    assertThat(fixture.image().topics()).isEmpty();
    assertThat(codes(create(7, false, topic("a", Integer.MAX_VALUE, 1))))
        .containsExactly(ErrorCode.POLICY_VIOLATION);
  }

  @Test
  void olderVersionsLackConfigsAndIds() {
    CreatableTopicResult result = only(create(4, false, topic("a", 2, 1)));

    assertThat(result.topicId()).isEqualTo(Uuids.ZERO);
    assertThat(result.numPartitions()).isEqualTo(-1);
    assertThat(result.errorCode()).isZero();
  }

  private CreateTopicsResponse create(int version, boolean validateOnly, CreatableTopic... topics) {
    CreateTopicsRequest request =
        new CreateTopicsRequest().setTopics(List.of(topics)).setValidateOnly(validateOnly);
    return AdminFixture.join(
        new CreateTopicsHandler(fixture.store, fixture.topicPlans(), fixture.config.topicConfigs())
            .handle(AdminFixture.version(version), request));
  }

  private static CreatableTopicResult only(CreateTopicsResponse response) {
    assertThat(response.topics()).hasSize(1);
    return response.topics().get(0);
  }

  private static List<ErrorCode> codes(CreateTopicsResponse response) {
    return response.topics().stream().map(r -> ErrorCode.forCode(r.errorCode())).toList();
  }

  private static CreatableTopic topic(String name, int partitions, int replicationFactor) {
    return new CreatableTopic()
        .setName(name)
        .setNumPartitions(partitions)
        .setReplicationFactor((short) replicationFactor);
  }

  private static CreatableTopic with(CreatableTopic topic, String key, @Nullable String value) {
    topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value));
    return topic;
  }

  private static CreatableTopic assigned(
      String name, int partitions, int replicationFactor, Object... numbersAndBrokers) {
    CreatableTopic topic = topic(name, partitions, replicationFactor);
    for (int i = 0; i < numbersAndBrokers.length; i += 2) {
      topic
          .assignments()
          .add(
              new CreatableReplicaAssignment()
                  .setPartitionIndex((Integer) numbersAndBrokers[i])
                  .setBrokerIds(
                      java.util.Arrays.stream((int[]) numbersAndBrokers[i + 1]).boxed().toList()));
    }
    return topic;
  }
}
