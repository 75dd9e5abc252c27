package io.weirmq.server.internal.broker;

import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The file of the data folders that the broker has used, in the first of them. A line for each,
 * which a person may remove: checksum of the rest of the line, directory id, path. Confined to one
 * thread.
 */
final class RememberedFolders {

  /** Name of the file. */
  static final String NAME = "weirmq-data-folders";

  private static final String FORMAT = NAME + " 1";

  /** Bytes above which the file counts as damaged: some thousand folders. */
  private static final int BYTES_MAX = 1024 * 1024;

  /**
   * A folder that was used.
   *
   * @param id its directory id
   * @param path where it was, absolute and without dots
   */
  record Entry(UUID id, Path path) {

    private String line() {
      return checked(TopicIds.toText(id) + " " + path);
    }

    /** Returns the entry of a line; empty where the line is damaged. */
    private static Optional<Entry> of(String line) {
      String[] words = line.split(" ", 3);
      if (words.length < 3 || !line.equals(checked(words[1] + " " + words[2]))) {
        return Optional.empty();
      }
      return Optional.of(new Entry(TopicIds.fromText(words[1]), Path.of(words[2])));
    }

    private static String checked(String text) {
      CRC32C checksum = new CRC32C();
      checksum.update(text.getBytes(StandardCharsets.UTF_8));
      return "%08x %s".formatted(checksum.getValue(), text);
    }
  }

  /**
   * What was found.
   *
   * @param exists whether there is a file
   * @param entries the lines that are whole
   * @param damages what is wrong with the file
   */
  record Reading(boolean exists, List<Entry> entries, List<String> damages) {}

  private final LogFileSystem files;
  private final Path home;
  private final Path file;

  RememberedFolders(LogFileSystem files, Path home) {
    this.files = files;
    this.home = home;
    this.file = home.resolve(NAME);
  }

  /** The file. */
  Path file() {
    return file;
  }

  /** Returns the path in the form in which paths are compared and written. */
  static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  /** Reads the file; what can't be read counts as damage. */
  Reading read() {
    byte[] content;
    try (LogFile opened = files.open(file, OpenMode.READ)) {
      long size = opened.size();
      if (size > BYTES_MAX) {
        return new Reading(
            true, List.of(), List.of("it has %d bytes, at most %d".formatted(size, BYTES_MAX)));
      }
      content = new byte[(int) size];
      opened.readFully(ByteBuffer.wrap(content), 0);
    } catch (NoSuchFileException e) {
      return new Reading(false, List.of(), List.of());
    } catch (IOException e) {
      return new Reading(true, List.of(), List.of("it can't be read: " + e));
    }
    return parsed(new String(content, StandardCharsets.UTF_8).lines().toList());
  }

  private static Reading parsed(List<String> lines) {
    List<Entry> entries = new ArrayList<>();
    List<String> damages = new ArrayList<>();
    if (lines.isEmpty() || !lines.get(0).equals(FORMAT)) {
      damages.add("line 1 is not '%s'".formatted(FORMAT));
    }
    for (int number = 1; number < lines.size(); number++) {
      Optional<Entry> entry = Entry.of(lines.get(number));
      if (entry.isPresent()) {
        entries.add(entry.get());
      } else {
        damages.add("line %d fails its checksum".formatted(number + 1));
      }
    }
    return new Reading(true, entries, damages);
  }

  /**
   * Replaces the file, durably.
   *
   * @throws StorageException where the disk refuses; the file then has its old content or the new
   */
  void write(List<Entry> entries) throws StorageException {
    StringBuilder text = new StringBuilder(FORMAT).append('\n');
    entries.forEach(entry -> text.append(entry.line()).append('\n'));
    Path temporary = file.resolveSibling(NAME + ".tmp");
    try {
      try (LogFile written = files.open(temporary, OpenMode.READ_WRITE)) {
        written.truncate(0);
        written.writeFully(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), 0);
        written.force();
      }
      files.rename(temporary, file);
      files.forceDirectory(home);
    } catch (IOException e) {
      throw new StorageException("%s can't be replaced: %s".formatted(file, e), e);
    }
  }
}
