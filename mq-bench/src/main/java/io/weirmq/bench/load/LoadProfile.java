package io.weirmq.bench.load;

import io.weirmq.storage.CompressionType;

/**
 * The load of a run. Immutable.
 *
 * @param topic topic to write
 * @param recordsPerSecond rate of the open loop, above 0
 * @param recordBytes size of a value in bytes
 * @param batchBytes size in bytes at which a batch is sent
 * @param lingerNs age in nanoseconds at which a batch is sent that is not full
 * @param acks 1 or -1
 * @param compression codec
 * @param warmupSeconds seconds at the beginning that don't count
 * @param seconds seconds that count
 */
public record LoadProfile(
    String topic,
    long recordsPerSecond,
    int recordBytes,
    int batchBytes,
    long lingerNs,
    short acks,
    CompressionType compression,
    int warmupSeconds,
    int seconds) {

  public LoadProfile {
    if (recordsPerSecond <= 0 || recordBytes < 0 || batchBytes <= 0 || seconds <= 0) {
      throw new IllegalArgumentException(
          "rate %d/s, record %d bytes, batch %d bytes, %d seconds: each must be positive"
              .formatted(recordsPerSecond, recordBytes, batchBytes, seconds));
    }
    if (acks != 1 && acks != -1) {
      throw new IllegalArgumentException("acks " + acks + ": latency needs acks 1 or all");
    }
  }
}
