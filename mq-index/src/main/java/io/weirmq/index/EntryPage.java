package io.weirmq.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A run of entries in the layout of the file.
 *
 * <p>The writer puts an entry's bytes first and raises the count last, with release; a reader takes
 * the count first, with acquire, so that it sees all bytes of the entries that it counts. Entries
 * below the count never change.
 */
final class EntryPage {

  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(EntryPage.class, "count", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final EntryLayout layout;
  private final int firstEntry;
  private final ByteBuffer bytes;

  @SuppressWarnings("FieldMayBeFinal") // written through COUNT
  private int count;

  /** Makes a page of entries that are in the buffer already. */
  EntryPage(EntryLayout layout, int firstEntry, ByteBuffer bytes, int count) {
    this.layout = layout;
    this.firstEntry = firstEntry;
    this.bytes = bytes;
    this.count = count;
  }

  /** Makes an empty page. */
  static EntryPage empty(EntryLayout layout, int firstEntry, int capacity) {
    return new EntryPage(
        layout, firstEntry, ByteBuffer.allocate(capacity * layout.entryBytes()), 0);
  }

  /** Returns a page with the same first {@code kept} entries and room for others. */
  EntryPage copy(int kept, int capacity) {
    ByteBuffer copied = ByteBuffer.allocate(capacity * layout.entryBytes());
    copied.put(0, bytes, 0, kept * layout.entryBytes());
    return new EntryPage(layout, firstEntry, copied, kept);
  }

  int firstEntry() {
    return firstEntry;
  }

  int countAcquire() {
    return (int) COUNT.getAcquire(this);
  }

  int capacity() {
    return bytes.capacity() / layout.entryBytes();
  }

  boolean contains(int entry) {
    return entry >= firstEntry && entry < firstEntry + countAcquire();
  }

  long key(int entry) {
    return layout.key(bytes, (entry - firstEntry) * layout.entryBytes());
  }

  int value(int entry) {
    return layout.value(bytes, (entry - firstEntry) * layout.entryBytes());
  }

  /** Writer only. */
  void append(long key, int value) {
    int entryCount = count;
    layout.put(bytes, entryCount * layout.entryBytes(), key, value);
    COUNT.setRelease(this, entryCount + 1);
  }

  /** A view of the bytes of the entries from {@code from} (an entry number of the index) on. */
  ByteBuffer bytesFrom(int from) {
    int start = (from - firstEntry) * layout.entryBytes();
    return bytes.slice(start, countAcquire() * layout.entryBytes() - start);
  }
}
