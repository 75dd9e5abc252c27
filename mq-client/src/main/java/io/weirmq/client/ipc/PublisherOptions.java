package io.weirmq.client.ipc;

import io.weirmq.storage.record.RecordBatch;

/**
 * Sizes and promises of a publisher. Immutable; start from {@link #defaults()}.
 *
 * @param acknowledgement what is waited for
 * @param batchBytesMax largest batch in bytes, with its header of 61; at most what the topic's
 *     {@code max.message.bytes} lets pass. A record must fit into one. A batch whose request fits
 *     into an eighth of the shared-memory ring is written by the publishing thread itself
 * @param bufferedBytesMax memory for batches that are filled, sent, or wait to be sent again; taken
 *     when needed, in pieces of {@code batchBytesMax}, and at least two of them
 * @param requestsInFlightMax batches sent whose answer is not there yet, 1 to {@value
 *     #REQUESTS_IN_FLIGHT_MAX}. While there are fewer, a record goes out at once; else records
 *     gather, and the next answer sends them. A batch that is full goes out while there are fewer
 *     than {@value #REQUESTS_IN_FLIGHT_MAX}
 * @param listener learns of acknowledged batches
 */
public record PublisherOptions(
    Acknowledgement acknowledgement,
    int batchBytesMax,
    long bufferedBytesMax,
    int requestsInFlightMax,
    AppendListener listener) {

  /** Most batches in flight: as many as the broker remembers of an idempotent producer. */
  public static final int REQUESTS_IN_FLIGHT_MAX = 5;

  /** Checks the values. */
  public PublisherOptions {
    if (batchBytesMax < 2 * RecordBatch.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "batchBytesMax is %d, expected at least %d"
              .formatted(batchBytesMax, 2 * RecordBatch.HEADER_BYTES));
    }
    if (bufferedBytesMax < 2L * batchBytesMax) {
      throw new IllegalArgumentException(
          "bufferedBytesMax is %d, expected room for two batches of %d bytes"
              .formatted(bufferedBytesMax, batchBytesMax));
    }
    if (requestsInFlightMax < 1 || requestsInFlightMax > REQUESTS_IN_FLIGHT_MAX) {
      throw new IllegalArgumentException(
          "requestsInFlightMax is %d, expected 1 to %d"
              .formatted(requestsInFlightMax, REQUESTS_IN_FLIGHT_MAX));
    }
  }

  /** Returns the defaults: appended, batches up to 120 KiB, 2 MiB of memory, 2 in flight. */
  public static PublisherOptions defaults() {
    return new PublisherOptions(
        Acknowledgement.APPENDED,
        120 * 1024,
        2 * 1024 * 1024,
        2,
        (firstToken, recordCount, baseOffset) -> {});
  }

  /** Returns these options with another promise. */
  public PublisherOptions withAcknowledgement(Acknowledgement wanted) {
    return new PublisherOptions(
        wanted, batchBytesMax, bufferedBytesMax, requestsInFlightMax, listener);
  }

  /** Returns these options with other sizes, both in bytes. */
  public PublisherOptions withSizes(int batchMax, long bufferedMax) {
    return new PublisherOptions(
        acknowledgement, batchMax, bufferedMax, requestsInFlightMax, listener);
  }

  /** Returns these options with another number of batches in flight. */
  public PublisherOptions withRequestsInFlightMax(int count) {
    return new PublisherOptions(acknowledgement, batchBytesMax, bufferedBytesMax, count, listener);
  }

  /** Returns these options with a listener. */
  public PublisherOptions withListener(AppendListener newListener) {
    return new PublisherOptions(
        acknowledgement, batchBytesMax, bufferedBytesMax, requestsInFlightMax, newListener);
  }
}
