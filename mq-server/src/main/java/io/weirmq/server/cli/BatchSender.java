package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Collects records per partition and sends them as batches of an idempotent producer, at most
 * {@link #BATCHES_IN_FLIGHT_MAX} at a time, in order. A failed batch ends it: nothing is sent
 * behind a gap. Confined to one thread.
 */
final class BatchSender {

  /** Batches that may wait for an answer; idempotence holds for up to five per partition. */
  static final int BATCHES_IN_FLIGHT_MAX = 5;

  private static final int TIMEOUT_MS = 30_000;

  private final ClusterClient client;
  private final MetadataResponse.MetadataResponseTopic topic;
  private final ProduceOptions options;
  private final Compressor compressor = new Compressor();
  private final RecordBatchBuilder[] open;
  private final int[] nextSequence;
  private final ArrayDeque<SentBatch> inFlight = new ArrayDeque<>();
  private final ClusterClient.Broker[] leaders;
  private final long producerId;
  private final short producerEpoch;
  private long acknowledged;

  /**
   * How batches are made.
   *
   * @param acks 0, 1 or -1
   * @param batchBytes size in bytes at which a batch is sent, before compression
   * @param compression codec
   */
  record ProduceOptions(short acks, int batchBytes, CompressionType compression) {}

  /** A batch that waits for its answer. */
  private record SentBatch(int recordCount, CompletionStage<Reply<ProduceResponse>> reply) {}

  BatchSender(
      ClusterClient client, MetadataResponse.MetadataResponseTopic topic, ProduceOptions options)
      throws IOException {
    this.client = client;
    this.topic = topic;
    this.options = options;
    int count = topic.partitions().size();
    this.open = new RecordBatchBuilder[count];
    this.nextSequence = new int[count];
    this.leaders = new ClusterClient.Broker[count];
    if (options.acks() == -1) {
      InitProducerIdRequest request = new InitProducerIdRequest().setTransactionalId(null);
      try (Reply<InitProducerIdResponse> reply =
          client.anyBroker().call(ApiKey.INIT_PRODUCER_ID, request, InitProducerIdResponse.class)) {
        CommandFailedException.check(reply.message().errorCode(), "producer id", null);
        this.producerId = reply.message().producerId();
        this.producerEpoch = reply.message().producerEpoch();
      }
    } else {
      this.producerId = RecordBatch.NO_PRODUCER_ID;
      this.producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
    }
  }

  /** The number of records that the broker has acknowledged (with acks=0: that were sent). */
  long acknowledged() {
    return acknowledged;
  }

  /**
   * Takes a record; sends its partition's batch where it is full.
   *
   * @return whether a batch was sent
   */
  boolean add(int partition, long timestampMs, byte @Nullable [] key, byte[] value)
      throws IOException {
    RecordBatchBuilder batch = open[partition];
    if (batch == null) {
      batch = new RecordBatchBuilder(compressor).compression(options.compression());
      open[partition] = batch;
    }
    batch.append(timestampMs, key == null ? null : ByteBuffer.wrap(key), ByteBuffer.wrap(value));
    if (batch.sizeInBytes() < options.batchBytes()) {
      return false;
    }
    send(partition, batch);
    return true;
  }

  /** Sends what is collected and waits for all answers. */
  void flush() throws IOException {
    for (int partition = 0; partition < open.length; partition++) {
      RecordBatchBuilder batch = open[partition];
      if (batch != null) {
        send(partition, batch);
      }
    }
    awaitDownTo(0);
  }

  private void send(int partition, RecordBatchBuilder batch) throws IOException {
    open[partition] = null;
    if (producerId != RecordBatch.NO_PRODUCER_ID) {
      batch.producer(producerId, producerEpoch, nextSequence[partition]);
      nextSequence[partition] =
          RecordBatch.incrementSequence(nextSequence[partition], batch.recordCount());
    }
    int recordCount = batch.recordCount();
    ProduceRequest request = request(partition, batch.build());
    ClusterClient.Broker leader = leader(partition);
    if (options.acks() == 0) {
      client.await(leader.channel().sendOneWay(ApiKey.PRODUCE, request));
      acknowledged += recordCount;
      return;
    }
    inFlight.add(
        new SentBatch(
            recordCount, leader.channel().send(ApiKey.PRODUCE, request, ProduceResponse.class)));
    awaitDownTo(BATCHES_IN_FLIGHT_MAX - 1);
  }

  private ProduceRequest request(int partition, ByteBuffer batch) {
    UUID topicId = topic.topicId();
    return new ProduceRequest()
        .setAcks(options.acks())
        .setTimeoutMs(TIMEOUT_MS)
        .setTopicData(
            List.of(
                new ProduceRequest.TopicProduceData()
                    .setName(String.valueOf(topic.name()))
                    .setTopicId(topicId)
                    .setPartitionData(
                        List.of(
                            new ProduceRequest.PartitionProduceData()
                                .setIndex(partition)
                                .setRecords(RecordsData.of(batch))))));
  }

  private ClusterClient.Broker leader(int partition) throws IOException {
    ClusterClient.Broker leader = leaders[partition];
    if (leader == null) {
      leader = client.leader(String.valueOf(topic.name()), partition);
      leaders[partition] = leader;
    }
    return leader;
  }

  private void awaitDownTo(int count) throws IOException {
    while (inFlight.size() > count) {
      SentBatch sent = inFlight.remove();
      try (Reply<ProduceResponse> reply = client.await(sent.reply())) {
        for (var topicResponse : reply.message().responses()) {
          for (var partition : topicResponse.partitionResponses()) {
            if (partition.errorCode() != ErrorCode.NONE.code()) {
              CommandFailedException.check(
                  partition.errorCode(),
                  "partition %s-%d".formatted(topic.name(), partition.index()),
                  partition.errorMessage());
            }
          }
        }
        acknowledged += sent.recordCount();
      }
    }
  }
}
