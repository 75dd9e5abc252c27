package io.weirmq.server.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.TopicPartition;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadFailuresTest {

  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  private static final TopicPartition OTHER = new TopicPartition("orders", 1);

  @Test
  void tellsOncePerPartitionAndMinute_withTheNumberOfThoseLeftOut() {
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // such a clock may overflow
    ReadFailures failures = new ReadFailures(nanos::get);

    assertThat(failures.tellAfter(ORDERS)).isZero();
    assertThat(failures.tellAfter(OTHER)).isZero();
    nanos.addAndGet(ReadFailures.QUIET_NANOS - 1);
    assertThat(failures.tellAfter(ORDERS)).isEqualTo(-1);
    assertThat(failures.tellAfter(ORDERS)).isEqualTo(-1);
    nanos.addAndGet(1);
    assertThat(failures.tellAfter(ORDERS)).isEqualTo(2);
    assertThat(failures.tellAfter(OTHER)).isZero();
    assertThat(failures.tellAfter(ORDERS)).isEqualTo(-1);
  }
}
