package io.weirmq.server;

import static io.weirmq.server.TestBroker.add;
import static io.weirmq.server.TestBroker.batch;
import static io.weirmq.server.TestBroker.batchOf;
import static io.weirmq.server.TestBroker.bytes;
import static io.weirmq.server.TestBroker.fetch;
import static io.weirmq.server.TestBroker.fetchOne;
import static io.weirmq.server.TestBroker.produce;
import static io.weirmq.server.TestBroker.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.protocol.message.ProduceResponse.PartitionProduceResponse;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Produce and Fetch over the wire of a whole broker. */
final class BrokerProduceFetchTest {

  private static final ErrorCode NONE = ErrorCode.NONE;

  @TempDir private static Path folder;
  private static Broker broker;

  private RawClient client;
  private String topic;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.in(folder).start();
  }

  @AfterAll
  static void closeBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void connect(TestInfo test) throws Exception {
    topic = test.getTestMethod().orElseThrow().getName();
    TestBroker.createTopic(broker.boundPort(), topic, 3, Map.of());
    client = RawClient.connect(broker.boundPort());
  }

  @AfterEach
  void disconnect() throws Exception {
    client.close();
  }

  @Test
  void givesBackWhatWasProduced() throws Exception {
    PartitionProduceResponse first = produce(client, topic, 0, batch("a", "b"));
    PartitionProduceResponse second = produce(client, topic, 0, batch("c"));

    assertThat(first.errorCode()).isEqualTo(NONE.code());
    assertThat(first.baseOffset()).isZero();
    assertThat(first.logStartOffset()).isZero();
    assertThat(first.logAppendTimeMs()).isEqualTo(-1);
    assertThat(second.baseOffset()).isEqualTo(2);
    FetchResponse.PartitionData data = fetchOne(client, fetch(topic, 0, 0));
    assertThat(values(data)).containsExactly("a", "b", "c");
    assertThat(data.highWatermark()).isEqualTo(3);
    assertThat(data.abortedTransactions()).as("read_uncommitted").isNull();
    assertThat(data.preferredReadReplica()).isEqualTo(-1);
  }

  @Test
  void servesEveryVersionOfProduceAndFetch() throws Exception {
    for (int version = 3; version <= 12; version++) {
      ProduceResponse response =
          client.ask(
              ApiKey.PRODUCE,
              version,
              produce(topic, 1, 1, batch("v" + version)),
              ProduceResponse::new);
      assertThat(response.responses().get(0).partitionResponses().get(0).errorCode()).isZero();
    }
    for (int version = 4; version <= 12; version++) {
      FetchResponse response =
          client.ask(ApiKey.FETCH, version, fetch(topic, 1, version - 3), FetchResponse::new);
      assertThat(values(response.responses().get(0).partitions().get(0)))
          .as("version %d", version)
          .startsWith("v" + version);
    }
  }

  @Test
  void knowsTopicsById() throws Exception {
    UUID id = topicId(topic);
    ProduceRequest produce = produce("", 0, -1, batch("by id"));
    produce.topicData().get(0).setTopicId(id);
    FetchRequest fetch = fetch("", 0, 0);
    fetch.topics().get(0).setTopicId(id);

    ProduceResponse produced = client.ask(ApiKey.PRODUCE, 13, produce, ProduceResponse::new);
    FetchResponse fetched = client.ask(ApiKey.FETCH, 17, fetch, FetchResponse::new);

    assertThat(produced.responses().get(0).topicId()).isEqualTo(id);
    assertThat(fetched.responses().get(0).topicId()).isEqualTo(id);
    assertThat(values(fetched.responses().get(0).partitions().get(0))).containsExactly("by id");

    fetch.topics().get(0).setTopicId(new UUID(1, 2));
    produce.topicData().get(0).setTopicId(new UUID(1, 2));
    assertThat(
            client
                .ask(ApiKey.FETCH, 13, fetch, FetchResponse::new)
                .responses()
                .get(0)
                .partitions()
                .get(0)
                .errorCode())
        .isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID.code());
    assertThat(
            client
                .ask(ApiKey.PRODUCE, 13, produce, ProduceResponse::new)
                .responses()
                .get(0)
                .partitionResponses()
                .get(0)
                .errorCode())
        .isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID.code());
  }

  @Test
  void cc02_givesTheFirstBatchWholeAndKeepsTheLimitsForTheRest() throws Exception {
    produce(client, topic, 0, batchOf(100_000));
    produce(client, topic, 0, batchOf(100_000));
    produce(client, topic, 1, batchOf(50_000));
    produce(client, topic, 2, batchOf(10));

    FetchRequest tiny = new FetchRequest().setMinBytes(1).setMaxBytes(1);
    add(add(add(tiny, topic, 0, 0, 1), topic, 1, 0, 1), topic, 2, 0, 1);
    List<FetchResponse.PartitionData> parts =
        client.ask(ApiKey.FETCH, 11, tiny, FetchResponse::new).responses().get(0).partitions();
    assertThat(parts).as("every partition is in the answer").hasSize(3);
    assertThat(baseOffsets(parts.get(0))).containsExactly(0L);
    assertThat(bytes(parts.get(1)).remaining()).isZero();
    assertThat(bytes(parts.get(2)).remaining()).isZero();

    FetchRequest perPartition = new FetchRequest().setMinBytes(1).setMaxBytes(1_000_000);
    add(add(add(perPartition, topic, 0, 1, 10), topic, 1, 0, 10), topic, 2, 0, 1000);
    parts =
        client
            .ask(ApiKey.FETCH, 11, perPartition, FetchResponse::new)
            .responses()
            .get(0)
            .partitions();
    assertThat(baseOffsets(parts.get(0))).containsExactly(1L);
    assertThat(bytes(parts.get(1)).remaining()).as("no part of a batch alone").isZero();
    assertThat(baseOffsets(parts.get(2))).containsExactly(0L);
  }

  @Test
  void cc03_findsTheBatchThatHoldsAnOffset() throws Exception {
    produce(client, topic, 0, batch("a", "b", "c"));
    produce(client, topic, 0, batch("d"));

    assertThat(baseOffsets(fetchOne(client, fetch(topic, 0, 1)))).containsExactly(0L, 3L);
    assertThat(baseOffsets(fetchOne(client, fetch(topic, 0, 3)))).containsExactly(3L);
    FetchResponse.PartitionData atEnd = fetchOne(client, fetch(topic, 0, 4));
    assertThat(atEnd.errorCode()).isZero();
    assertThat(bytes(atEnd).remaining()).isZero();
    assertThat(fetchOne(client, fetch(topic, 0, 5)).errorCode())
        .isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.code());
    assertThat(fetchOne(client, fetch(topic, 0, -1)).errorCode())
        .isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.code());
  }

  @Test
  void checksTheEpochThatTheClientKnows() throws Exception {
    produce(client, topic, 0, batch("a"));
    FetchRequest newer = fetch(topic, 0, 0);
    newer.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(1000);

    assertThat(fetchOne(client, newer).errorCode())
        .isEqualTo(ErrorCode.UNKNOWN_LEADER_EPOCH.code());
  }

  @Test
  void nt05_answersInOrderAndDoesNotBlockAProduceBehindAFetch() throws Exception {
    FetchRequest waiting = fetch(topic, 0, 0).setMaxWaitMs(60_000);
    int fetchId = client.send(ApiKey.FETCH, 12, waiting);
    int metadataId = client.send(ApiKey.METADATA, 9, new MetadataRequest().setTopics(List.of()));
    int produceId = client.send(ApiKey.PRODUCE, 9, produce(topic, 0, 1, batch("wake")));

    FetchResponse fetched = client.receive(ApiKey.FETCH, 12, fetchId, FetchResponse::new);
    client.receive(ApiKey.METADATA, 9, metadataId, MetadataResponse::new);
    client.receive(ApiKey.PRODUCE, 9, produceId, ProduceResponse::new);

    assertThat(values(fetched.responses().get(0).partitions().get(0))).containsExactly("wake");
  }

  @Test
  void waitsForMinBytesOverAllPartitions() throws Exception {
    FetchRequest waiting =
        new FetchRequest().setMaxWaitMs(60_000).setMinBytes(500).setMaxBytes(1_000_000);
    add(add(waiting, topic, 0, 0, 100_000), topic, 1, 0, 100_000);
    int fetchId = client.send(ApiKey.FETCH, 12, waiting);
    try (RawClient producer = RawClient.connect(broker.boundPort())) {
      produce(producer, topic, 0, batchOf(200));
      assertThat(client.hasResponse()).isFalse();
      produce(producer, topic, 1, batchOf(300));
    }

    FetchResponse fetched = client.receive(ApiKey.FETCH, 12, fetchId, FetchResponse::new);

    assertThat(fetched.responses().get(0).partitions())
        .allSatisfy(part -> assertThat(bytes(part).remaining()).isPositive());
  }

  @Test
  void answersWithNothingWhenTheWaitIsOver() throws Exception {
    FetchResponse.PartitionData data =
        fetchOne(client, fetch(topic, 0, 0).setMaxWaitMs(50).setMinBytes(1));

    assertThat(data.errorCode()).isZero();
    assertThat(bytes(data).remaining()).isZero();
  }

  @Test
  void nt06_closesTheConnectionWhereAProduceWithoutAcknowledgementFails() throws Exception {
    client.send(ApiKey.PRODUCE, 9, produce("no-such-topic", 0, 0, batch("lost")));
    assertThat(client.awaitEnd()).isTrue();

    try (RawClient again = RawClient.connect(broker.boundPort())) {
      again.send(ApiKey.PRODUCE, 9, produce(topic, 0, 0, batchOf(2_000_000)));
      assertThat(again.awaitEnd()).as("too large").isTrue();
    }
  }

  @Test
  void sendsNoResponseToAProduceWithoutAcknowledgement() throws Exception {
    client.send(ApiKey.PRODUCE, 9, produce(topic, 0, 0, batch("quiet")));
    int metadataId = client.send(ApiKey.METADATA, 9, new MetadataRequest().setTopics(List.of()));

    client.receive(ApiKey.METADATA, 9, metadataId, MetadataResponse::new);

    FetchResponse.PartitionData data = fetchOne(client, fetch(topic, 0, 0).setMaxWaitMs(10_000));
    assertThat(values(data)).containsExactly("quiet");
  }

  @Test
  void refusesUnknownAcks() throws Exception {
    ProduceResponse response =
        client.ask(ApiKey.PRODUCE, 9, produce(topic, 0, 2, batch("x")), ProduceResponse::new);

    PartitionProduceResponse partition = response.responses().get(0).partitionResponses().get(0);
    assertThat(partition.errorCode()).isEqualTo(ErrorCode.INVALID_REQUIRED_ACKS.code());
    assertThat(partition.baseOffset()).isEqualTo(-1);
  }

  @Test
  void refusesWhatIsNoSoundBatch() throws Exception {
    ByteBuffer flipped = batch("damage");
    flipped.put(flipped.limit() - 1, (byte) ~flipped.get(flipped.limit() - 1));
    assertError(flipped, ErrorCode.CORRUPT_MESSAGE);

    ByteBuffer oldMagic = batch("magic");
    oldMagic.put(16, (byte) 1);
    assertError(oldMagic, ErrorCode.INVALID_RECORD);

    ByteBuffer two = ByteBuffer.allocate(1000).put(batch("one")).put(batch("two")).flip();
    assertError(two, ErrorCode.INVALID_RECORD);

    assertError(batchOf(1_100_000), ErrorCode.MESSAGE_TOO_LARGE);
    assertError(ByteBuffer.allocate(0), ErrorCode.INVALID_RECORD);
    assertThat(bytes(fetchOne(client, fetch(topic, 0, 0))).remaining()).isZero();
  }

  @Test
  void tellsWhatIsWrongWithABatch() throws Exception {
    ByteBuffer flipped = batch("damage");
    flipped.put(flipped.limit() - 1, (byte) ~flipped.get(flipped.limit() - 1));

    assertThat(produce(client, topic, 2, flipped).errorMessage()).contains(topic + "-2");
  }

  @Test
  void answersEachPartitionOfARequestForItself() throws Exception {
    ProduceRequest request = produce(topic, 0, -1, batch("good"));
    List<ProduceRequest.PartitionProduceData> partitions =
        new ArrayList<>(request.topicData().get(0).partitionData());
    partitions.add(
        new ProduceRequest.PartitionProduceData()
            .setIndex(77)
            .setRecords(RecordsData.of(batch("nowhere"))));
    partitions.add(new ProduceRequest.PartitionProduceData().setIndex(1).setRecords(null));
    partitions.add(
        new ProduceRequest.PartitionProduceData()
            .setIndex(0)
            .setRecords(RecordsData.of(batch("again"))));
    request.topicData().get(0).setPartitionData(partitions);

    List<PartitionProduceResponse> answers =
        client
            .ask(ApiKey.PRODUCE, 9, request, ProduceResponse::new)
            .responses()
            .get(0)
            .partitionResponses();

    assertThat(answers.stream().map(PartitionProduceResponse::index)).containsExactly(0, 77, 1, 0);
    assertThat(answers.stream().map(PartitionProduceResponse::errorCode))
        .containsExactly(
            NONE.code(),
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(),
            ErrorCode.INVALID_RECORD.code(),
            NONE.code());
    assertThat(answers.get(3).baseOffset()).isEqualTo(1);
  }

  @Test
  void keepsInternalTopicsFromClients() throws Exception {
    PartitionProduceResponse answer = produce(client, "__consumer_offsets", 0, batch("not yours"));

    assertThat(answer.errorCode()).isEqualTo(ErrorCode.INVALID_TOPIC_EXCEPTION.code());
  }

  @Test
  void gt01_answersAResentBatchWithItsOriginalOffset() throws Exception {
    for (int sequence = 0; sequence < 5; sequence++) {
      assertThat(produce(client, topic, 0, idempotent(9_000, sequence)).baseOffset())
          .isEqualTo(sequence);
    }
    for (int sequence = 0; sequence < 5; sequence++) {
      PartitionProduceResponse again = produce(client, topic, 0, idempotent(9_000, sequence));
      assertThat(again.errorCode()).isZero();
      assertThat(again.baseOffset()).isEqualTo(sequence);
    }

    PartitionProduceResponse gap = produce(client, topic, 0, idempotent(9_000, 7));

    assertThat(gap.errorCode()).isEqualTo(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER.code());
    assertThat(fetchOne(client, fetch(topic, 0, 0)).highWatermark()).isEqualTo(5);
  }

  @Test
  void cc04_refusesZstdToClientsThatDoNotKnowIt() throws Exception {
    ByteBuffer zstd =
        new RecordBatchBuilder()
            .compression(CompressionType.ZSTD)
            .append(1, null, ByteBuffer.wrap("z".repeat(100).getBytes(StandardCharsets.UTF_8)))
            .build();
    assertThat(
            client
                .ask(
                    ApiKey.PRODUCE, 6, produce(topic, 0, 1, zstd.duplicate()), ProduceResponse::new)
                .responses()
                .get(0)
                .partitionResponses()
                .get(0)
                .errorCode())
        .isEqualTo(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE.code());

    ByteBuffer sent = zstd.duplicate();
    assertThat(produce(client, topic, 0, zstd).errorCode()).isZero();

    TestBroker.createTopic(broker.boundPort(), "zstd", 1, Map.of("compression.type", "zstd"));
    assertThat(produce(client, "zstd", 0, batch("compressed by the broker")).errorCode()).isZero();
    assertThat(
            client
                .ask(ApiKey.FETCH, 9, fetch("zstd", 0, 0), FetchResponse::new)
                .responses()
                .get(0)
                .partitions()
                .get(0)
                .errorCode())
        .isEqualTo(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE.code());
    ByteBuffer received = bytes(fetchOne(client, fetch(topic, 0, 0)));
    int unchangedFrom = RecordBatch.MAGIC_POSITION;
    assertThat(received.slice(unchangedFrom, received.remaining() - unchangedFrom))
        .as("bytes out = bytes in, but for base offset and leader epoch")
        .isEqualTo(sent.slice(unchangedFrom, sent.remaining() - unchangedFrom));
  }

  @Test
  void nt02_startsWhereTheLastAnswerEndedWithinASession() throws Exception {
    for (int partition = 0; partition < 3; partition++) {
      for (int i = 0; i < 3; i++) {
        produce(client, topic, partition, batchOf(1000));
      }
    }
    FetchRequest first = new FetchRequest().setMinBytes(1).setMaxBytes(1).setSessionEpoch(0);
    for (int partition = 0; partition < 3; partition++) {
      add(first, topic, partition, 0, 1_000_000);
    }
    FetchResponse response = client.ask(ApiKey.FETCH, 12, first, FetchResponse::new);
    int session = response.sessionId();
    assertThat(session).isPositive();

    List<Integer> served = new ArrayList<>();
    for (int epoch = 1; epoch <= 3; epoch++) {
      FetchResponse next =
          client.ask(
              ApiKey.FETCH,
              12,
              new FetchRequest()
                  .setMinBytes(1)
                  .setMaxBytes(1)
                  .setSessionId(session)
                  .setSessionEpoch(epoch),
              FetchResponse::new);
      next.responses().stream()
          .flatMap(each -> each.partitions().stream())
          .filter(each -> bytes(each).hasRemaining())
          .forEach(each -> served.add(each.partitionIndex()));
    }
    assertThat(served).containsExactlyInAnyOrder(0, 1, 2);
  }

  private void assertError(ByteBuffer batch, ErrorCode expected) throws IOException {
    PartitionProduceResponse answer = produce(client, topic, 0, batch);
    assertThat(ErrorCode.forCode(answer.errorCode())).isEqualTo(expected);
    assertThat(answer.baseOffset()).isEqualTo(-1);
  }

  private UUID topicId(String name) throws IOException {
    MetadataRequest request =
        new MetadataRequest()
            .setTopics(List.of(new MetadataRequest.MetadataRequestTopic().setName(name)));
    return client
        .ask(ApiKey.METADATA, 12, request, MetadataResponse::new)
        .topics()
        .get(0)
        .topicId();
  }

  private static ByteBuffer idempotent(long producerId, int sequence) {
    return new RecordBatchBuilder()
        .producer(producerId, (short) 0, sequence)
        .append(1, null, ByteBuffer.wrap(new byte[] {(byte) sequence}))
        .build();
  }

  private static List<Long> baseOffsets(FetchResponse.PartitionData data) throws IOException {
    List<Long> offsets = new ArrayList<>();
    ByteBuffer batches = bytes(data);
    int position = batches.position();
    while (RecordBatch.hasHeader(batches, position)) {
      RecordBatch batch = RecordBatch.at(batches, position);
      offsets.add(batch.baseOffset());
      position += batch.sizeInBytes();
    }
    return offsets;
  }
}
