package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * {@code partition.metadata}: which topic a partition folder belongs to, by id.
 *
 * <pre>
 *   version: 0
 *   topic_id: 9Ff4mVSCRgKFcRVv9Xgfhw
 * </pre>
 *
 * <p>Single writer, many readers.
 */
public final class PartitionMetadataFile {

  /** File name in the partition's folder. */
  public static final String NAME = "partition.metadata";

  private static final UUID ZERO = new UUID(0, 0);

  private final StateFile file;

  /** Names the file of a partition's folder; nothing is touched. */
  public PartitionMetadataFile(LogFileSystem files, Path partitionFolder) {
    this.file = new StateFile(files, partitionFolder.resolve(NAME));
  }

  /**
   * Reads the topic id; empty where it is missing, unreadable or zero.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<Optional<UUID>> read() throws StorageException {
    Optional<byte[]> content = file.read();
    if (content.isEmpty()) {
      return new StateReading<>(Optional.empty(), false, List.of());
    }
    KeyValueLines lines = KeyValueLines.parse(content.get(), ':');
    Optional<UUID> id =
        lines.value("topic_id").flatMap(Base64Uuid::parse).filter(found -> !found.equals(ZERO));
    boolean whole = lines.value("version").equals(Optional.of("0")) && id.isPresent();
    if (!whole) {
      return new StateReading<>(
          Optional.empty(), true, List.of(file.path() + " has no version 0 with a topic id"));
    }
    return new StateReading<>(
        id,
        true,
        lines.otherLines() == 0
            ? List.of()
            : List.of("%s has %d lines that are none".formatted(file.path(), lines.otherLines())));
  }

  /**
   * Replaces the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void write(UUID topicId) throws StorageException {
    file.replace(content(topicId));
  }

  /**
   * Replaces the file; durable after {@link #forceContent()} only.
   *
   * @throws StorageException where the disk refuses
   */
  public void writeUnforced(UUID topicId) throws StorageException {
    file.replaceUnforced(content(topicId));
  }

  /**
   * Makes the content durable; the name is with those of the folder.
   *
   * @throws StorageException where the disk refuses
   */
  public void forceContent() throws StorageException {
    file.forceContent();
  }

  private static ByteBuffer content(UUID topicId) {
    String text = "version: 0\ntopic_id: " + Base64Uuid.format(topicId) + "\n";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
