package io.weirmq.storage.internal.segment;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** The files of a segment; each is named by the segment's base offset in 20 digits. */
public enum SegmentFileKind {
  /** The record batches. */
  LOG(".log"),
  /** The offset index. */
  OFFSET_INDEX(".index"),
  /** The time index. */
  TIME_INDEX(".timeindex"),
  /** The transaction index, only where a transaction was aborted. */
  TRANSACTION_INDEX(".txnindex"),
  /** The producers up to the offset in the name. */
  SNAPSHOT(".snapshot");

  /** Suffix of a file that is to be removed. */
  public static final String DELETED_SUFFIX = ".deleted";

  /** Suffix of a file that compaction has not finished. */
  public static final String CLEANED_SUFFIX = ".cleaned";

  /** Suffix of a finished file that is to take the place of others. */
  public static final String SWAP_SUFFIX = ".swap";

  /** Suffix of a file that is being written and will be renamed. */
  public static final String TEMPORARY_SUFFIX = ".tmp";

  private static final int DIGITS = 20;

  private final String suffix;

  SegmentFileKind(String suffix) {
    this.suffix = suffix;
  }

  /** The suffix with its dot. */
  public String suffix() {
    return suffix;
  }

  /** The file of this kind for an offset. */
  public Path in(Path folder, long offset) {
    String digits = Long.toString(offset);
    return folder.resolve("0".repeat(DIGITS - digits.length()) + digits + suffix);
  }

  /** The offset in a file name of this kind; empty where the name is none. */
  public OptionalLong offsetOf(String fileName) {
    if (fileName.length() != DIGITS + suffix.length() || !fileName.endsWith(suffix)) {
      return OptionalLong.empty();
    }
    for (int i = 0; i < DIGITS; i++) {
      if (fileName.charAt(i) < '0' || fileName.charAt(i) > '9') {
        return OptionalLong.empty();
      }
    }
    try {
      return OptionalLong.of(Long.parseLong(fileName, 0, DIGITS, 10));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** The kind of a file name; empty where it is none of ours. */
  public static Optional<SegmentFileKind> of(String fileName) {
    for (SegmentFileKind kind : values()) {
      if (kind.offsetOf(fileName).isPresent()) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
