package io.weirmq.storage.internal.compact;

import java.nio.ByteBuffer;

/**
 * SipHash-2-4 with 128 bits of output (Aumasson, Bernstein: "SipHash: a fast short-input PRF"),
 * over a secret key that each run draws anew.
 *
 * <p>The offset map knows keys by their hash alone, so two keys with one hash would cost a record.
 * Among n keys that has a probability of n²/2^129: 10^-21 for a thousand million. The secret keeps
 * clients from making such keys on purpose, which they could with a hash that everybody can
 * compute.
 *
 * <p>Confined to one thread. Nothing is allocated per key.
 */
final class KeyHash {

  private final long secret0;
  private final long secret1;

  private long v0;
  private long v1;
  private long v2;
  private long v3;
  private long high;
  private long low;

  KeyHash(long secret0, long secret1) {
    this.secret0 = secret0;
    this.secret1 = secret1;
  }

  /** First half of the last hash. */
  long high() {
    return high;
  }

  /** Second half of the last hash. */
  long low() {
    return low;
  }

  /** Computes the hash of bytes; the buffer is left as it is. */
  void of(ByteBuffer bytes, int position, int length) {
    v0 = 0x736f6d6570736575L ^ secret0;
    v1 = 0x646f72616e646f6dL ^ secret1 ^ 0xee;
    v2 = 0x6c7967656e657261L ^ secret0;
    v3 = 0x7465646279746573L ^ secret1;
    int end = position + (length & ~7);
    for (int at = position; at < end; at += 8) {
      compress(Long.reverseBytes(bytes.getLong(at)));
    }
    long last = (long) length << 56;
    for (int i = 0; i < (length & 7); i++) {
      last |= (bytes.get(end + i) & 0xffL) << (8 * i);
    }
    compress(last);
    v2 ^= 0xee;
    high = finish();
    v1 ^= 0xdd;
    low = finish();
  }

  private void compress(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private long finish() {
    round();
    round();
    round();
    round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void round() {
    v0 += v1;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v3;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 += v3;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 += v1;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v2 = Long.rotateLeft(v2, 32);
  }
}
