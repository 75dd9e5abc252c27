package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DescribeProducersRequest;
import io.weirmq.protocol.message.DescribeProducersResponse;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.storage.record.RecordBatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Asks brokers for a producer's identity, and for what they have of it. Never blocks; immutable.
 */
final class ProducerRegistration {

  private static final short INIT_PRODUCER_ID_VERSION = 2;
  private static final short DESCRIBE_PRODUCERS_VERSION = 0;

  private final BrokerCalls calls;

  ProducerRegistration(BrokerCalls calls) {
    this.calls = calls;
  }

  /** Asks for an identity under which batches are told apart from their repetitions. */
  CompletableFuture<ProducerIdentity> newProducer(RequestChannel channel) {
    InitProducerIdRequest request =
        new InitProducerIdRequest()
            .setTransactionalId(null)
            .setTransactionTimeoutMs(Integer.MAX_VALUE);
    return calls
        .ask(
            channel,
            ApiKey.INIT_PRODUCER_ID,
            INIT_PRODUCER_ID_VERSION,
            request,
            InitProducerIdResponse.class)
        .thenApply(BrokerCalls::takeOut)
        .thenApply(
            answer -> {
              ErrorCode error = ErrorCode.forCode(answer.errorCode());
              if (error != ErrorCode.NONE) {
                throw BrokerCalls.failed("no producer id: %s (%s)".formatted(error.text(), error));
              }
              return new ProducerIdentity(answer.producerId(), answer.producerEpoch());
            });
  }

  /**
   * Asks for the sequence number of the last record that a leader has of a producer.
   *
   * @return {@link RecordBatch#NO_SEQUENCE} where it has none
   */
  CompletableFuture<Integer> lastSequence(
      RequestChannel leader, String topic, int partition, ProducerIdentity producer) {
    DescribeProducersRequest request =
        new DescribeProducersRequest()
            .setTopics(
                List.of(
                    new DescribeProducersRequest.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partition))));
    return calls
        .ask(
            leader,
            ApiKey.DESCRIBE_PRODUCERS,
            DESCRIBE_PRODUCERS_VERSION,
            request,
            DescribeProducersResponse.class)
        .thenApply(BrokerCalls::takeOut)
        .thenApply(answer -> lastSequenceIn(answer, topic, partition, producer));
  }

  private static int lastSequenceIn(
      DescribeProducersResponse answer, String topic, int partition, ProducerIdentity producer) {
    var found = answer.topics().get(0).partitions().get(0);
    ErrorCode error = ErrorCode.forCode(found.errorCode());
    if (error != ErrorCode.NONE) {
      throw BrokerCalls.failed(
          "producers of %s-%d: %s (%s)".formatted(topic, partition, error.text(), error));
    }
    return found.activeProducers().stream()
        .filter(
            each -> each.producerId() == producer.id() && each.producerEpoch() == producer.epoch())
        .mapToInt(DescribeProducersResponse.ProducerState::lastSequence)
        .findFirst()
        .orElse(RecordBatch.NO_SEQUENCE);
  }
}
