package io.weirmq.storage.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.KafkaBatches;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProducerSnapshotFileTest {

  private static final List<ProducerSnapshotEntry> ENTRIES =
      List.of(
          new ProducerSnapshotEntry(1001, (short) 3, 14, 42, 4, 1_700_000_000_000L, -1, 38),
          new ProducerSnapshotEntry(7, (short) 0, -1, -1, 0, 5, 12, -1));

  // The checksum is computed bit by bit below, independently of the JDK.
  private static final String GOLDEN =
      "0001 CRC 00000002"
          + "00000000000003e9 0003 0000000e 000000000000002a 00000004 0000018bcfe56800"
          + " ffffffff 0000000000000026"
          + "0000000000000007 0000 ffffffff ffffffffffffffff 00000000 0000000000000005"
          + " 0000000c ffffffffffffffff";

  @TempDir Path folder;

  private ProducerSnapshotFile file() {
    return new ProducerSnapshotFile(new NioLogFileSystem(), path());
  }

  private Path path() {
    return folder.resolve("00000000000000000043.snapshot");
  }

  @Test
  void hasKafkasFormat() throws Exception {
    file().write(ENTRIES);

    byte[] body = KafkaBatches.hex(GOLDEN.substring(GOLDEN.indexOf("CRC") + 3));
    byte[] golden = KafkaBatches.hex(GOLDEN.replace("CRC", "%08x".formatted(crc32c(body))));
    assertThat(Files.readAllBytes(path())).isEqualTo(golden).hasSize(10 + 2 * 46);
    assertThat(file().read()).isEqualTo(new StateReading<>(ENTRIES, true, List.of()));
  }

  @Test
  void anEmptySnapshotIsWholeAndAMissingOneIsNot() throws Exception {
    assertThat(file().read()).isEqualTo(new StateReading<>(List.of(), false, List.of()));
    file().write(List.of());
    assertThat(file().read()).isEqualTo(new StateReading<>(List.of(), true, List.of()));
  }

  @Test
  @DisplayName("ST-07 a damaged snapshot is read as empty, with the damage named")
  void st07_damagedSnapshot() throws Exception {
    file().write(ENTRIES);
    byte[] whole = Files.readAllBytes(path());
    for (int at = 0; at < whole.length; at++) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 0x10;
      assertDamaged(flipped);
      assertDamaged(java.util.Arrays.copyOf(whole, at));
    }
    assertDamaged(new byte[whole.length]);
    assertDamaged(java.util.Arrays.copyOf(whole, whole.length + 46));
    assertDamaged(java.util.Arrays.copyOf(whole, whole.length + 1));
  }

  private void assertDamaged(byte[] content) throws Exception {
    Files.write(path(), content);
    var reading = file().read();
    assertThat(reading.value()).isEmpty();
    assertThat(reading.damages()).singleElement().asString().startsWith(path().toString());
  }

  @Test
  void restoredProducersGoOnWhereTheyWere() throws Exception {
    ProducerStates states = new ProducerStates(new TopicPartition("orders", 3));
    states.restore(ENTRIES);

    assertThat(states.firstUnstableOffset()).isEqualTo(38);
    assertThat(states.hasOpenTransaction(1001)).isTrue();
    assertThat(states.check(Batch.of(1001, 3, 10, 5).build(), AppendOrigin.CLIENT))
        .isEqualTo(new SequenceCheck.Repeated(38, 42, 1_700_000_000_000L));
    assertThat(states.check(Batch.of(1001, 3, 15, 1).transactional().build(), AppendOrigin.CLIENT))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(states.check(Batch.of(7, 0, 0, 1).build(), AppendOrigin.CLIENT))
        .isEqualTo(SequenceCheck.Fits.INSTANCE);
    assertThat(states.snapshot()).containsExactlyInAnyOrderElementsOf(ENTRIES);
  }

  @Test
  void transactionIndexEntriesHaveKafkasFormat() {
    AbortedTransaction entry = new AbortedTransaction(1001, 38, 50, 36);
    ByteBuffer buffer = ByteBuffer.allocate(3 + 34).position(3);
    AbortedTransactionFormat.write(entry, buffer);

    assertThat(buffer.hasRemaining()).isFalse();
    assertThat(buffer.slice(3, 34))
        .isEqualTo(
            ByteBuffer.wrap(
                KafkaBatches.hex(
                    "0000 00000000000003e9 0000000000000026 0000000000000032"
                        + "0000000000000024")));
    assertThat(AbortedTransactionFormat.read(buffer, 3)).contains(entry);
    assertThat(AbortedTransactionFormat.read(buffer.putShort(3, (short) 1), 3)).isEmpty();
    assertThat(AbortedTransactionFormat.read(buffer.putShort(3, (short) 0).putLong(13, 51), 3))
        .isEmpty();
  }

  /** Bit by bit, reflected polynomial 0x82f63b78 (RFC 3720). */
  private static int crc32c(byte[] bytes) {
    int crc = -1;
    for (byte value : bytes) {
      crc ^= value & 0xff;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >>> 1) ^ (0x82f63b78 & -(crc & 1));
      }
    }
    return ~crc;
  }
}
