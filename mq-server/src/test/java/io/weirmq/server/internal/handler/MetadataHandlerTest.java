package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataRequest.MetadataRequestTopic;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseBroker;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseTopic;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.storage.TopicPartition;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataHandlerTest {

  private static final UUID A = new UUID(1, 1);

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture = AdminFixture.open(folder, "num.partitions", "2");
    fixture.apply(new CreateTopic("b", new UUID(1, 2), List.of(List.of(1)), Map.of()));
    fixture.apply(
        new CreateTopic("a", A, List.of(List.of(1), List.of(9), List.of(1, 9)), Map.of()));
  }

  @Test
  void brokersAreToldAsTheListenerReachesThem() {
    assertThat(ask(AdminFixture.on("PLAINTEXT", 13), request(null)).brokers())
        .extracting(
            MetadataResponseBroker::nodeId,
            MetadataResponseBroker::host,
            MetadataResponseBroker::port,
            MetadataResponseBroker::rack)
        .containsExactly(tuple(1, "in.example", 9092, "r1"));
    MetadataResponse outside = ask(AdminFixture.on("OUTSIDE", 13), request(null));
    assertThat(outside.brokers())
        .extracting(MetadataResponseBroker::host)
        .containsExactly("out.example");
    assertThat(outside.clusterId()).isEqualTo(fixture.image().clusterId()).hasSize(22);
    assertThat(outside.controllerId()).isEqualTo(1);
  }

  @Test
  void allTopicsAreAskedForByNullAndBeforeVersion1ByNone() {
    assertThat(names(ask(13, request(null)))).containsExactly("a", "b");
    assertThat(names(ask(1, request(null)))).containsExactly("a", "b");
    assertThat(names(ask(0, request(List.of())))).containsExactly("a", "b");
    assertThat(names(ask(1, request(List.of())))).isEmpty();
  }

  @Test
  void cc06_partitionsTellLeaderEpochAndWhoIsMissing() {
    MetadataResponseTopic topic = ask(13, named("a")).topics().get(0);

    assertThat(topic.topicId()).isEqualTo(A);
    assertThat(topic.isInternal()).isFalse();
    assertThat(topic.partitions())
        .extracting(
            p -> p.partitionIndex(),
            p -> ErrorCode.forCode(p.errorCode()),
            p -> p.leaderId(),
            p -> p.leaderEpoch(),
            p -> p.offlineReplicas())
        .containsExactly(
            tuple(0, ErrorCode.NONE, 1, 0, List.of()),
            tuple(1, ErrorCode.LEADER_NOT_AVAILABLE, -1, 0, List.of(9)),
            tuple(2, ErrorCode.NONE, 1, 0, List.of(9)));
  }

  @Test
  void aLeaderWithoutTheListenerIsToldByVersion() {
    assertThat(ask(AdminFixture.on("ELSEWHERE", 6), named("b")).topics().get(0).partitions().get(0))
        .satisfies(p -> assertThat(p.errorCode()).isEqualTo(ErrorCode.LISTENER_NOT_FOUND.code()));
    assertThat(ask(AdminFixture.on("ELSEWHERE", 5), named("b")).topics().get(0).partitions().get(0))
        .satisfies(p -> assertThat(p.errorCode()).isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.code()));
  }

  @Test
  void aPartitionWithoutALogHasNoLeader() {
    MetadataResponse response =
        AdminFixture.join(
            new MetadataHandler(
                    fixture.store,
                    new MetadataAnswers(new TopicPartition("b", 0)::equals),
                    fixture.creation(),
                    true)
                .handle(AdminFixture.version(13), named("b")));

    assertThat(response.topics().get(0).partitions().get(0).errorCode())
        .isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.code());
  }

  @Test
  void aTopicIsMadeAndAnsweredAtOnce() {
    MetadataResponseTopic made = ask(13, named("new")).topics().get(0);

    assertThat(made.errorCode()).isZero();
    assertThat(made.partitions()).hasSize(2).allMatch(p -> p.leaderId() == 1);
    assertThat(made.topicId()).isEqualTo(fixture.topic("new").id());
  }

  @Test
  void theBrokersOwnTopicsAreMadeAsTheyMustBe() {
    MetadataResponseTopic made = ask(13, named("__consumer_offsets")).topics().get(0);

    assertThat(made.isInternal()).isTrue();
    assertThat(made.partitions()).hasSize(50);
    assertThat(fixture.topic("__consumer_offsets").configs())
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("segment.bytes", "104857600");
  }

  @Test
  void cc06_whatCanNotBeToldHasTheRightCode() {
    MetadataRequest request =
        request(
                List.of(
                    new MetadataRequestTopic().setName("no such name"),
                    new MetadataRequestTopic().setName("unknown"),
                    new MetadataRequestTopic().setName("b")))
            .setAllowAutoTopicCreation(false);

    assertThat(ask(13, request).topics())
        .extracting(MetadataResponseTopic::name, t -> ErrorCode.forCode(t.errorCode()))
        .containsExactly(
            tuple("no such name", ErrorCode.INVALID_TOPIC_EXCEPTION),
            tuple("unknown", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            tuple("b", ErrorCode.NONE));
    assertThat(fixture.image().topic("unknown")).isEmpty();
  }

  @Test
  void topicsAreAskedForByIdFromVersion12On() {
    MetadataRequest byId =
        request(
            List.of(
                new MetadataRequestTopic().setName(null).setTopicId(A),
                new MetadataRequestTopic().setName(null).setTopicId(new UUID(7, 7))));

    assertThat(ask(12, byId).topics())
        .extracting(
            MetadataResponseTopic::name,
            MetadataResponseTopic::topicId,
            t -> ErrorCode.forCode(t.errorCode()))
        .containsExactly(
            tuple("a", A, ErrorCode.NONE), tuple(null, new UUID(7, 7), ErrorCode.UNKNOWN_TOPIC_ID));
    assertThat(ask(11, byId).topics())
        .allMatch(t -> t.errorCode() == ErrorCode.INVALID_REQUEST.code());
  }

  @Test
  void aCollidingNameIsNotMade() {
    fixture.apply(new CreateTopic("x.y", new UUID(3, 3), List.of(List.of(1)), Map.of()));

    assertThat(ask(13, named("x_y")).topics().get(0).errorCode())
        .isEqualTo(ErrorCode.INVALID_TOPIC_EXCEPTION.code());
  }

  @Test
  void operationsAreToldWhenAskedFor() {
    MetadataRequest request =
        named("b")
            .setIncludeClusterAuthorizedOperations(true)
            .setIncludeTopicAuthorizedOperations(true);

    assertThat(ask(10, request).clusterAuthorizedOperations()).isEqualTo(8096);
    assertThat(ask(10, request).topics().get(0).topicAuthorizedOperations()).isEqualTo(3576);
    assertThat(ask(13, request).clusterAuthorizedOperations()).isEqualTo(Integer.MIN_VALUE);
    assertThat(ask(13, named("b")).topics().get(0).topicAuthorizedOperations())
        .isEqualTo(Integer.MIN_VALUE);
    assertThat(ask(13, named("b")).topics().get(0).topicId()).isNotEqualTo(Uuids.ZERO);
  }

  private MetadataResponse ask(int version, MetadataRequest request) {
    return ask(AdminFixture.version(version), request);
  }

  private MetadataResponse ask(
      io.weirmq.server.internal.request.RequestContext context, MetadataRequest request) {
    return AdminFixture.join(
        new MetadataHandler(
                fixture.store,
                new MetadataAnswers(partition -> false),
                fixture.creation(),
                fixture.config.topics().autoCreate())
            .handle(context, request));
  }

  private static MetadataRequest named(String name) {
    return request(List.of(new MetadataRequestTopic().setName(name)));
  }

  private static MetadataRequest request(@Nullable List<MetadataRequestTopic> topics) {
    return new MetadataRequest().setTopics(topics).setAllowAutoTopicCreation(true);
  }

  private static List<String> names(MetadataResponse response) {
    return response.topics().stream().map(t -> String.valueOf(t.name())).toList();
  }
}
