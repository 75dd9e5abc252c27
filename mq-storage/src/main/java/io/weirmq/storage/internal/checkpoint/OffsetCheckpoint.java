package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One offset per partition of a data folder: recovery points, log start offsets, high watermarks.
 *
 * <p>The lines are {@code topic partition offset}; see {@link TextCheckpoint}. Single writer, many
 * readers.
 */
public final class OffsetCheckpoint {

  /** File name of the offsets below which all is on the disk. */
  public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";

  /** File name of the log start offsets. */
  public static final String LOG_START_OFFSETS = "log-start-offset-checkpoint";

  /** File name of the high watermarks. */
  public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";

  /** File name of the offsets up to which the log is compacted. */
  public static final String CLEANER_OFFSETS = "cleaner-offset-checkpoint";

  private final TextCheckpoint<Map.Entry<TopicPartition, Long>> lines;

  /** Names a checkpoint; nothing is touched. */
  public OffsetCheckpoint(LogFileSystem files, Path path) {
    this.lines = new TextCheckpoint<>(files, path, new PartitionOffsetLine());
  }

  /** The file's name. */
  public Path path() {
    return lines.path();
  }

  /**
   * Reads the offsets; where a partition stands twice, the last line counts.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<Map<TopicPartition, Long>> read() throws StorageException {
    var reading = lines.read();
    Map<TopicPartition, Long> offsets = new HashMap<>();
    reading.value().forEach(entry -> offsets.put(entry.getKey(), entry.getValue()));
    return new StateReading<>(offsets, reading.present(), reading.damages());
  }

  /**
   * Replaces the file, durably.
   *
   * @param offsets 0 or more each
   * @throws StorageException where the disk refuses
   */
  public void write(Map<TopicPartition, Long> offsets) throws StorageException {
    lines.write(offsets.entrySet());
  }

  private static final class PartitionOffsetLine
      implements TextCheckpoint.LineFormat<Map.Entry<TopicPartition, Long>> {

    @Override
    public void format(Map.Entry<TopicPartition, Long> entry, StringBuilder line) {
      TopicPartition partition = entry.getKey();
      line.append(partition.topic()).append(' ').append(partition.partition());
      line.append(' ').append(entry.getValue());
    }

    @Override
    public Optional<Map.Entry<TopicPartition, Long>> parse(String line) {
      String[] words = line.split("\\s+");
      if (words.length != 3 || words[0].isEmpty()) {
        return Optional.empty();
      }
      Optional<Long> partition = Numbers.parse(words[1], 0, Integer.MAX_VALUE);
      Optional<Long> offset = Numbers.parse(words[2], 0, Long.MAX_VALUE);
      if (partition.isEmpty() || offset.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          Map.entry(new TopicPartition(words[0], partition.get().intValue()), offset.get()));
    }
  }
}
