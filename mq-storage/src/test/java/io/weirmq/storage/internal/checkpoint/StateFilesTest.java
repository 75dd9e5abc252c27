package io.weirmq.storage.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ST-07 for the small state files: formats, damage, atomic replacement. */
class StateFilesTest {

  private static final UUID ID = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);

  private final LogFileSystem files = new NioLogFileSystem();

  @TempDir Path folder;

  // ---- formats ----

  @Test
  void offsetCheckpointHasKafkasFormat() throws Exception {
    OffsetCheckpoint checkpoint =
        new OffsetCheckpoint(files, folder.resolve(OffsetCheckpoint.HIGH_WATERMARKS));
    assertThat(checkpoint.read().present()).isFalse();

    checkpoint.write(Map.of(new TopicPartition("orders", 11), 1742L));

    assertThat(folder.resolve("replication-offset-checkpoint")).hasContent("0\n1\norders 11 1742");
    assertThat(checkpoint.read())
        .isEqualTo(
            new StateReading<>(Map.of(new TopicPartition("orders", 11), 1742L), true, List.of()));
  }

  @Test
  void partitionMetadataHasKafkasFormat() throws Exception {
    PartitionMetadataFile file = new PartitionMetadataFile(files, folder);
    assertThat(file.read().present()).isFalse();

    file.write(ID);

    String kafkaId =
        new org.apache.kafka.common.Uuid(ID.getMostSignificantBits(), ID.getLeastSignificantBits())
            .toString();
    assertThat(folder.resolve("partition.metadata")).hasContent("version: 0\ntopic_id: " + kafkaId);
    assertThat(file.read()).isEqualTo(new StateReading<>(Optional.of(ID), true, List.of()));
  }

  @Test
  void metaPropertiesHasVersionOneAndReadsVersionZero() throws Exception {
    MetaPropertiesFile file = new MetaPropertiesFile(files, folder);
    MetaProperties properties =
        new MetaProperties(OptionalInt.of(3), Optional.of("cluster-a"), Optional.of(ID));
    assertThat(file.read().value()).isEqualTo(MetaProperties.EMPTY);

    file.write(properties);

    assertThat(folder.resolve("meta.properties"))
        .hasContent(
            "version=1\nnode.id=3\ncluster.id=cluster-a\ndirectory.id=ASNFZ4mrze_-3LqYdlQyEA");
    assertThat(file.read()).isEqualTo(new StateReading<>(properties, true, List.of()));

    write("meta.properties", "#\n#Tue Nov 11\nversion=0\nbroker.id=3\ncluster.id=cluster-a\n");
    assertThat(file.read())
        .isEqualTo(
            new StateReading<>(
                new MetaProperties(OptionalInt.of(3), Optional.of("cluster-a"), Optional.empty()),
                true,
                List.of()));
  }

  @Test
  void cleanShutdownMarkerComesAndGoes() throws Exception {
    CleanShutdownFile file = new CleanShutdownFile(files, folder);
    assertThat(file.delete()).isFalse();

    file.write(17);

    assertThat(folder.resolve(".kafka_cleanshutdown"))
        .hasContent("{\"version\":0,\"brokerEpoch\":17}");
    assertThat(file.read()).isEqualTo(new StateReading<>(OptionalLong.of(17), true, List.of()));
    assertThat(file.delete()).isTrue();
    assertThat(file.read().present()).isFalse();
  }

  // ---- damage ----

  @Test
  @DisplayName("ST-07 a cut checkpoint keeps its whole lines and loses no digits silently")
  void st07_cutCheckpoint() throws Exception {
    Path path = folder.resolve("c");
    String whole = "0\n3\na 0 100\nb 1 2000\nc 2 30000\n";
    OffsetCheckpoint checkpoint = new OffsetCheckpoint(files, path);
    Map<String, Long> expected = Map.of("a", 100L, "b", 2000L, "c", 30000L);
    for (int size = 0; size < whole.length(); size++) {
      Files.writeString(path, whole.substring(0, size));

      var reading = checkpoint.read();

      assertThat(reading.isDamaged()).as("cut at %d", size).isTrue();
      assertThat(reading.present()).isTrue();
      reading
          .value()
          .forEach(
              (partition, offset) -> assertThat(offset).isEqualTo(expected.get(partition.topic())));
    }
    Files.writeString(path, whole);
    assertThat(checkpoint.read().isWhole()).isTrue();
    assertThat(checkpoint.read().value()).hasSize(3);
  }

  @Test
  @DisplayName("ST-07 empty, zeros, garbage behind and inside: named, and the rest is kept")
  void st07_damagedCheckpoint() throws Exception {
    Path path = folder.resolve("c");
    OffsetCheckpoint checkpoint = new OffsetCheckpoint(files, path);
    String whole = "0\n2\na 0 1\nb 0 2\n";

    assertDamage(checkpoint, "", 0, "does not begin with version 0");
    assertDamage(checkpoint, "\0".repeat(4096), 0, "ends without a line feed");
    assertDamage(checkpoint, "1\n0\n", 0, "does not begin with version 0");
    assertDamage(checkpoint, "0\n-1\na 0 1\n", 0, "has no count");
    assertDamage(checkpoint, "0\nmany\na 0 1\n", 0, "has no count");
    assertDamage(checkpoint, whole + "\0".repeat(100), 2, "ends without a line feed");
    assertDamage(checkpoint, whole + "c 0 3\n", 2, "has 3 whole entry lines; expected 2");
    assertDamage(checkpoint, "0\n3\na 0 1\nb x 2\nc 0 3\n", 2, "line 4 is no entry: \"b x 2\"");
    assertDamage(checkpoint, "0\n1\na 0 -5\n", 0, "line 3 is no entry");
    assertDamage(checkpoint, "0\n1\na -1 5\n", 0, "line 3 is no entry");
    assertDamage(checkpoint, "0\n1\na 0 5 5\n", 0, "line 3 is no entry");
  }

  private void assertDamage(OffsetCheckpoint checkpoint, String content, int kept, String message)
      throws Exception {
    Files.writeString(checkpoint.path(), content);
    var reading = checkpoint.read();
    assertThat(reading.value()).hasSize(kept);
    assertThat(reading.damages())
        .anySatisfy(damage -> assertThat(damage).contains(checkpoint.path().toString(), message));
  }

  @Test
  @DisplayName("ST-07 much garbage makes a short message")
  void st07_manyDamages() throws Exception {
    Path path = folder.resolve("c");
    Files.writeString(path, "0\n1000000\n" + "x\n".repeat(5_000));
    List<String> damages = new OffsetCheckpoint(files, path).read().damages();
    assertThat(damages).hasSize(6);
    assertThat(damages.get(5)).contains("has 4996 more damages");
  }

  @Test
  @DisplayName("ST-07 damaged metadata files are read as empty, with the damage named")
  void st07_damagedMetadata() throws Exception {
    for (String content :
        List.of(
            "",
            "\0\0\0\0",
            "version: 0\n",
            "version: 0\ntopic_id: AAAA\n",
            "version: 9\ntopic_id: ASNFZ4mrze_-3LqYdlQyEA\n",
            "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\n",
            "version: 0\ntopic_id: !!\n")) {
      write("partition.metadata", content);
      var reading = new PartitionMetadataFile(files, folder).read();
      assertThat(reading.value()).as(content).isEmpty();
      assertThat(reading.isDamaged()).as(content).isTrue();
    }
    for (String content : List.of("", "\0\0\0\0", "{", "{\"version\":0", "true", "{}")) {
      write(".kafka_cleanshutdown", content);
      var reading = new CleanShutdownFile(files, folder).read();
      assertThat(reading.value()).as(content).isEmpty();
      assertThat(reading.isDamaged()).as(content).isTrue();
    }
    for (String content :
        List.of(
            "",
            "\0\0\0\0",
            "version=1\nnode.id=x\n",
            "version=7\nnode.id=1\n",
            "version=1\nnode.id=1\ndirectory.id=zz\n")) {
      write("meta.properties", content);
      assertThat(new MetaPropertiesFile(files, folder).read().isDamaged()).as(content).isTrue();
    }
  }

  // ---- replacement ----

  @Test
  @DisplayName("ST-07 a file is written, forced, renamed and its folder forced, in that order")
  void st07_orderOfReplacement() throws Exception {
    List<String> acts = new ArrayList<>();
    StateFile file = new StateFile(recording(acts), folder.resolve("state"));

    file.replace(ByteBuffer.wrap(new byte[] {1, 2}));

    assertThat(acts)
        .containsExactly(
            "open", "truncate", "writeFully", "force", "close", "rename", "forceDirectory");
    assertThat(file.read()).hasValueSatisfying(bytes -> assertThat(bytes).containsExactly(1, 2));
  }

  @Test
  @DisplayName("ST-07 a failure at any step leaves the old content or the new one")
  void st07_failureAtAnyStep() throws Exception {
    for (String step : List.of("open", "truncate", "writeFully", "force", "rename")) {
      Path path = folder.resolve("state-" + step);
      Files.writeString(path, "old");
      StateFile failing = new StateFile(failingAt(step), path);
      assertThatThrownBy(() -> failing.replace(ByteBuffer.wrap(new byte[] {1})))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(path.toString());
      assertThat(path).hasContent("old");
      // What a crash left beside it is no obstacle.
      new StateFile(files, path).replace(ByteBuffer.wrap("new".getBytes(StandardCharsets.UTF_8)));
      assertThat(path).hasContent("new");
    }
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(folder.resolve(name), content);
  }

  private LogFileSystem recording(List<String> acts) {
    return intercepted(acts::add);
  }

  private LogFileSystem failingAt(String step) {
    return intercepted(
        act -> {
          if (act.equals(step)) {
            throw new IOException("no space left");
          }
        });
  }

  private interface Interceptor {
    void before(String act) throws IOException;
  }

  private LogFileSystem intercepted(Interceptor interceptor) {
    return proxy(LogFileSystem.class, files, interceptor);
  }

  private static <T> T proxy(Class<T> type, T target, Interceptor interceptor) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              interceptor.before(method.getName());
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof io.weirmq.storage.io.LogFile file
                    ? proxy(io.weirmq.storage.io.LogFile.class, file, interceptor)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }
}
