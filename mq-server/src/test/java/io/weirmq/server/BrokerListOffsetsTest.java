package io.weirmq.server;

import static io.weirmq.server.TestBroker.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest;
import io.weirmq.protocol.message.OffsetForLeaderEpochResponse;
import io.weirmq.protocol.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CC-07: offsets by time and by epoch, over several leader epochs. */
final class BrokerListOffsetsTest {

  private static final int LATEST_VERSION = 11;

  @TempDir private Path folder;

  @Test
  void cc07_tellsOffsetsAndTheEpochsOfTheirRecords() throws Exception {
    List<Integer> epochs = new ArrayList<>();
    // Each start is another leader epoch: offsets 0-1, 2-3 and 4-5.
    for (int run = 0; run < 3; run++) {
      try (Broker broker = TestBroker.in(folder).start();
          RawClient client = RawClient.connect(broker.boundPort())) {
        if (run == 0) {
          TestBroker.createTopic(broker.boundPort(), "t", 2, Map.of());
        }
        produce(client, "t", 0, records(run * 100L, run * 100L + 50));
        epochs.add(ask(client, LATEST_VERSION, -1).leaderEpoch());
      }
    }
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      int current = ask(client, LATEST_VERSION, -1).leaderEpoch();
      assertThat(epochs).isSorted().doesNotHaveDuplicates();
      assertThat(current).isGreaterThan(epochs.get(2));

      assertAnswer(ask(client, LATEST_VERSION, -1), 6, -1, current);
      assertAnswer(ask(client, LATEST_VERSION, -2), 0, -1, epochs.get(0));
      assertAnswer(ask(client, LATEST_VERSION, -3), 5, 250, epochs.get(2));
      assertAnswer(ask(client, LATEST_VERSION, -4), 0, -1, epochs.get(0));
      assertAnswer(ask(client, LATEST_VERSION, -5), -1, -1, -1);
      assertAnswer(ask(client, LATEST_VERSION, -6), -1, -1, -1);
      assertAnswer(ask(client, LATEST_VERSION, 0), 0, 0, epochs.get(0));
      assertAnswer(ask(client, LATEST_VERSION, 1), 1, 50, epochs.get(0));
      assertAnswer(ask(client, LATEST_VERSION, 120), 3, 150, epochs.get(1));
      assertAnswer(ask(client, LATEST_VERSION, 250), 5, 250, epochs.get(2));
      assertAnswer(ask(client, LATEST_VERSION, 251), -1, -1, -1);

      assertAnswer(endOf(client, epochs.get(0)), epochs.get(0), 2);
      assertAnswer(endOf(client, epochs.get(1)), epochs.get(1), 4);
      assertAnswer(endOf(client, current), current, 6);
      assertAnswer(endOf(client, current + 1), -1, -1);
    }
  }

  @Test
  void cc07_tellsOfAnEmptyPartitionAndRefusesWhatAVersionDoesNotKnow() throws Exception {
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      assertThat(ask(client, 1, -1).offset()).isZero();
      assertThat(ask(client, 1, -2).offset()).isZero();
      assertThat(ask(client, 7, -3).offset()).isEqualTo(-1);
      assertThat(ask(client, 7, -3).timestamp()).isEqualTo(-1);
      assertThat(ask(client, 1, 5).offset()).isEqualTo(-1);
      assertError(ask(client, 6, -3), ErrorCode.UNSUPPORTED_VERSION);
      assertError(ask(client, 7, -4), ErrorCode.UNSUPPORTED_VERSION);
      assertError(ask(client, 8, -5), ErrorCode.UNSUPPORTED_VERSION);
      assertError(ask(client, 10, -6), ErrorCode.UNSUPPORTED_VERSION);

      ListOffsetsRequest twice = request(-1);
      twice.topics().get(0).partitions().add(twice.topics().get(0).partitions().get(0));
      List<ListOffsetsPartitionResponse> answers =
          client
              .ask(ApiKey.LIST_OFFSETS, 5, twice, ListOffsetsResponse::new)
              .topics()
              .get(0)
              .partitions();
      assertThat(answers).hasSize(2);
      answers.forEach(answer -> assertError(answer, ErrorCode.INVALID_REQUEST));

      ListOffsetsRequest fenced = request(-1);
      fenced.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(99);
      assertError(only(client, 5, fenced), ErrorCode.UNKNOWN_LEADER_EPOCH);
      ListOffsetsRequest unknown = request(-1);
      unknown.topics().get(0).setName("unknown");
      assertError(only(client, 5, unknown), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    }
  }

  private static ListOffsetsPartitionResponse ask(RawClient client, int version, long timestamp)
      throws IOException {
    return only(client, version, request(timestamp));
  }

  private static ListOffsetsPartitionResponse only(
      RawClient client, int version, ListOffsetsRequest request) throws IOException {
    return client
        .ask(ApiKey.LIST_OFFSETS, version, request, ListOffsetsResponse::new)
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }

  private static ListOffsetsRequest request(long timestamp) {
    ListOffsetsRequest.ListOffsetsTopic topic =
        new ListOffsetsRequest.ListOffsetsTopic().setName("t");
    topic
        .partitions()
        .add(
            new ListOffsetsRequest.ListOffsetsPartition()
                .setPartitionIndex(0)
                .setTimestamp(timestamp));
    return new ListOffsetsRequest().setReplicaId(-1).setTopics(List.of(topic));
  }

  private static EpochEndOffset endOf(RawClient client, int epoch) throws IOException {
    OffsetForLeaderEpochRequest.OffsetForLeaderTopic topic =
        new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().setTopic("t");
    topic
        .partitions()
        .add(
            new OffsetForLeaderEpochRequest.OffsetForLeaderPartition()
                .setPartition(0)
                .setLeaderEpoch(epoch));
    return client
        .ask(
            ApiKey.OFFSET_FOR_LEADER_EPOCH,
            4,
            new OffsetForLeaderEpochRequest().setTopics(List.of(topic)),
            OffsetForLeaderEpochResponse::new)
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }

  private static ByteBuffer records(long... timestamps) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (long timestamp : timestamps) {
      builder.append(timestamp, null, ByteBuffer.wrap(new byte[] {1}));
    }
    return builder.build();
  }

  private static void assertAnswer(
      ListOffsetsPartitionResponse answer, long offset, long timestamp, int epoch) {
    assertThat(answer.errorCode()).isZero();
    assertThat(List.of(answer.offset(), answer.timestamp(), (long) answer.leaderEpoch()))
        .as("offset, timestamp, epoch")
        .containsExactly(offset, timestamp, (long) epoch);
  }

  private static void assertAnswer(EpochEndOffset answer, int epoch, long endOffset) {
    assertThat(List.of((long) answer.leaderEpoch(), answer.endOffset()))
        .as("epoch, end offset")
        .containsExactly((long) epoch, endOffset);
  }

  private static void assertError(ListOffsetsPartitionResponse answer, ErrorCode expected) {
    assertThat(ErrorCode.forCode(answer.errorCode())).isEqualTo(expected);
  }
}
