package io.weirmq.transport.shm.internal.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class MappingLedgerTest {

  private final AtomicInteger collections = new AtomicInteger();
  private final MappingLedger ledger = new MappingLedger(collections::incrementAndGet, 10_000);

  /** Keeps what was mapped from the collector. */
  private final List<ByteBuffer> kept = new ArrayList<>();

  private void map(int bytes) {
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
    kept.add(memory);
    ledger.mapped(memory);
  }

  @Test
  void sm11_asksForACollectionAboveItsLimit() {
    for (int i = 0; i < 10; i++) {
      map(1_000);
      ledger.closed(1_000);
      assertThat(collections).as("after %d closed", i + 1).hasValue(0);
    }

    map(1_000);
    assertThat(collections).hasValue(0);
    ledger.closed(1_000);
    map(1_000);

    assertThat(collections).hasValue(1);
    assertThat(ledger.closedCount()).isEqualTo(11);
  }

  @Test
  void sm05_collectsWhereMemoryIsShort_butOncePerClosedMapping() {
    assertThat(ledger.collect()).as("nothing is closed").isFalse();
    map(1_000);
    assertThat(ledger.collect()).as("nothing is closed").isFalse();
    ledger.closed(1_000);

    assertThat(ledger.collect()).isTrue();
    assertThat(collections).hasValue(1);
    assertThat(ledger.collect()).as("nothing was closed since").isFalse();

    map(1_000);
    ledger.closed(1_000);
    assertThat(ledger.collect()).isTrue();
    assertThat(collections).hasValue(2);
  }

  @Test
  void doesNotAskAgainForMappingsThatStay() {
    for (int i = 0; i < 12; i++) {
      map(1_000);
      ledger.closed(1_000);
    }
    assertThat(collections).hasValue(1);

    for (int i = 0; i < 5; i++) {
      map(1_000);
    }
    assertThat(collections).as("only used ones came").hasValue(1);
  }

  @Test
  void countsWhatIsUsedOnlyAsUsed() {
    for (int i = 0; i < 50; i++) {
      map(1_000);
    }

    assertThat(ledger.closedCount()).isZero();
    assertThat(collections).hasValue(0);
  }

  @Test
  void forgetsWhatTheCollectorHasFound() {
    for (int i = 0; i < 5; i++) {
      map(1_000);
      ledger.closed(1_000);
    }
    assertThat(ledger.closedCount()).isEqualTo(5);
    kept.clear();

    org.awaitility.Awaitility.await()
        .atMost(java.time.Duration.ofSeconds(20))
        .until(
            () -> {
              System.gc();
              return ledger.closedCount() == 0;
            });
  }
}
