package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code .kafka_cleanshutdown}: tells that the last stop flushed everything.
 *
 * <pre>
 *   {"version":0,"brokerEpoch":17}
 * </pre>
 *
 * <p>Only a whole file counts. One that a power cut left empty or damaged costs a scan of the
 * unflushed tails, which is always safe; trusting it would not be.
 *
 * <p>Single writer, many readers.
 */
public final class CleanShutdownFile {

  /** File name in the data folder. */
  public static final String NAME = ".kafka_cleanshutdown";

  /** Broker epoch where none is known. */
  public static final long NO_BROKER_EPOCH = -1;

  private static final Pattern CONTENT =
      Pattern.compile("\\{\\s*\"version\"\\s*:\\s*0\\s*,\\s*\"brokerEpoch\"\\s*:\\s*(-?\\d+)\\s*}");

  private final StateFile file;

  /** Names the file of a data folder; nothing is touched. */
  public CleanShutdownFile(LogFileSystem files, Path dataFolder) {
    this.file = new StateFile(files, dataFolder.resolve(NAME));
  }

  /**
   * Reads the marker: the broker epoch of the process that stopped cleanly; empty where it didn't.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<OptionalLong> read() throws StorageException {
    Optional<byte[]> content = file.read();
    if (content.isEmpty()) {
      return new StateReading<>(OptionalLong.empty(), false, List.of());
    }
    String text = new String(content.get(), StandardCharsets.UTF_8).strip();
    Matcher matcher = CONTENT.matcher(text);
    Optional<Long> epoch =
        matcher.matches()
            ? Numbers.parse(matcher.group(1), Long.MIN_VALUE, Long.MAX_VALUE)
            : Optional.empty();
    return epoch.isPresent()
        ? new StateReading<>(OptionalLong.of(epoch.get()), true, List.of())
        : new StateReading<>(
            OptionalLong.empty(),
            true,
            List.of(file.path() + " is no clean-shutdown marker; the stop counts as unclean"));
  }

  /**
   * Writes the marker, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void write(long brokerEpoch) throws StorageException {
    String text = "{\"version\":0,\"brokerEpoch\":" + brokerEpoch + "}\n";
    file.replace(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Removes the marker, durably; to be done before anything is changed.
   *
   * @return whether there was one
   * @throws StorageException where it can't be removed
   */
  public boolean delete() throws StorageException {
    return file.delete();
  }
}
