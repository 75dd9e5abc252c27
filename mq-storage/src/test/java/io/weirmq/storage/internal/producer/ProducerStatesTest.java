package io.weirmq.storage.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.TopicPartition;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProducerStatesTest {

  private static final TopicPartition PARTITION = new TopicPartition("orders", 3);

  private final ProducerStates states = new ProducerStates(PARTITION);
  private final LogOfBatches log = new LogOfBatches(states);

  // ---- sequences ----

  @Test
  void batchesWithoutAProducerAlwaysFit() throws Exception {
    assertThat(log.append(Batch.of(-1, -1, -1, 3))).isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(states.size()).isZero();
  }

  @Test
  @DisplayName("GT-02 an unknown producer may begin with any sequence")
  void gt02_unknownProducerWithAnySequence() throws Exception {
    assertThat(log.append(Batch.of(7, 2, 4711, 3))).isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(log.append(Batch.of(7, 2, 4714, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  @Test
  @DisplayName("GT-02 a producer that slept past its expiry goes on with its next sequence")
  void gt02_idleProducerGoesOnAfterItsExpiry() throws Exception {
    log.append(Batch.of(7, 2, 0, 5).at(1000));
    log.append(Batch.of(8, 0, 0, 5).at(5000));

    assertThat(states.expire(1999, 1000)).isZero();
    assertThat(states.expire(2000, 1000)).isEqualTo(1);

    assertThat(log.append(Batch.of(7, 2, 5, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(log.append(Batch.of(8, 0, 5, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  @Test
  void aGapIsOutOfOrderAndRemembersNothing() throws Exception {
    log.append(Batch.of(7, 0, 0, 5));
    assertRefused(
        log.append(Batch.of(7, 0, 6, 1)),
        RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "orders-3: batch of producer 7 (epoch 0) has sequence 6; expected exactly 5");
    assertThat(log.append(Batch.of(7, 0, 5, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  @Test
  void anOlderEpochIsRefusedAndANewerOneBeginsAtZero() throws Exception {
    log.append(Batch.of(7, 3, 0, 5));
    assertRefused(
        log.append(Batch.of(7, 2, 5, 1)),
        RejectReason.INVALID_PRODUCER_EPOCH,
        "has epoch 2; expected at least 3");
    assertRefused(
        log.append(Batch.of(7, 4, 5, 1)),
        RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "expected exactly 0");
    assertThat(log.append(Batch.of(7, 4, 0, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
    // The batches of the old epoch are forgotten with it.
    assertRefused(
        log.append(Batch.of(7, 3, 0, 5)), RejectReason.INVALID_PRODUCER_EPOCH, "at least 4");
  }

  @Test
  void sequencesWrapToZero() throws Exception {
    log.append(Batch.of(7, 0, Integer.MAX_VALUE - 1, 2));
    assertThat(log.append(Batch.of(7, 0, 0, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
    log.append(Batch.of(8, 0, Integer.MAX_VALUE - 1, 5));
    assertRefused(
        log.append(Batch.of(8, 0, 0, 1)),
        RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "expected exactly 3");
    assertThat(log.append(Batch.of(8, 0, Integer.MAX_VALUE - 1, 5)))
        .isInstanceOf(SequenceCheck.Repeated.class);
    assertThat(log.append(Batch.of(8, 0, 3, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  @Test
  void aRepetitionHasTheOffsetsAndTimeOfTheFirst() throws Exception {
    log.append(Batch.of(-1, -1, -1, 10));
    log.append(Batch.of(7, 0, 0, 5).at(1234));
    log.append(Batch.of(7, 0, 5, 2).at(2000));
    assertThat(log.append(Batch.of(7, 0, 0, 5).at(9999)))
        .isEqualTo(new SequenceCheck.Repeated(10, 14, 1234));
  }

  @Test
  void fiveBatchesAreRemembered() throws Exception {
    for (int i = 0; i < 6; i++) {
      log.append(Batch.of(7, 0, 2 * i, 2));
    }
    assertRefused(
        log.append(Batch.of(7, 0, 0, 2)),
        RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "expected exactly 12");
    for (int i = 1; i < 6; i++) {
      assertThat(log.append(Batch.of(7, 0, 2 * i, 2)))
          .isEqualTo(new SequenceCheck.Repeated(2L * i, 2L * i + 1, 0));
    }
  }

  @Test
  void aPartOfABatchIsNoRepetition() throws Exception {
    log.append(Batch.of(7, 0, 0, 5));
    assertRefused(
        log.append(Batch.of(7, 0, 0, 4)), RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER, "exactly 5");
    assertRefused(
        log.append(Batch.of(7, 0, 1, 4)), RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER, "exactly 5");
  }

  @Test
  void coordinatorsAreCheckedForEpochsOnlyAndLeadersNotAtAll() throws Exception {
    log.append(Batch.of(7, 3, 0, 5));
    assertThat(states.check(Batch.of(7, 3, 99, 1).build(), AppendOrigin.COORDINATOR))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertRefused(
        states.check(Batch.of(7, 2, 5, 1).build(), AppendOrigin.COORDINATOR),
        RejectReason.INVALID_PRODUCER_EPOCH,
        "at least 3");
    assertThat(states.check(Batch.of(7, 2, 99, 1).build(), AppendOrigin.REPLICATION))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  // ---- staging ----

  @Test
  void laterChecksSeeWhatIsStaged() throws Exception {
    states.stage(Batch.of(7, 0, 0, 5).build());
    assertThat(states.check(Batch.of(7, 0, 5, 1).build(), AppendOrigin.CLIENT))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(states.check(Batch.of(7, 0, 0, 5).build(), AppendOrigin.CLIENT))
        .isEqualTo(new SequenceCheck.Repeated(0, 4, 0));
    assertThat(states.summaries()).isEmpty();
  }

  @Test
  void whatWasNotWrittenIsForgotten() throws Exception {
    log.append(Batch.of(7, 0, 0, 5));
    states.stage(Batch.of(7, 0, 5, 5).transactional().offset(5).build());
    states.stage(Batch.of(9, 0, 0, 5).offset(10).build());
    states.discard();

    assertThat(states.check(Batch.of(7, 0, 10, 1).build(), AppendOrigin.CLIENT))
        .isInstanceOf(SequenceCheck.Refused.class);
    assertThat(states.check(Batch.of(7, 0, 5, 5).build(), AppendOrigin.CLIENT))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(states.firstUnstableOffset()).isEqualTo(-1);
    assertThat(states.size()).isEqualTo(1);
  }

  // ---- transactions ----

  @Test
  void anOpenTransactionHoldsTheLastStableOffsetBack() throws Exception {
    log.append(Batch.of(-1, -1, -1, 10));
    log.append(Batch.of(7, 0, 0, 5).transactional());
    log.append(Batch.of(8, 0, 0, 5).transactional());
    assertThat(states.firstUnstableOffset()).isEqualTo(10);
    assertThat(states.lastStableOffset(20)).isEqualTo(10);
    assertThat(states.lastStableOffset(4)).isEqualTo(4);
    assertThat(states.hasOpenTransaction(7)).isTrue();

    Optional<CompletedTransaction> completed = log.marker(7, 0, false, 1);

    // The marker lies at 20: decided for a reader once the high watermark is above it.
    assertThat(completed).contains(new CompletedTransaction(7, 10, 20, true));
    assertThat(states.lastStableOffsetBehind(completed.orElseThrow())).isEqualTo(15);
    assertThat(states.hasOpenTransaction(7)).isFalse();
    assertThat(states.lastStableOffset(21)).isEqualTo(10);
    states.onHighWatermark(20);
    assertThat(states.lastStableOffset(20)).isEqualTo(10);
    states.onHighWatermark(21);
    assertThat(states.lastStableOffset(21)).isEqualTo(15);
    completed = log.marker(8, 0, true, 1);
    assertThat(states.lastStableOffsetBehind(completed.orElseThrow())).isEqualTo(22);
    states.onHighWatermark(22);
    assertThat(states.firstUnstableOffset()).isEqualTo(-1);
    assertThat(states.lastStableOffset(22)).isEqualTo(22);
  }

  @Test
  void aTransactionThatIsOnlyStagedHoldsTheLastStableOffsetOfAMarkerBack() throws Exception {
    states.stage(Batch.of(7, 0, 0, 5).transactional().offset(0).build());
    states.stage(Batch.of(8, 0, 0, 5).transactional().offset(5).build());
    CompletedTransaction first =
        states.stage(Batch.marker(7, 0, false, 1).offset(10).build()).orElseThrow();

    assertThat(states.lastStableOffsetBehind(first)).isEqualTo(5);

    CompletedTransaction second =
        states.stage(Batch.marker(8, 0, false, 1).offset(11).build()).orElseThrow();
    assertThat(states.lastStableOffsetBehind(second)).isEqualTo(12);
  }

  @Test
  void aTransactionWhoseMarkerIsStagedHoldsNothingBack() throws Exception {
    log.append(Batch.of(7, 0, 0, 5).transactional());
    log.append(Batch.of(8, 0, 0, 5).transactional());
    states.stage(Batch.marker(7, 0, false, 1).offset(10).build());
    CompletedTransaction second =
        states.stage(Batch.marker(8, 0, false, 1).offset(11).build()).orElseThrow();

    assertThat(states.lastStableOffsetBehind(second)).isEqualTo(12);
  }

  @Test
  void aTransactionMayBeginAndEndWithinOneWrite() throws Exception {
    states.stage(Batch.of(7, 0, 0, 5).transactional().build());
    Optional<CompletedTransaction> completed =
        states.stage(Batch.marker(7, 0, true, 1).offset(5).build());
    states.stage(Batch.of(7, 0, 5, 1).transactional().offset(6).build());
    states.commit();

    assertThat(completed).contains(new CompletedTransaction(7, 0, 5, false));
    assertThat(states.firstUnstableOffset()).isZero();
    states.onHighWatermark(6);
    assertThat(states.firstUnstableOffset()).isEqualTo(6);
  }

  @Test
  void abatchOutsideOfAnOpenTransactionIsRefused() throws Exception {
    log.append(Batch.of(7, 0, 0, 5).transactional());
    assertRefused(
        log.append(Batch.of(7, 0, 5, 1)), RejectReason.INVALID_TXN_STATE, "open since offset 0");
  }

  @Test
  void markersAreCheckedForBothEpochs() throws Exception {
    log.append(Batch.of(7, 3, 0, 5).transactional());
    log.marker(7, 3, true, 10);
    assertRefused(
        states.check(Batch.marker(7, 3, true, 9).build(), AppendOrigin.COORDINATOR),
        RejectReason.TRANSACTION_COORDINATOR_FENCED,
        "coordinator epoch 9; expected at least 10");
    assertRefused(
        states.check(Batch.marker(7, 2, true, 10).build(), AppendOrigin.COORDINATOR),
        RejectReason.INVALID_PRODUCER_EPOCH,
        "at least 3");
    // Again, or without data on the partition: written, and moves nothing.
    assertThat(log.marker(7, 3, true, 10)).isEmpty();
    assertThat(log.marker(99, 0, false, 1)).isEmpty();
    assertThat(states.firstUnstableOffset()).isZero();
    states.onHighWatermark(100);
    assertThat(states.firstUnstableOffset()).isEqualTo(-1);
  }

  @Test
  void aMarkerThatBumpsTheEpochMakesSequencesBeginAtZero() throws Exception {
    log.append(Batch.of(7, 3, 0, 5).transactional());
    log.marker(7, 4, false, 10);
    assertRefused(
        log.append(Batch.of(7, 3, 5, 1)), RejectReason.INVALID_PRODUCER_EPOCH, "at least 4");
    assertRefused(
        log.append(Batch.of(7, 4, 5, 1)), RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER, "exactly 0");
    assertThat(log.append(Batch.of(7, 4, 0, 1))).isEqualTo(SequenceCheck.Fits.INSTANCE);
  }

  @Test
  void producersWithAnOpenTransactionNeverExpire() throws Exception {
    log.append(Batch.of(7, 0, 0, 5).transactional().at(0));
    assertThat(states.expire(Long.MAX_VALUE, 1)).isZero();
    log.marker(7, 0, true, 1);
    assertThat(states.expire(Long.MAX_VALUE, 1)).isEqualTo(1);
  }

  // ---- bounds and copies ----

  @Test
  void theLongestIdleAreForgottenAboveTheBound() throws Exception {
    ProducerStates bounded = new ProducerStates(PARTITION, 64);
    bounded.replay(Batch.of(1000, 0, 0, 1).transactional().at(0).build());
    for (int id = 0; id < 500; id++) {
      bounded.replay(Batch.of(id, 0, 0, 1).at(id).build());
      assertThat(bounded.size()).isLessThanOrEqualTo(64);
    }
    assertThat(bounded.hasOpenTransaction(1000)).isTrue();
    assertThat(bounded.summaries())
        .extracting(ProducerSummary::producerId)
        .contains(499L, 460L)
        .doesNotContain(0L, 400L);
  }

  @Test
  void summariesTellWhatIsKnown() throws Exception {
    log.append(Batch.of(-1, -1, -1, 4));
    log.append(Batch.of(7, 3, 10, 5).transactional().at(1234));
    assertThat(states.summaries())
        .containsExactly(new ProducerSummary(7, (short) 3, 14, 1234, -1, 4));
  }

  private static void assertRefused(SequenceCheck check, RejectReason reason, String message) {
    assertThat(check)
        .isInstanceOfSatisfying(
            SequenceCheck.Refused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(reason);
              assertThat(refused.message()).contains("orders-3", message);
            });
  }
}
