package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Pauses between attempts. */
class BackoffTest {

  @Test
  void pausesDoubleUpToASecond_andBeginAnewAfterASuccess() {
    Backoff backoff = new Backoff(Duration.ofMillis(20));
    assertThat(pausesMs(backoff, 8)).containsExactly(20, 40, 80, 160, 320, 640, 1_000, 1_000);
    backoff.reset();
    assertThat(pausesMs(backoff, 2)).containsExactly(20, 40);
  }

  @Test
  void aFirstPauseOfMoreThanASecondIsKept() {
    assertThat(pausesMs(new Backoff(Duration.ofSeconds(7)), 3))
        .containsExactly(7_000, 7_000, 7_000);
  }

  private static long[] pausesMs(Backoff backoff, int count) {
    return LongStream.generate(backoff::nextNs).limit(count).map(ns -> ns / 1_000_000).toArray();
  }
}
