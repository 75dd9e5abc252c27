package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.message.DeleteTopicsRequest;
import io.weirmq.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import io.weirmq.protocol.message.DeleteTopicsResponse;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeleteTopicsHandlerTest {

  private static final UUID A = new UUID(1, 1);
  private static final UUID B = new UUID(1, 2);

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture = AdminFixture.open(folder);
    fixture.apply(new CreateTopic("a", A, List.of(List.of(1)), Map.of()));
    fixture.apply(new CreateTopic("b", B, List.of(List.of(1)), Map.of()));
  }

  @Test
  void topicsGoByNameAndById() {
    DeleteTopicsResponse response = delete(6, true, state("a", null), state(null, B));

    assertThat(codes(response)).containsExactly(ErrorCode.NONE, ErrorCode.NONE);
    assertThat(response.responses().get(0).topicId()).isEqualTo(A);
    assertThat(response.responses().get(1).name()).isEqualTo("b");
    assertThat(fixture.image().topics()).isEmpty();
  }

  @Test
  void olderVersionsNameThem() {
    DeleteTopicsRequest request = new DeleteTopicsRequest().setTopicNames(List.of("b", "x"));
    DeleteTopicsResponse response =
        AdminFixture.join(
            new DeleteTopicsHandler(fixture.store, true).handle(AdminFixture.version(1), request));

    assertThat(codes(response))
        .containsExactly(ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(fixture.image().topic("b")).isEmpty();
  }

  @Test
  void op08_aStaleIdIsUnknown() {
    delete(6, true, state("a", null));
    fixture.apply(new CreateTopic("a", new UUID(1, 3), List.of(List.of(1)), Map.of()));

    assertThat(codes(delete(6, true, state(null, A)))).containsExactly(ErrorCode.UNKNOWN_TOPIC_ID);
    assertThat(fixture.image().topic("a")).isPresent();
  }

  @Test
  void ambiguousRequestsAreRefused() {
    assertThat(
            codes(
                delete(
                    6, true, state("a", A), state(null, null), state("b", null), state(null, B))))
        .containsExactly(
            ErrorCode.INVALID_REQUEST,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.INVALID_REQUEST);
    assertThat(fixture.image().topics()).hasSize(2);
  }

  @Test
  void deletionCanBeSwitchedOff() {
    assertThat(codes(delete(6, false, state("a", null))))
        .containsExactly(ErrorCode.TOPIC_DELETION_DISABLED);
    assertThat(fixture.image().topics()).hasSize(2);
  }

  private DeleteTopicsResponse delete(int version, boolean enabled, DeleteTopicState... topics) {
    return AdminFixture.join(
        new DeleteTopicsHandler(fixture.store, enabled)
            .handle(
                AdminFixture.version(version),
                new DeleteTopicsRequest().setTopics(List.of(topics))));
  }

  private static DeleteTopicState state(@Nullable String name, @Nullable UUID id) {
    return new DeleteTopicState().setName(name).setTopicId(id == null ? Uuids.ZERO : id);
  }

  private static List<ErrorCode> codes(DeleteTopicsResponse response) {
    return response.responses().stream().map(r -> ErrorCode.forCode(r.errorCode())).toList();
  }
}
