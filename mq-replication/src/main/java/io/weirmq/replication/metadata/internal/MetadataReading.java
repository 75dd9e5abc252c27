package io.weirmq.replication.metadata.internal;

import io.weirmq.replication.metadata.MetadataImage;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/** What was found in the place of the metadata file. Immutable. */
public sealed interface MetadataReading {

  /**
   * The file is whole.
   *
   * @param image what it holds
   */
  record Whole(MetadataImage image) implements MetadataReading {}

  /** There is no file. */
  record Missing() implements MetadataReading {}

  /** The file can't be taken for what was written. */
  final class Damaged implements MetadataReading {

    private final String what;
    private final byte[] content;
    private final Optional<MetadataImage> beginning;

    Damaged(String what, byte[] content, Optional<MetadataImage> beginning) {
      this.what = Objects.requireNonNull(what, "what");
      this.content = content.clone();
      this.beginning = beginning;
    }

    /** Line and byte, what was expected and what was found. */
    public String what() {
      return what;
    }

    /** The file's bytes, a copy. */
    public byte[] content() {
      return Arrays.copyOf(content, content.length);
    }

    /** The image that the file begins with, where all that is wrong lies behind it. */
    public Optional<MetadataImage> beginning() {
      return beginning;
    }
  }
}
