package io.weirmq.client.ipc;

import io.weirmq.storage.record.RecordCursor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A view of the record that a subscriber is at; the same instance for all of them. Methods that
 * return indexes and lengths make no garbage, slices do.
 *
 * <p>Valid while {@link RecordHandler#onRecord} runs, on its thread.
 */
public final class ReceivedRecord {

  private final RecordCursor cursor;
  private boolean endsPoll;

  ReceivedRecord(RecordCursor cursor) {
    this.cursor = cursor;
  }

  /** Ends the poll with this record, whatever its limit: what follows is left to the next poll. */
  public void endPoll() {
    endsPoll = true;
  }

  /** Whether a handler has ended the poll. */
  boolean endsPoll() {
    return endsPoll;
  }

  /** A poll begins. */
  void beginPoll() {
    endsPoll = false;
  }

  /** The record's offset in the partition. */
  public long offset() {
    return cursor.offset();
  }

  /** Milliseconds since the epoch, -1 where it has none. */
  public long timestampMs() {
    return cursor.timestampMs();
  }

  /** The memory in which key and value lie, big-endian; to be read by index only. */
  public ByteBuffer buffer() {
    return cursor.record().buffer();
  }

  /** Index of the key's first byte in {@link #buffer()}; meaningless without a key. */
  public int keyPosition() {
    return cursor.record().keyPosition();
  }

  /** Length of the key in bytes, -1 where there is none. */
  public int keyLength() {
    return cursor.record().keyLength();
  }

  /** Index of the value's first byte in {@link #buffer()}; meaningless without a value. */
  public int valuePosition() {
    return cursor.record().valuePosition();
  }

  /** Length of the value in bytes, -1 where there is none. */
  public int valueLength() {
    return cursor.record().valueLength();
  }

  /** The key as a new slice; null where there is none. */
  public @Nullable ByteBuffer key() {
    return readOnly(cursor.record().key());
  }

  /** The value as a new slice; null where there is none. */
  public @Nullable ByteBuffer value() {
    return readOnly(cursor.record().value());
  }

  /** The number of headers. */
  public int headerCount() {
    return cursor.record().headerCount();
  }

  /** Goes to the next header, to the first one at the first call; false behind the last one. */
  public boolean nextHeader() {
    return cursor.record().nextHeader();
  }

  /** The key of the present header. */
  public String headerKey() {
    return cursor.record().headerKey();
  }

  /** The value of the present header as a new slice; null where there is none. */
  public @Nullable ByteBuffer headerValue() {
    return readOnly(cursor.record().headerValue());
  }

  private static @Nullable ByteBuffer readOnly(@Nullable ByteBuffer slice) {
    return slice == null ? null : slice.asReadOnlyBuffer();
  }
}
