package io.weirmq.testkit.storage;

import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a file: as readers see them, as they were forced, and the changes between.
 *
 * <p>A change is <em>certain</em> once a force that began after it has succeeded. It is
 * <em>abandoned</em> once a force has failed that should have covered it: later forces don't help
 * it, as an operating system may drop such pages. While an abandoned change is there the certain
 * ones behind it are kept apart, because the abandoned one may or may not come before them.
 */
final class FileNode extends Node {

  /** A write, or a truncation where there are no bytes. */
  static final class Change {

    private final int position;
    private final byte[] bytes;
    private final boolean truncation;
    private boolean certain;
    private boolean abandoned;

    private Change(int position, byte[] bytes, boolean truncation) {
      this.position = position;
      this.bytes = bytes;
      this.truncation = truncation;
    }

    private Change copy() {
      Change copy = new Change(position, bytes.clone(), truncation);
      copy.certain = certain;
      copy.abandoned = abandoned;
      return copy;
    }

    /** Of a write where it begins, of a truncation the new length. */
    int position() {
      return position;
    }

    int lengthBytes() {
      return bytes.length;
    }

    boolean isTruncation() {
      return truncation;
    }

    boolean isCertain() {
      return certain;
    }

    void applyTo(Content content) {
      if (truncation) {
        content.truncate(position);
      } else {
        content.write(position, bytes, 0, bytes.length);
      }
    }

    /** Writes a part of the bytes only. */
    void applyPart(Content content, int from, int count) {
      content.write(position + from, bytes, from, count);
    }

    /** The file has become longer, but the bytes have not arrived. */
    void applyLength(Content content) {
      content.extendTo(position + bytes.length);
    }
  }

  private final Content seen;
  private final Content forced;
  private final List<Change> changes = new ArrayList<>();
  private int handles;
  private boolean linked = true;
  private long modifiedMs;

  FileNode(long number, long modifiedMs) {
    this(number, new Content(), modifiedMs);
  }

  /** Makes a file all bytes of which are durable. */
  FileNode(long number, Content content, long modifiedMs) {
    super(number);
    this.seen = content;
    this.forced = content.duplicate();
    this.modifiedMs = modifiedMs;
  }

  /** Makes a copy that nobody has open, with the same bytes forced and in doubt. */
  FileNode(long number, FileNode other) {
    super(number);
    this.seen = other.seen.duplicate();
    this.forced = other.forced.duplicate();
    this.modifiedMs = other.modifiedMs;
    other.changes.forEach(change -> changes.add(change.copy()));
  }

  Content seen() {
    return seen;
  }

  void write(int position, byte[] bytes, long nowMs) {
    note(new Change(position, bytes, false), nowMs);
  }

  void truncate(int length, long nowMs) {
    if (length < seen.length()) {
      note(new Change(length, new byte[0], true), nowMs);
    }
  }

  private void note(Change change, long nowMs) {
    change.applyTo(seen);
    changes.add(change);
    modifiedMs = nowMs;
  }

  void force() {
    boolean doubt = false;
    for (Change change : changes) {
      change.certain |= !change.abandoned;
      doubt |= change.abandoned;
    }
    if (!doubt) {
      changes.forEach(change -> change.applyTo(forced));
      changes.clear();
    }
  }

  void failForce() {
    changes.forEach(change -> change.abandoned |= !change.certain);
  }

  /** A bit on the disk flips: for readers, and for what a power cut leaves. */
  void flipBit(int position, int bit) {
    seen.flipBit(position, bit);
    if (position < forced.length()) {
      forced.flipBit(position, bit);
    }
    for (Change change : changes) {
      int within = position - change.position;
      if (within >= 0 && within < change.bytes.length) {
        change.bytes[within] ^= (byte) (1 << bit);
      }
    }
  }

  Content forced() {
    return forced;
  }

  List<Change> changes() {
    return changes;
  }

  byte[] bytes() {
    return seen.copy();
  }

  long modifiedMs() {
    return modifiedMs;
  }

  void modifiedMs(long ms) {
    modifiedMs = ms;
  }

  void opened() {
    handles++;
  }

  void closed() {
    handles--;
  }

  void unlinked() {
    linked = false;
  }

  /** Whether a name or an open file keeps the bytes on the disk. */
  boolean isAlive() {
    return linked || handles > 0;
  }

  @Override
  public String toString() {
    return "file %d (%d bytes)".formatted(number(), seen.length());
  }
}
