package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeConfigsResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A publisher against a broker that answers as it is told. */
@Timeout(60)
class IpcPublisherTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BATCH_BYTES = 1024;

  private final byte[] value = new byte[100];
  private final BlockingQueue<String> appended = new LinkedBlockingQueue<>();

  private ScriptedBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client = broker.client();
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  private IpcPublisher publisher(Acknowledgement acknowledgement, int inFlight) throws Exception {
    return client.publisher(
        "t",
        0,
        PublisherOptions.defaults()
            .withAcknowledgement(acknowledgement)
            .withSizes(BATCH_BYTES, 4 * BATCH_BYTES)
            .withRequestsInFlightMax(inFlight)
            .withListener(
                (token, count, offset) -> appended.add(token + "+" + count + "@" + offset)));
  }

  /** A publisher that the broker knows, as it has acknowledged record 0, at offset 0. */
  private IpcPublisher knownPublisher(Acknowledgement acknowledgement, int inFlight)
      throws Exception {
    IpcPublisher publisher = publisher(acknowledgement, inFlight);
    assertThat(offer(publisher)).isZero();
    broker.answer(broker.next(), ErrorCode.NONE, 0);
    assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
    return publisher;
  }

  /** Waits, as a record counts as acknowledged just before the listener is told. */
  private void assertAppended(String... expected) throws InterruptedException {
    for (String each : expected) {
      assertThat(appended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(each);
    }
    assertThat(appended).isEmpty();
  }

  private long offer(IpcPublisher publisher) {
    return publisher.offer(value, 0, value.length);
  }

  @Test
  void recordsGatherWhileRequestsAreInFlight_andTheNextAnswerSendsThem() throws Exception {
    IpcPublisher publisher = knownPublisher(Acknowledgement.APPENDED, 2);
    for (int i = 1; i <= 7; i++) {
      assertThat(offer(publisher)).isEqualTo(i);
    }
    ScriptedBroker.Batch first = broker.next();
    ScriptedBroker.Batch second = broker.next();
    assertThat(first.recordCount()).isEqualTo(1);
    assertThat(second.recordCount()).isEqualTo(1);
    assertThat(broker.isQuiet()).isTrue();
    assertThat(first.acks()).isEqualTo((short) 1);
    assertThat(first.isSound()).isTrue();

    broker.answer(first, ErrorCode.NONE, 500);
    ScriptedBroker.Batch third = broker.next();
    assertThat(third.recordCount()).isEqualTo(5);
    assertThat(third.isSound()).isTrue();
    assertThat(List.of(first.baseSequence(), second.baseSequence(), third.baseSequence()))
        .containsExactly(1, 2, 3);
    assertThat(publisher.awaitAppended(1, PATIENCE)).isTrue();
    assertThat(publisher.awaitAppended(2, Duration.ZERO)).isFalse();

    broker.answer(second, ErrorCode.NONE, 510);
    broker.answer(third, ErrorCode.NONE, 511);
    publisher.close();
    assertAppended("0+1@0", "1+1@500", "2+1@510", "3+5@511");
    assertThat(publisher.acknowledgedCount()).isEqualTo(8);
    assertThat(publisher.lastAppendedOffset()).isEqualTo(515);
  }

  /** As where the program's own code fails between the two, in a try-with-resources. */
  @Test
  void aClaimThatWasLeftOpenIsAbortedByTheClose() throws Exception {
    RecordClaim claim = new RecordClaim();
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 2);
    assertThat(publisher.tryClaim(-1, 10, claim)).isZero();

    publisher.close();

    assertThat(publisher.acknowledgedCount()).isZero();
    assertThatThrownBy(claim::commit).isInstanceOf(IllegalStateException.class);
    assertThat(broker.isQuiet()).isTrue();
  }

  @Test
  void aSecondClaimBesideAnOpenOneIsRefused() throws Exception {
    RecordClaim claim = new RecordClaim();
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 2);
    assertThat(publisher.tryClaim(-1, 10, claim)).isZero();

    assertThatThrownBy(() -> offer(publisher))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("neither committed nor aborted");
    assertThatThrownBy(() -> publisher.tryClaim(-1, 10, new RecordClaim()))
        .isInstanceOf(IllegalStateException.class);

    claim.commit();
    ScriptedBroker.Batch first = broker.next();
    assertThat(first.recordCount()).as("the first is as it was").isEqualTo(1);
    broker.answer(first, ErrorCode.NONE, 0);
    assertThat(offer(publisher)).isEqualTo(1);
    broker.answer(broker.next(), ErrorCode.NONE, 1);
  }

  @Test
  void aTimeThatStandsForEverIsWaitedFor() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 2);
    offer(publisher);
    ScriptedBroker.Batch batch = broker.next();

    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return publisher.awaitAppended(0, Duration.ofMillis(Long.MAX_VALUE));
              } catch (IpcException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    broker.answer(batch, ErrorCode.NONE, 0);

    assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aFullPublisherSaysSo_andGoesOnWhenThereIsRoom() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.REPLICATED, 1);
    long last = 0;
    int count = 0;
    while (last >= 0) {
      last = offer(publisher);
      count++;
      assertThat(count).isLessThan(100);
    }
    assertThat(last).isEqualTo(IpcPublisher.BACK_PRESSURED);
    // One record went out alone; three batches of 1024 bytes hold the rest: 61 + 8 * (100 + 8).
    assertThat(count - 1).isEqualTo(1 + 3 * 8);

    broker.answer(broker.next(), ErrorCode.NONE, 0);
    assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
    assertThat(broker.next().recordCount()).isEqualTo(8);
    assertThat(offer(publisher)).isEqualTo(count - 1);
  }

  @Test
  void whatIsTooLargeOrClosedIsRefused() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 1);
    RecordClaim claim = new RecordClaim();
    assertThat(publisher.tryClaim(-1, BATCH_BYTES, claim)).isEqualTo(IpcPublisher.TOO_LARGE);
    assertThat(publisher.tryClaim(-1, BATCH_BYTES - 61, claim)).isEqualTo(IpcPublisher.TOO_LARGE);
    assertThatThrownBy(claim::commit).isInstanceOf(IllegalStateException.class);
    // length 2, attributes, time, offset, key length, value length 2, headers
    assertThat(publisher.tryClaim(-1, BATCH_BYTES - 61 - 9, claim)).isZero();
    claim.abort();
    assertThatThrownBy(claim::abort).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> publisher.tryClaim(-2, 1, claim))
        .isInstanceOf(IllegalArgumentException.class);
    publisher.close();
    assertThat(offer(publisher)).isEqualTo(IpcPublisher.CLOSED);
    assertThat(broker.isQuiet()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // a missing claim, as callers without a checker may pass
  void aRecordWhoseBufferIsShortenedMeanwhileNeverWas_andTheNextOneGoesOut() throws Exception {
    ByteBuffer shortened = ByteBuffer.allocate(10);
    AtomicBoolean shorten = new AtomicBoolean();
    // The publisher looks at the clock between the length and the bytes.
    InstantSource clock =
        () -> {
          if (shorten.get()) {
            shortened.limit(5);
          }
          return Instant.EPOCH;
        };
    client.close();
    client = IpcClient.open(broker.options().withClocks(clock, System::nanoTime));
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 1);
    shorten.set(true);
    assertThatThrownBy(() -> publisher.offer(null, shortened))
        .isInstanceOf(IndexOutOfBoundsException.class);
    shorten.set(false);
    assertThatThrownBy(() -> publisher.tryClaim(-1, 1, null))
        .isInstanceOf(NullPointerException.class);

    assertThat(offer(publisher)).isZero();
    ScriptedBroker.Batch only = broker.next();
    assertThat(only.recordCount()).isEqualTo(1);
    assertThat(only.isSound()).isTrue();
    broker.answer(only, ErrorCode.NONE, 7);
    publisher.close();
    assertAppended("0+1@7");
  }

  @Test
  void withoutMemoryForABatchOfferThrows_andNeitherTurnNorRoomIsLost() throws Exception {
    int moreThanThereIs = Integer.MAX_VALUE - 4096; // tests run with a heap of 1 GiB, the bound
    IpcPublisher publisher =
        client.publisher(
            "t", 0, PublisherOptions.defaults().withSizes(moreThanThereIs, 2L * moreThanThereIs));
    for (int i = 0; i < 3; i++) { // one more than there is room for
      assertThatThrownBy(() -> offer(publisher)).isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(publisher.failure()).isNull();
    publisher.close();
  }

  @Test
  void aListenerThatThrowsCostsNeitherTheConnectionNorWhoWaits() throws Exception {
    IpcPublisher publisher =
        client.publisher(
            "t",
            0,
            PublisherOptions.defaults()
                .withListener(
                    (token, count, offset) -> {
                      throw new IllegalStateException("thrown by the test's listener");
                    }));
    offer(publisher);
    ScriptedBroker.Batch first = broker.next();
    broker.answer(first, ErrorCode.NONE, 3);
    assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
    offer(publisher);
    ScriptedBroker.Batch second = broker.next();
    assertThat(second.connection()).isSameAs(first.connection());
    assertThat(second.baseSequence()).isEqualTo(1);
    broker.answer(second, ErrorCode.NONE, 4);
    publisher.close();
    assertThat(publisher.lastAppendedOffset()).isEqualTo(4);
  }

  @Test
  void aBrokenConnectionIsMadeAnew_andAllThatWasNotAcknowledgedIsSentAgainInOrder()
      throws Exception {
    IpcPublisher publisher = knownPublisher(Acknowledgement.APPENDED, 2);
    for (int i = 0; i < 5; i++) {
      offer(publisher);
    }
    ScriptedBroker.Batch first = broker.next();
    broker.next();
    broker.hasSequencesUpTo(0);
    broker.cut(first);

    ScriptedBroker.Batch again = broker.next();
    assertThat(again.baseSequence()).isEqualTo(1);
    assertThat(again.producerId()).isEqualTo(77);
    ScriptedBroker.Batch secondAgain = broker.next();
    assertThat(secondAgain.baseSequence()).isEqualTo(2);
    broker.answer(again, ErrorCode.DUPLICATE_SEQUENCE_NUMBER, -1);
    broker.answer(secondAgain, ErrorCode.NONE, 8);
    ScriptedBroker.Batch rest = broker.next();
    assertThat(rest.baseSequence()).isEqualTo(3);
    assertThat(rest.recordCount()).isEqualTo(3);
    broker.answer(rest, ErrorCode.NONE, 9);
    publisher.close();
    assertAppended("0+1@0", "1+1@-1", "2+1@8", "3+3@9");
  }

  @Test
  void ofWhatTheBrokerHasOnlyTheLastBatchIsSentAgain_andItsAnswerIsWaitedFor() throws Exception {
    IpcPublisher publisher = knownPublisher(Acknowledgement.REPLICATED, 3);
    for (int i = 0; i < 6; i++) {
      offer(publisher);
    }
    ScriptedBroker.Batch first = broker.next();
    broker.next();
    broker.next();
    broker.hasSequencesUpTo(2);
    broker.cut(first);

    ScriptedBroker.Batch repeated = broker.next();
    assertThat(repeated.baseSequence()).isEqualTo(2);
    ScriptedBroker.Batch third = broker.next();
    assertThat(third.baseSequence()).isEqualTo(3);
    assertThat(publisher.acknowledgedCount()).as("replicas or the disk lag").isEqualTo(1);

    broker.answer(repeated, ErrorCode.NONE, 11);
    ScriptedBroker.Batch rest = broker.next();
    assertThat(publisher.acknowledgedCount()).isEqualTo(3);
    assertThat(rest.baseSequence()).isEqualTo(4);
    assertThat(rest.recordCount()).isEqualTo(3);

    broker.hasSequencesUpTo(6);
    broker.cut(rest);
    ScriptedBroker.Batch restAgain = broker.next();
    assertThat(restAgain.baseSequence()).isEqualTo(4);
    assertThat(publisher.acknowledgedCount()).isEqualTo(3);
    broker.answer(restAgain, ErrorCode.NONE, 13);
    publisher.close();
    assertThat(broker.isQuiet()).isTrue();
    assertAppended("0+1@0", "1+1@-1", "2+1@11", "3+1@-1", "4+3@13");
  }

  @Test
  void whatALeaderHadIsSentAgainWhereTheNextOneLacksIt() throws Exception {
    IpcPublisher publisher = knownPublisher(Acknowledgement.REPLICATED, 2);
    offer(publisher);
    offer(publisher);
    broker.next();
    broker.hasSequencesUpTo(2);
    broker.cut(broker.next());
    ScriptedBroker.Batch repeated = broker.next();
    assertThat(repeated.baseSequence()).isEqualTo(2);

    broker.hasSequencesUpTo(0);
    broker.cut(repeated);
    ScriptedBroker.Batch first = broker.next();
    ScriptedBroker.Batch second = broker.next();
    assertThat(List.of(first.baseSequence(), second.baseSequence())).containsExactly(1, 2);
    broker.answer(first, ErrorCode.NONE, 20);
    broker.answer(second, ErrorCode.NONE, 21);
    publisher.close();
    assertAppended("0+1@0", "1+1@20", "2+1@21");
  }

  @Test
  void aTemporaryErrorSendsEverythingAgain() throws Exception {
    IpcPublisher publisher = knownPublisher(Acknowledgement.REPLICATED, 2);
    offer(publisher);
    offer(publisher);
    ScriptedBroker.Batch first = broker.next();
    ScriptedBroker.Batch second = broker.next();
    broker.hasSequencesUpTo(0);
    broker.answer(first, ErrorCode.NOT_LEADER_OR_FOLLOWER, -1);
    broker.answer(second, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);

    ScriptedBroker.Batch again = broker.next();
    assertThat(again.baseSequence()).isEqualTo(1);
    assertThat(again.connection()).isNotSameAs(first.connection());
    assertThat(publisher.connectFailure()).hasMessageContaining("NOT_LEADER_OR_FOLLOWER");
    broker.answer(again, ErrorCode.NONE, 3);
    broker.answer(broker.next(), ErrorCode.NONE, 4);
    publisher.close();
    assertThat(publisher.connectFailure()).isNull();
    assertAppended("0+1@0", "1+1@3", "2+1@4");
    assertThat(publisher.failure()).isNull();
  }

  /** As of a configuration that a broker keeps to itself. */
  @Test
  void aFlushPolicyWithoutAValueIsNotKnown() {
    broker.answerWith(
        ApiKey.DESCRIBE_CONFIGS,
        () ->
            new DescribeConfigsResponse()
                .setResults(
                    List.of(
                        new DescribeConfigsResponse.DescribeConfigsResult()
                            .setResourceName("t")
                            .setConfigs(
                                List.of(
                                    new DescribeConfigsResponse.DescribeConfigsResourceResult()
                                        .setName("flush.messages")
                                        .setValue(null))))));
    assertThatThrownBy(() -> publisher(Acknowledgement.FLUSHED, 1))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("topic t has flush.messages=unknown, and FLUSHED needs 1");
  }

  @Test
  void aGapInTheSequenceIsFatal() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 1);
    offer(publisher);
    broker.answer(broker.next(), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
    assertThatThrownBy(() -> publisher.awaitAppended(0, PATIENCE))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("t-0 refused a batch of 1 records from token 0 on, sequence 0")
        .hasMessageContaining("records may be lost");
    assertThat(offer(publisher)).isEqualTo(IpcPublisher.FAILED);
    assertThatThrownBy(publisher::close).isInstanceOf(IpcException.class);
  }

  @Test
  void fireAndForgetDropsWhatWasUnderWay_andCountsIt() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.FIRE_AND_FORGET, 1);
    offer(publisher);
    offer(publisher);
    ScriptedBroker.Batch first = broker.next();
    assertThat(first.producerId()).isEqualTo(-1);
    broker.cut(first);
    ScriptedBroker.Batch second = broker.next();
    assertThat(second.recordCount()).isEqualTo(1);
    assertThat(publisher.droppedCount()).isEqualTo(1);
    broker.answer(second, ErrorCode.NONE, 40);
    publisher.close();
    assertAppended("1+1@40");
  }

  @Test
  void nobodyWaitsForWhatFireAndForgetHasDropped_evenIfTheBrokerStaysAway() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.FIRE_AND_FORGET, 2);
    offer(publisher);
    offer(publisher);
    assertThat(broker.next().acks()).isEqualTo((short) 1);
    broker.next();
    broker.close();
    assertThat(publisher.awaitAppended(1, PATIENCE)).isTrue();
    assertThat(publisher.droppedCount()).isEqualTo(2);
    publisher.close();
    assertThat(publisher.acknowledgedCount()).isEqualTo(2);
    assertThat(publisher.lastAppendedOffset()).isEqualTo(-1);
    assertThat(appended).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"MESSAGE_TOO_LARGE", "KAFKA_STORAGE_ERROR"})
  void whatIsRefusedOfFireAndForgetIsCounted_andTheReasonTold(ErrorCode error) throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ConnectFailures.class);
    logger.addAppender(log);
    try {
      IpcPublisher publisher = publisher(Acknowledgement.FIRE_AND_FORGET, 1);
      offer(publisher);
      broker.answer(broker.next(), error, -1);
      assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
      String reason = "t-0 has refused a batch: %s (%s)".formatted(error.text(), error);
      assertThat(publisher.connectFailure()).hasMessage(reason);
      offer(publisher);
      broker.answer(broker.next(), ErrorCode.NONE, 6);
      publisher.close();
      assertThat(publisher.connectFailure()).isNull();
      assertThat(publisher.droppedCount()).isEqualTo(1);
      assertAppended("1+1@6");
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly("publisher of t-0 has dropped 1 records: " + reason);
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  @DisplayName("SM-02: a publisher that pauses between claim and commit holds up no I/O thread")
  void aPauseBetweenClaimAndCommitHoldsUpNothing() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 1);
    offer(publisher);
    RecordClaim claim = new RecordClaim();
    assertThat(publisher.tryClaim(-1, 4, claim)).isEqualTo(1);
    broker.answer(broker.next(), ErrorCode.NONE, 0);
    // The I/O thread takes the answer although the turn is taken.
    assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
    assertThat(broker.isQuiet()).isTrue();
    claim.commit();
    ScriptedBroker.Batch second = broker.next();
    assertThat(second.recordCount()).isEqualTo(1);
    broker.answer(second, ErrorCode.NONE, 1);
    publisher.close();
  }

  @Test
  void severalThreadsShareAPublisher() throws Exception {
    IpcPublisher publisher = publisher(Acknowledgement.APPENDED, 2);
    CountDownLatch done = new CountDownLatch(4);
    Thread answering =
        new Thread(
            () -> {
              long offset = 0;
              try {
                while (offset < 4000) {
                  ScriptedBroker.Batch batch = broker.next();
                  broker.answer(
                      batch, batch.isSound() ? ErrorCode.NONE : ErrorCode.CORRUPT_MESSAGE, offset);
                  offset += batch.recordCount();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    answering.start();
    for (int t = 0; t < 4; t++) {
      new Thread(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  while (offer(publisher) < 0) {
                    Thread.onSpinWait();
                  }
                }
                done.countDown();
              })
          .start();
    }
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    publisher.close();
    answering.join();
    assertThat(publisher.acknowledgedCount()).isEqualTo(4000);
    assertThat(publisher.lastAppendedOffset()).isEqualTo(3999);
  }
}
