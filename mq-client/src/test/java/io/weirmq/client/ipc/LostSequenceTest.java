package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.InitProducerIdResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A leader that knows nothing of a producer takes any sequence, also that behind a batch which it
 * has refused; and what a publisher makes of refusals.
 */
@Timeout(60)
class LostSequenceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final byte[] value = new byte[10];
  private final AtomicLong nanosAhead = new AtomicLong();

  private ScriptedBroker broker;
  private IpcClient client;
  private IpcPublisher publisher;

  /** For whom each look at the clock comes after every time-out. */
  private volatile @Nullable Thread impatient;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client =
        IpcClient.open(
            broker
                .options()
                .withReconnectBackoff(Duration.ofMillis(1))
                .withClocks(InstantSource.system(), this::nanoTime));
    publisher = client.publisher("t", 0, PublisherOptions.defaults());
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  private long nanoTime() {
    return Thread.currentThread() == impatient
        ? nanosAhead.addAndGet(Duration.ofHours(2).toNanos())
        : nanosAhead.get();
  }

  private void offer(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(publisher.offer(value, 0, value.length)).isNotNegative();
    }
  }

  /** Publishes a record and lets the broker acknowledge it, at the offset of its token. */
  private void acknowledgeOne() throws Exception {
    long token = publisher.offer(value, 0, value.length);
    broker.answer(broker.next(), ErrorCode.NONE, token);
    assertThat(publisher.awaitAppended(token, PATIENCE)).isTrue();
  }

  private ScriptedBroker.Batch nextOf(int baseSequence, int recordCount) throws Exception {
    ScriptedBroker.Batch batch = broker.next();
    assertThat(List.of(batch.baseSequence(), batch.recordCount()))
        .as("sequence and records")
        .containsExactly(baseSequence, recordCount);
    assertThat(batch.isSound()).isTrue();
    return batch;
  }

  @Test
  void untilTheLeaderKnowsTheProducerOneBatchIsUnderWay() throws Exception {
    offer(3);
    ScriptedBroker.Batch first = nextOf(0, 1);
    broker.answer(first, ErrorCode.KAFKA_STORAGE_ERROR, -1);
    ScriptedBroker.Batch again = nextOf(0, 1);
    assertThat(broker.isQuiet()).as("nothing that could be taken in front of it").isTrue();
    broker.answer(again, ErrorCode.NONE, 0);
    broker.answer(nextOf(1, 2), ErrorCode.NONE, 1);
    publisher.close();
    assertThat(publisher.lastAppendedOffset()).isEqualTo(2);
  }

  @Test
  void afterAMinuteWithoutAcknowledgementOneBatchIsUnderWayAgain() throws Exception {
    acknowledgeOne();
    nanosAhead.set(Duration.ofMinutes(1).toNanos());
    offer(3);
    ScriptedBroker.Batch first = nextOf(1, 1);
    assertThat(broker.isQuiet()).isTrue();
    broker.answer(first, ErrorCode.NONE, 1);
    broker.answer(nextOf(2, 2), ErrorCode.NONE, 2);
    publisher.close();
  }

  @Test
  void onANewConnectionToALeaderThatHasNothingOneBatchIsUnderWay() throws Exception {
    offer(2);
    broker.cut(nextOf(0, 1));
    // What was under way beside it would come before it comes again.
    broker.answer(nextOf(0, 1), ErrorCode.KAFKA_STORAGE_ERROR, -1);
    broker.answer(nextOf(0, 1), ErrorCode.NONE, 0);
    broker.answer(nextOf(1, 1), ErrorCode.NONE, 1);
    publisher.close();
  }

  /** The leader has forgotten the producer between the refusal and the next batch. */
  @Test
  void aBatchThatWasRefusedIsNotTakenForAppendedBecauseALaterOneIs() throws Exception {
    acknowledgeOne();
    offer(2);
    ScriptedBroker.Batch refused = nextOf(1, 1);
    ScriptedBroker.Batch later = nextOf(2, 1);
    broker.hasSequencesUpTo(2);
    broker.answer(refused, ErrorCode.NOT_ENOUGH_REPLICAS, -1);
    broker.answer(later, ErrorCode.NONE, 1);

    ScriptedBroker.Batch again = nextOf(1, 1);
    assertThat(again.connection()).isSameAs(refused.connection());
    assertThat(publisher.acknowledgedCount()).isEqualTo(1);
    broker.answer(again, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
    assertThatThrownBy(() -> publisher.awaitAppended(1, PATIENCE))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("from token 1 on, sequence 1")
        .hasMessageContaining("records may be lost");
    assertThat(publisher.acknowledgedCount()).isEqualTo(1);
  }

  @Test
  void norOnTheNextConnection_whereTheLeadersLastSequenceIsBehindIt() throws Exception {
    acknowledgeOne();
    offer(2);
    ScriptedBroker.Batch refused = nextOf(1, 1);
    ScriptedBroker.Batch later = nextOf(2, 1);
    broker.hasSequencesUpTo(2);
    broker.answer(refused, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1);
    broker.answer(later, ErrorCode.NONE, 1);

    ScriptedBroker.Batch again = nextOf(1, 1);
    assertThat(again.connection()).isNotSameAs(refused.connection());
    broker.answer(again, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
    assertThatThrownBy(() -> publisher.awaitAppended(1, PATIENCE))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("records may be lost");
    assertThat(publisher.acknowledgedCount()).isEqualTo(1);
  }

  /** Else a broker that comes back knowing a later one could not answer it as a repetition. */
  @Test
  void aBatchThatWasRefusedGoesAloneOnTheNextConnectionToo() throws Exception {
    acknowledgeOne();
    offer(3);
    ScriptedBroker.Batch refused = nextOf(1, 1);
    nextOf(2, 1);
    broker.hasSequencesUpTo(0);
    broker.answer(refused, ErrorCode.KAFKA_STORAGE_ERROR, -1);
    broker.cut(refused); // before all are answered, so that nothing goes again on it

    ScriptedBroker.Batch again = nextOf(1, 1);
    assertThat(again.connection()).isNotSameAs(refused.connection());
    broker.answer(again, ErrorCode.KAFKA_STORAGE_ERROR, -1);
    again = nextOf(1, 1); // what was under way beside it would have come first
    broker.hasSequencesUpTo(1);
    broker.cut(again);

    broker.answer(nextOf(1, 1), ErrorCode.DUPLICATE_SEQUENCE_NUMBER, -1);
    broker.answer(nextOf(2, 1), ErrorCode.NONE, 2);
    broker.answer(nextOf(3, 1), ErrorCode.NONE, 3);
    publisher.close();
    assertThat(publisher.acknowledgedCount()).isEqualTo(4);
  }

  @Test
  void aLeaderThatHasLostAProducerWithBatchesInDoubtEndsThePublisher() throws Exception {
    acknowledgeOne();
    offer(1);
    ScriptedBroker.Batch batch = nextOf(1, 1);
    broker.hasSequencesUpTo(-1);
    broker.cut(batch);
    assertThatThrownBy(() -> publisher.awaitAppended(1, PATIENCE))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("the leader of t-0 has acknowledged batches of this producer")
        .hasMessageContaining("id=77")
        .hasMessageContaining("from token 1 on may be lost");
    broker.awaitOpenedAndClosed(6); // three each time; what was sent on them has arrived
    assertThat(broker.isQuiet()).isTrue();
    assertThat(publisher.acknowledgedCount()).isEqualTo(1);
  }

  @Test
  void whereNothingIsInDoubtThePublisherGoesOnUnderAnotherIdentity() throws Exception {
    acknowledgeOne();
    acknowledgeOne();
    CountDownLatch asked = new CountDownLatch(1);
    broker.answerWith(
        ApiKey.INIT_PRODUCER_ID,
        () -> {
          asked.countDown();
          return new InitProducerIdResponse().setProducerId(78);
        });
    broker.hasSequencesUpTo(-1);
    broker.cutAll();
    assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
    offer(1);
    ScriptedBroker.Batch first = nextOf(0, 1);
    assertThat(first.producerId()).isEqualTo(78);
    broker.answer(first, ErrorCode.NONE, 2);
    assertThat(publisher.awaitAppended(2, PATIENCE)).isTrue();
    offer(1);
    broker.answer(nextOf(1, 1), ErrorCode.NONE, 3);
    publisher.close();
    assertThat(publisher.acknowledgedCount()).isEqualTo(4);
    assertThat(publisher.lastAppendedOffset()).isEqualTo(3);
  }

  /** As where records fill batches while it is away, which are sealed under the old identity. */
  @Test
  void whatWasNeverSentTakesTheOtherIdentity() throws Exception {
    publisher =
        client.publisher(
            "t", 0, PublisherOptions.defaults().withSizes(122, 4 * 122)); // 3 records each
    acknowledgeOne();
    CountDownLatch answered = new CountDownLatch(1);
    broker.answerWith(
        ApiKey.INIT_PRODUCER_ID,
        () -> {
          offer(5);
          answered.countDown();
          return new InitProducerIdResponse().setProducerId(78);
        });
    broker.hasSequencesUpTo(-1);
    broker.cutAll();
    assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
    int sequence = 0;
    while (sequence < 5) {
      ScriptedBroker.Batch batch = broker.next();
      assertThat(batch.producerId()).isEqualTo(78);
      assertThat(batch.baseSequence()).isEqualTo(sequence);
      assertThat(batch.isSound()).isTrue();
      sequence += batch.recordCount();
      broker.answer(batch, ErrorCode.NONE, sequence);
    }
    publisher.close();
    assertThat(publisher.acknowledgedCount()).isEqualTo(6);
  }

  @Test
  void whatIsRefusedForNowGoesAgainInOrderOnTheSameConnection_andTheReasonIsTold()
      throws Exception {
    acknowledgeOne();
    offer(2);
    ScriptedBroker.Batch first = nextOf(1, 1);
    ScriptedBroker.Batch second = nextOf(2, 1);
    broker.answer(first, ErrorCode.KAFKA_STORAGE_ERROR, -1);
    offer(1);
    broker.answer(second, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);

    ScriptedBroker.Batch again = nextOf(1, 1);
    assertThat(again.connection()).isSameAs(first.connection());
    assertThat(broker.isQuiet()).as("one, until something is taken").isTrue();
    assertThat(publisher.failure()).isNull();
    assertThat(publisher.connectFailure())
        .hasMessage("t-0 takes no batch now: the broker's disk failed (KAFKA_STORAGE_ERROR)");
    broker.answer(again, ErrorCode.KAFKA_STORAGE_ERROR, -1);
    broker.answer(nextOf(1, 1), ErrorCode.NONE, 1);
    broker.answer(nextOf(2, 1), ErrorCode.NONE, 2);
    broker.answer(nextOf(3, 1), ErrorCode.NONE, 3);
    publisher.close();
    assertThat(publisher.connectFailure()).isNull();
    assertThat(publisher.lastAppendedOffset()).isEqualTo(3);
  }

  @Test
  void aRepetitionThatIsRefusedForNowStillSpeaksForTheBatchesBeforeIt() throws Exception {
    acknowledgeOne();
    offer(2);
    nextOf(1, 1);
    ScriptedBroker.Batch second = nextOf(2, 1);
    broker.hasSequencesUpTo(2);
    broker.cut(second);
    ScriptedBroker.Batch repeated = nextOf(2, 1);
    broker.answer(repeated, ErrorCode.REQUEST_TIMED_OUT, -1);
    ScriptedBroker.Batch again = nextOf(2, 1);
    assertThat(again.connection()).isSameAs(repeated.connection());
    assertThat(publisher.acknowledgedCount()).isEqualTo(1);
    broker.answer(again, ErrorCode.NONE, 2);
    publisher.close();
    assertThat(publisher.acknowledgedCount()).isEqualTo(3);
  }

  @Test
  void theCloseSaysWhatIsRefused() throws Exception {
    offer(1);
    broker.answer(nextOf(0, 1), ErrorCode.NOT_ENOUGH_REPLICAS, -1);
    nextOf(0, 1);
    impatient = Thread.currentThread();
    assertThatThrownBy(publisher::close)
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("1 records of publisher of t-0 were not acknowledged")
        .hasMessageContaining("; last failure: t-0 takes no batch now: ")
        .hasRootCauseMessage(
            "t-0 takes no batch now: %s (NOT_ENOUGH_REPLICAS)"
                .formatted(ErrorCode.NOT_ENOUGH_REPLICAS.text()));
  }

  @Test
  void aThreadThatWaitsIsWokenByTheCloseThatGivesUp() throws Exception {
    offer(1);
    nextOf(0, 1);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return publisher.awaitAppended(0, Duration.ofHours(1));
              } catch (IpcException | InterruptedException e) {
                throw new IllegalStateException(e.getMessage(), e);
              }
            });
    impatient = Thread.currentThread();
    assertThatThrownBy(publisher::close)
        .hasMessageContaining("1 records of publisher of t-0 were not acknowledged");
    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("publisher of t-0 was closed");
    assertThat(publisher.failure()).as("it was closed, it has not failed").isNull();
    assertThat(publisher.offer(value, 0, 1)).isEqualTo(IpcPublisher.CLOSED);
  }
}
