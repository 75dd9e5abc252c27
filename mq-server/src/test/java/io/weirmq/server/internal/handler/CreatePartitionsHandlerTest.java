package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreatePartitionsRequest;
import io.weirmq.protocol.message.CreatePartitionsRequest.CreatePartitionsAssignment;
import io.weirmq.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.weirmq.protocol.message.CreatePartitionsResponse;
import io.weirmq.protocol.message.CreatePartitionsResponse.CreatePartitionsTopicResult;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CreatePartitionsHandlerTest {

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture = AdminFixture.open(folder, "weirmq.request.partitions.max", "10");
    fixture.apply(new CreateTopic("a", new UUID(1, 1), List.of(List.of(1), List.of(1)), Map.of()));
    fixture.apply(new CreateTopic("b", new UUID(1, 2), List.of(List.of(1)), Map.of()));
  }

  @Test
  void partitionsAreAdded() {
    CreatePartitionsResponse response =
        add(
            false,
            asked("a", 5),
            asked("b", 2)
                .setAssignments(
                    List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(1)))));

    assertThat(codes(response)).containsExactly(ErrorCode.NONE, ErrorCode.NONE);
    assertThat(fixture.topic("a").partitionCount()).isEqualTo(5);
    assertThat(fixture.topic("b").partitionCount()).isEqualTo(2);
  }

  @Test
  void whatBreaksARuleIsRefused() {
    CreatePartitionsAssignment unknown = new CreatePartitionsAssignment().setBrokerIds(List.of(9));
    CreatePartitionsResponse response =
        add(false, asked("x", 2), asked("a", 2), asked("b", 2).setAssignments(List.of()));

    assertThat(codes(response))
        .containsExactly(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ErrorCode.INVALID_PARTITIONS,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT);
    assertThat(codes(add(false, asked("a", 1), asked("b", 2).setAssignments(List.of(unknown)))))
        .containsExactly(ErrorCode.INVALID_PARTITIONS, ErrorCode.INVALID_REPLICA_ASSIGNMENT);
    assertThat(codes(add(false, asked("a", 3), asked("a", 4))))
        .containsExactly(ErrorCode.INVALID_REQUEST);
  }

  @Test
  void op07_aRequestAddsSoManyAtMost() {
    assertThat(codes(add(false, asked("a", 10), asked("b", 4))))
        .containsExactly(ErrorCode.NONE, ErrorCode.POLICY_VIOLATION);
    assertThat(fixture.topic("b").partitionCount()).isEqualTo(1);
  }

  @Test
  void checkingOnlyChangesNothing() {
    assertThat(codes(add(true, asked("a", 5), asked("b", 1))))
        .containsExactly(ErrorCode.NONE, ErrorCode.INVALID_PARTITIONS);
    assertThat(fixture.topic("a").partitionCount()).isEqualTo(2);
  }

  private CreatePartitionsResponse add(boolean validateOnly, CreatePartitionsTopic... topics) {
    return AdminFixture.join(
        new CreatePartitionsHandler(fixture.store, fixture.partitionPlans())
            .handle(
                AdminFixture.version(3),
                new CreatePartitionsRequest()
                    .setTopics(List.of(topics))
                    .setValidateOnly(validateOnly)));
  }

  private static CreatePartitionsTopic asked(String name, int count) {
    return new CreatePartitionsTopic().setName(name).setCount(count).setAssignments(null);
  }

  private static List<ErrorCode> codes(CreatePartitionsResponse response) {
    return response.results().stream()
        .map(CreatePartitionsTopicResult::errorCode)
        .map(ErrorCode::forCode)
        .toList();
  }
}
