package io.weirmq.storage.internal.compact;

import java.nio.ByteBuffer;

/**
 * Key → last offset, in a table of fixed size with open addressing.
 *
 * <pre>
 *   slot  3 longs: first half of the hash, second half, offset + 1 (0 where the slot is free)
 * </pre>
 *
 * <p>Keys are known by their {@linkplain KeyHash hash} alone. The table has room for the records
 * that may come, but never more bytes than it was allowed; above its load factor it takes no new
 * keys. Linear probing: with a load of 0.9 a lookup of an unknown key looks at 50 slots on average,
 * which lie behind one another in memory.
 *
 * <p>Confined to one thread.
 */
final class OffsetMap {

  /** Bytes of a slot. */
  static final int SLOT_BYTES = 24;

  /** Returned where a key is not in the map. */
  static final long UNKNOWN = -1;

  private static final int SLOT_LONGS = 3;
  private static final int SLOTS_MAX = (Integer.MAX_VALUE - 8) / SLOT_LONGS;
  private static final int SLOTS_MIN = 16;

  private final KeyHash hash;
  private final int slots;
  private final int keysMax;
  private final long[] table;
  private int keys;

  /**
   * Makes an empty map.
   *
   * @param bytesMax size of the table at most
   * @param loadFactor share of the slots that are used at most, above 0 and below 1
   * @param recordsMax records that will be put at most
   */
  OffsetMap(KeyHash hash, long bytesMax, double loadFactor, long recordsMax) {
    this.hash = hash;
    long wanted = (long) Math.ceil(Math.min(recordsMax, SLOTS_MAX) / loadFactor) + 1;
    long allowed = Math.min(bytesMax / SLOT_BYTES, SLOTS_MAX);
    this.slots = (int) Math.max(SLOTS_MIN, Math.min(wanted, allowed));
    // One slot stays free, so that a search ends.
    this.keysMax = (int) Math.max(1, Math.min(slots - 1L, (long) (slots * loadFactor)));
    this.table = new long[slots * SLOT_LONGS];
  }

  /** Number of keys. */
  int size() {
    return keys;
  }

  /** Size of the table in bytes. */
  long sizeBytes() {
    return (long) slots * SLOT_BYTES;
  }

  /**
   * Notes that a key was last seen at an offset.
   *
   * @param offset at or above all offsets put before
   * @return false where the key is new and the map is full; nothing has changed then
   */
  boolean put(ByteBuffer buffer, int keyPosition, int keyLength, long offset) {
    hash.of(buffer, keyPosition, keyLength);
    int slot = slot();
    if (table[slot + 2] == 0) {
      if (keys == keysMax) {
        return false;
      }
      keys++;
      table[slot] = hash.high();
      table[slot + 1] = hash.low();
    }
    table[slot + 2] = offset + 1;
    return true;
  }

  /** Returns the last offset of a key; {@link #UNKNOWN} where it was not put. */
  long get(ByteBuffer buffer, int keyPosition, int keyLength) {
    hash.of(buffer, keyPosition, keyLength);
    return table[slot() + 2] - 1;
  }

  /** Index of the slot with the hash, or of the free one where it belongs. */
  private int slot() {
    long high = hash.high();
    long low = hash.low();
    int slot = (int) (((high >>> 32) * slots) >>> 32) * SLOT_LONGS;
    while (table[slot + 2] != 0 && (table[slot] != high || table[slot + 1] != low)) {
      slot += SLOT_LONGS;
      if (slot == table.length) {
        slot = 0;
      }
    }
    return slot;
  }
}
