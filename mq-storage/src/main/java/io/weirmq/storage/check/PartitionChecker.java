package io.weirmq.storage.check;

import io.weirmq.storage.check.PartitionRepair.Stretch;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the files of one partition against the format and against each other. Confined to one
 * thread.
 *
 * <p>Checked are: each batch's length, magic and checksum; that offsets rise over the whole log and
 * lie behind their segment's base; that the records of a batch are as many as its header says; that
 * each offset index entry names the last offset of the batch that starts at its position; that each
 * time index entry names a record of the segment and that its timestamps rise. What lies behind a
 * damaged batch is checked too.
 */
public final class PartitionChecker implements AutoCloseable {

  private static final String LOG_SUFFIX = ".log";
  private static final int OFFSET_ENTRY_BYTES = 8;
  private static final int TIME_ENTRY_BYTES = 12;

  private final RecordCursor cursor = new RecordCursor(new Decompressor());

  /**
   * What a check saw. Immutable.
   *
   * @param segmentCount segments
   * @param batchCount whole batches
   * @param recordCount records in them
   * @param bytes bytes of the log files
   * @param findings what is wrong, in the order of the files
   */
  public record Report(
      int segmentCount, long batchCount, long recordCount, long bytes, List<Finding> findings) {
    /** Copies the list. */
    public Report {
      findings = List.copyOf(findings);
    }
  }

  /** The segment files of a partition's folder, by base offset. */
  public static List<Path> segmentFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> SegmentFileKind.LOG.offsetOf(file.getFileName().toString()).isPresent())
          .sorted()
          .toList();
    }
  }

  /**
   * Checks a partition's folder.
   *
   * @param progress told of bytes read, for a progress bar
   * @throws IOException where a file can't be read
   */
  public Report check(Path folder, LongConsumer progress) throws IOException {
    Tally tally = new Tally(folder);
    List<Path> segments = segmentFiles(folder);
    for (Path segment : segments) {
      checkSegment(segment, tally, progress);
    }
    return new Report(segments.size(), tally.batches, tally.records, tally.bytes, tally.findings);
  }

  @Override
  public void close() {
    cursor.close();
  }

  /** Running sums over the segments of a partition. */
  private static final class Tally {
    private final Path folder;
    private final List<Finding> findings = new ArrayList<>();
    private @Nullable List<Stretch> damaged;
    private long batches;
    private long records;
    private long bytes;
    private long nextOffset = -1;

    Tally(Path folder) {
      this.folder = folder;
    }

    /** The damaged stretch that a position lies in; empty where none is known. */
    Optional<Stretch> stretchAt(Path file, long position) throws IOException {
      List<Stretch> known = damaged;
      if (known == null) {
        // Looked for at the first damage only: it reads everything once more.
        known = new PartitionRepair(new NioLogFileSystem(), folder).find();
        damaged = known;
      }
      return known.stream()
          .filter(stretch -> stretch.file().equals(file) && stretch.holds(position))
          .findFirst();
    }

    /** Whether a position lies in what is known to be damaged. */
    boolean isDamaged(Path file, long position) {
      List<Stretch> known = damaged;
      return known != null
          && known.stream()
              .anyMatch(stretch -> stretch.file().equals(file) && stretch.holds(position));
    }

    void find(Path file, long position, String problem) {
      findings.add(new Finding(file, position, problem));
    }
  }

  private void checkSegment(Path file, Tally tally, LongConsumer progress) throws IOException {
    String name = file.getFileName().toString();
    String base = name.substring(0, name.length() - LOG_SUFFIX.length());
    long baseOffset = Long.parseLong(base);
    // Last offset of the batch at a position, to hold the index against.
    Map<Integer, Long> lastOffsets = new HashMap<>();
    long firstOffset = Math.max(baseOffset, tally.nextOffset);
    try (SegmentReader reader = SegmentReader.open(file)) {
      tally.bytes += reader.fileBytes();
      boolean more = true;
      while (more) {
        while (reader.next()) {
          RecordBatch batch = reader.batch();
          checkBatch(file, reader.position(), batch, firstOffset, tally);
          firstOffset = Math.max(firstOffset, batch.nextOffset());
          lastOffsets.put((int) reader.position(), batch.lastOffset());
          progress.accept(batch.sizeInBytes());
        }
        Finding problem = reader.problem();
        more = problem != null;
        if (problem != null) {
          tally.findings.add(problem);
          Optional<Stretch> stretch = tally.stretchAt(file, problem.position());
          more = stretch.isPresent();
          if (stretch.isPresent()) {
            reader.goOnAt(stretch.get().endPosition());
            firstOffset = Math.max(firstOffset, stretch.get().endOffset());
          }
        }
      }
    }
    tally.nextOffset = firstOffset;
    checkOffsetIndex(file, file.resolveSibling(base + ".index"), baseOffset, lastOffsets, tally);
    checkTimeIndex(file.resolveSibling(base + ".timeindex"), baseOffset, firstOffset, tally);
  }

  private void checkBatch(
      Path file, long position, RecordBatch batch, long expectedOffset, Tally tally) {
    tally.batches++;
    if (batch.baseOffset() < expectedOffset) {
      tally.find(
          file,
          position,
          "base offset %d, expected %d or more".formatted(batch.baseOffset(), expectedOffset));
    }
    try {
      cursor.open(batch);
      int count = 0;
      while (cursor.next()) {
        count++;
      }
      tally.records += count;
      if (count != batch.recordCount()) {
        tally.find(file, position, "%d records, expected %d".formatted(count, batch.recordCount()));
      }
    } catch (CorruptBatchException e) {
      tally.find(file, position, String.valueOf(e.getMessage()));
    }
  }

  private static void checkOffsetIndex(
      Path log, Path file, long baseOffset, Map<Integer, Long> lastOffsets, Tally tally)
      throws IOException {
    ByteBuffer entries = entries(file, OFFSET_ENTRY_BYTES, tally);
    for (int at = 0; at + OFFSET_ENTRY_BYTES <= entries.limit(); at += OFFSET_ENTRY_BYTES) {
      long offset = baseOffset + entries.getInt(at);
      int position = entries.getInt(at + 4);
      Long expected = lastOffsets.get(position);
      if (expected == null && tally.isDamaged(log, position)) {
        continue; // the batch is a finding of its own
      }
      if (expected == null) {
        tally.find(file, at, "no batch starts at position %d".formatted(position));
      } else if (expected != offset) {
        tally.find(
            file,
            at,
            "offset %d at position %d, expected %d".formatted(offset, position, expected));
      }
    }
  }

  private static void checkTimeIndex(Path file, long baseOffset, long endOffset, Tally tally)
      throws IOException {
    ByteBuffer entries = entries(file, TIME_ENTRY_BYTES, tally);
    long previous = Long.MIN_VALUE;
    for (int at = 0; at + TIME_ENTRY_BYTES <= entries.limit(); at += TIME_ENTRY_BYTES) {
      long timestampMs = entries.getLong(at);
      long offset = baseOffset + entries.getInt(at + 8);
      if (timestampMs <= previous) {
        tally.find(file, at, "timestamp %d behind %d".formatted(timestampMs, previous));
      }
      if (offset < baseOffset || offset >= endOffset) {
        tally.find(
            file, at, "offset %d, expected %d to %d".formatted(offset, baseOffset, endOffset - 1));
      }
      previous = timestampMs;
    }
  }

  /** The content of an index file, empty where there is none. */
  private static ByteBuffer entries(Path file, int entryBytes, Tally tally) throws IOException {
    if (!Files.exists(file)) {
      return ByteBuffer.allocate(0);
    }
    byte[] content = Files.readAllBytes(file);
    if (content.length % entryBytes != 0) {
      tally.find(
          file,
          content.length,
          "%d bytes are no multiple of %d".formatted(content.length, entryBytes));
    }
    return ByteBuffer.wrap(content);
  }
}
