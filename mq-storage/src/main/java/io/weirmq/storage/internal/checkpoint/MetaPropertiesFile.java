package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * {@code meta.properties}: whose data folder it is.
 *
 * <pre>
 *   version=1
 *   node.id=1
 *   cluster.id=MkU3OEVBNTcwNTJENDM2Qk
 *   directory.id=9Ff4mVSCRgKFcRVv9Xgfhw
 * </pre>
 *
 * <p>Version 0 has {@code broker.id} in place of {@code node.id} and no directory id; it is read,
 * version 1 is written. Single writer, many readers.
 */
public final class MetaPropertiesFile {

  /** File name in the data folder. */
  public static final String NAME = "meta.properties";

  private final StateFile file;

  /** Names the file of a data folder; nothing is touched. */
  public MetaPropertiesFile(LogFileSystem files, Path dataFolder) {
    this.file = new StateFile(files, dataFolder.resolve(NAME));
  }

  /**
   * Reads the file.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<MetaProperties> read() throws StorageException {
    Optional<byte[]> content = file.read();
    if (content.isEmpty()) {
      return new StateReading<>(MetaProperties.EMPTY, false, List.of());
    }
    StateReading<MetaProperties> reading = parse(KeyValueLines.parse(content.get(), '='));
    int whole = wholeLinesLength(content.get());
    // Without the last of our lines the one before may be cut: half an id is not another one's.
    return whole == content.get().length || reading.value().directoryId().isPresent()
        ? reading
        : parse(KeyValueLines.parse(Arrays.copyOf(content.get(), whole), '='));
  }

  private static int wholeLinesLength(byte[] content) {
    int end = content.length;
    while (end > 0 && content[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  /**
   * Replaces the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void write(MetaProperties properties) throws StorageException {
    StringBuilder text = new StringBuilder("version=1\n");
    properties.nodeId().ifPresent(id -> text.append("node.id=").append(id).append('\n'));
    properties.clusterId().ifPresent(id -> text.append("cluster.id=").append(id).append('\n'));
    properties
        .directoryId()
        .map(Base64Uuid::format)
        .ifPresent(id -> text.append("directory.id=").append(id).append('\n'));
    file.replace(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private StateReading<MetaProperties> parse(KeyValueLines lines) {
    List<String> damages = new ArrayList<>();
    Optional<String> version = lines.value("version");
    if (version.isEmpty() || !(version.get().equals("0") || version.get().equals("1"))) {
      damages.add("%s has version %s; expected 0 or 1".formatted(file.path(), version.orElse("?")));
      return new StateReading<>(MetaProperties.EMPTY, true, damages);
    }
    if (lines.otherLines() > 0) {
      damages.add("%s has %d lines that are none".formatted(file.path(), lines.otherLines()));
    }
    boolean old = version.get().equals("0");
    OptionalInt nodeId = nodeId(lines, old ? "broker.id" : "node.id", damages);
    Optional<UUID> directoryId = old ? Optional.empty() : directoryId(lines, damages);
    return new StateReading<>(
        new MetaProperties(nodeId, lines.value("cluster.id"), directoryId), true, damages);
  }

  private OptionalInt nodeId(KeyValueLines lines, String key, List<String> damages) {
    Optional<String> text = lines.value(key);
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    Optional<Long> id = Numbers.parse(text.get(), 0, Integer.MAX_VALUE);
    if (id.isEmpty()) {
      damages.add("%s has no number in %s: \"%s\"".formatted(file.path(), key, text.get()));
    }
    return id.map(found -> OptionalInt.of(found.intValue())).orElseGet(OptionalInt::empty);
  }

  private Optional<UUID> directoryId(KeyValueLines lines, List<String> damages) {
    Optional<UUID> id = lines.value("directory.id").flatMap(Base64Uuid::parse);
    if (id.isEmpty()) {
      damages.add("%s has no directory.id".formatted(file.path()));
    }
    return id;
  }
}
