package io.weirmq.transport.shm.internal.ring;

/** What a record is: the low three bits of its word. None is 0, so that a word never is. */
public final class RecordKind {

  /** A frame in one piece. */
  public static final int WHOLE = 1;

  /** The first piece of a frame. */
  public static final int FIRST = 2;

  /** A piece in the middle. */
  public static final int MIDDLE = 3;

  /** The last piece. */
  public static final int LAST = 4;

  /** The writer has closed in good order and writes nothing more; without a payload. */
  public static final int END = 5;

  /** Nothing, up to the end of the ring. */
  static final int PADDING = 6;

  static final int BITS = 3;
  static final int MASK = (1 << BITS) - 1;

  private RecordKind() {}
}
