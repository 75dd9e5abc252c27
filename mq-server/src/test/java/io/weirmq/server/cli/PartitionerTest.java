package io.weirmq.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** Keys must go where Kafka's own clients send them, or a key's records lie in two partitions. */
class PartitionerTest {

  private static final long SEED = 7;

  @Test
  void hashesEveryKeyAsKafkasClientsDo() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int length = 0; length < 300; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);

      assertThat(Partitioner.murmur2(key))
          .as("seed %d, %d bytes", SEED, length)
          .isEqualTo(Utils.murmur2(key));
    }
  }

  @Test
  void choosesThePartitionOfAKeyByItsPositiveHash() {
    byte[] key = "customer-17".getBytes(StandardCharsets.UTF_8);
    int expected = Utils.toPositive(Utils.murmur2(key)) % 5;

    assertThat(new Partitioner(5, 0).partition(key)).isEqualTo(expected);
  }

  @Test
  void keepsKeylessRecordsTogetherUntilABatchWasSent() {
    Partitioner partitioner = new Partitioner(3, -1);

    assertThat(partitioner.partition(null)).isEqualTo(2);
    assertThat(partitioner.partition(null)).isEqualTo(2);
    partitioner.nextBatch();
    assertThat(partitioner.partition(null)).isZero();
  }
}
