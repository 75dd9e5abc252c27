package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A text checkpoint: version, number of entries, one line per entry.
 *
 * <pre>
 *   0            version
 *   2            number of entries
 *   orders 0 17  entries, each line ended by a line feed
 *   orders 1 4
 * </pre>
 *
 * <p>Reading is tolerant: whole lines that make sense are kept, everything else is named as damage.
 * A last line without a line feed is dropped also where it makes sense, for it may have lost
 * digits.
 *
 * <p>Single writer, many readers.
 *
 * @param <E> an entry
 */
public final class TextCheckpoint<E> {

  private static final String VERSION = "0";

  /** Damages that are named one by one; more of them are counted. */
  private static final int DAMAGES_MAX = 5;

  private final StateFile file;
  private final LineFormat<E> format;

  /** Names a checkpoint; nothing is touched. */
  public TextCheckpoint(LogFileSystem files, Path path, LineFormat<E> format) {
    this.file = new StateFile(files, path);
    this.format = format;
  }

  /** The file's name. */
  public Path path() {
    return file.path();
  }

  /**
   * Reads the entries in the order of the file.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<List<E>> read() throws StorageException {
    Optional<byte[]> content = file.read();
    return content.isEmpty()
        ? new StateReading<>(List.of(), false, List.of())
        : parse(new String(content.get(), StandardCharsets.UTF_8));
  }

  /**
   * Replaces the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void write(Iterable<E> entries) throws StorageException {
    file.replace(content(entries));
  }

  /**
   * Replaces the file; a power cut may bring the old content back, or tear the new one.
   *
   * @throws StorageException where the disk refuses
   */
  public void writeUnforced(Iterable<E> entries) throws StorageException {
    file.replaceUnforced(content(entries));
  }

  private ByteBuffer content(Iterable<E> entries) {
    StringBuilder lines = new StringBuilder();
    int count = 0;
    for (E entry : entries) {
      format.format(entry, lines);
      lines.append('\n');
      count++;
    }
    String text = VERSION + '\n' + count + '\n' + lines;
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private StateReading<List<E>> parse(String text) {
    Damages damages = new Damages(path());
    List<String> lines = wholeLines(text, damages);
    List<E> entries = new ArrayList<>();
    if (lines.size() < 2 || !lines.get(0).equals(VERSION)) {
      damages.add(() -> "does not begin with version %s and a count".formatted(VERSION));
      return new StateReading<>(entries, true, damages.toList());
    }
    List<String> body = lines.subList(2, lines.size());
    int expected = parseCount(lines.get(1), damages);
    for (int i = 0; i < Math.min(body.size(), expected); i++) {
      Optional<E> entry = format.parse(body.get(i));
      if (entry.isPresent()) {
        entries.add(entry.get());
      } else {
        String line = body.get(i);
        int number = i + 3;
        damages.add(() -> "line %d is no entry: \"%s\"".formatted(number, shorten(line)));
      }
    }
    if (body.size() != expected) {
      damages.add(() -> "has %d whole entry lines; expected %d".formatted(body.size(), expected));
    }
    return new StateReading<>(entries, true, damages.toList());
  }

  private static List<String> wholeLines(String text, Damages damages) {
    List<String> lines = new ArrayList<>();
    int from = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      lines.add(text.substring(from, end).strip());
      from = end + 1;
    }
    if (from < text.length()) {
      String rest = text.substring(from);
      damages.add(() -> "ends without a line feed; dropped \"%s\"".formatted(shorten(rest)));
    }
    return lines;
  }

  private static int parseCount(String line, Damages damages) {
    Optional<Long> count = Numbers.parse(line, 0, Integer.MAX_VALUE);
    if (count.isEmpty()) {
      damages.add(() -> "has no count in line 2: \"%s\"".formatted(shorten(line)));
      return 0;
    }
    return count.get().intValue();
  }

  private static String shorten(String text) {
    String cut = text.substring(0, Math.min(text.length(), 40));
    return cut.replaceAll("[^\\x20-\\x7e]", "?");
  }

  /** How an entry is written on a line. */
  public interface LineFormat<E> {

    /** Appends the entry, without a line feed. */
    void format(E entry, StringBuilder line);

    /** Returns the entry on a line; empty where it is none. */
    Optional<E> parse(String line);
  }

  /** Collects damages up to a bound, so that a file of garbage makes a short message. */
  private static final class Damages {
    private final Path path;
    private final List<String> named = new ArrayList<>();
    private int unnamedCount;

    Damages(Path path) {
      this.path = path;
    }

    void add(Supplier<String> damage) {
      if (named.size() < DAMAGES_MAX) {
        named.add(path + " " + damage.get());
      } else {
        unnamedCount++;
      }
    }

    List<String> toList() {
      List<String> all = new ArrayList<>(named);
      if (unnamedCount > 0) {
        all.add("%s has %d more damages".formatted(path, unnamedCount));
      }
      return all;
    }
  }
}
