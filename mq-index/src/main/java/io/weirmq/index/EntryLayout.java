package io.weirmq.index;

import java.nio.ByteBuffer;

/** How an entry, a key and a value, lies in a file. All numbers are big-endian. */
enum EntryLayout {
  /** Relative offset (4 bytes), position (4 bytes). */
  OFFSET(8) {
    @Override
    long key(ByteBuffer bytes, int at) {
      return bytes.getInt(at);
    }

    @Override
    int value(ByteBuffer bytes, int at) {
      return bytes.getInt(at + Integer.BYTES);
    }

    @Override
    void put(ByteBuffer bytes, int at, long key, int value) {
      bytes.putInt(at, Math.toIntExact(key)).putInt(at + Integer.BYTES, value);
    }
  },

  /** Timestamp (8 bytes), relative offset (4 bytes). */
  TIME(12) {
    @Override
    long key(ByteBuffer bytes, int at) {
      return bytes.getLong(at);
    }

    @Override
    int value(ByteBuffer bytes, int at) {
      return bytes.getInt(at + Long.BYTES);
    }

    @Override
    void put(ByteBuffer bytes, int at, long key, int value) {
      bytes.putLong(at, key).putInt(at + Long.BYTES, value);
    }
  };

  private final int entryBytes;

  EntryLayout(int entryBytes) {
    this.entryBytes = entryBytes;
  }

  int entryBytes() {
    return entryBytes;
  }

  abstract long key(ByteBuffer bytes, int at);

  abstract int value(ByteBuffer bytes, int at);

  abstract void put(ByteBuffer bytes, int at, long key, int value);
}
