package io.weirmq.server.internal.produce;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.CompressionType;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol, not the storage, demands of a batch. Immutable.
 *
 * @param error what is wrong, or {@link ErrorCode#NONE}
 * @param message explains the error
 * @param batch the records where nothing is wrong; a slice of the frame
 */
record BatchCheck(ErrorCode error, @Nullable String message, ByteBuffer batch) {

  private static final ByteBuffer NO_BATCH = ByteBuffer.allocate(0);

  /** Topics that only the broker writes to. */
  private static final Set<String> INTERNAL_TOPICS =
      Set.of("__consumer_offsets", "__transaction_state");

  /** The one client that may write to internal topics. */
  private static final String ADMIN_CLIENT_ID = "__admin_client";

  private static final short FIRST_VERSION_WITH_ZSTD = 7;
  private static final int MAGIC_OFFSET = 16;
  private static final int ATTRIBUTES_OFFSET = 21;
  private static final int COMPRESSION_MASK = 0x07;
  private static final byte MAGIC_V2 = 2;

  /** Checks a batch of a topic. */
  static BatchCheck of(
      RequestContext context, short acks, String topic, @Nullable RecordsData records) {
    if (!ProduceOperation.isKnownAcks(acks)) {
      return failed(ErrorCode.INVALID_REQUIRED_ACKS, "acks is " + acks + "; known are -1, 0 and 1");
    }
    if (INTERNAL_TOPICS.contains(topic) && !context.clientId().equals(ADMIN_CLIENT_ID)) {
      return failed(ErrorCode.INVALID_TOPIC_EXCEPTION, topic + " is written by the broker only");
    }
    ByteBuffer batch = buffer(records);
    if (batch == null || !batch.hasRemaining()) {
      return failed(ErrorCode.INVALID_RECORD, "a produce request needs a batch per partition");
    }
    if (context.apiVersion() < FIRST_VERSION_WITH_ZSTD && isZstd(batch)) {
      return failed(
          ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
          "zstd needs Produce v%d, found v%d"
              .formatted(FIRST_VERSION_WITH_ZSTD, context.apiVersion()));
    }
    return new BatchCheck(ErrorCode.NONE, null, batch);
  }

  /** Returns the outcome of a batch that is not to be appended. */
  static BatchCheck failed(ErrorCode error, @Nullable String message) {
    return new BatchCheck(error, message, NO_BATCH);
  }

  private static @Nullable ByteBuffer buffer(@Nullable RecordsData records) {
    // A decoded request has its records in one slice of its frame.
    return records instanceof RecordsData.Buffers buffers && buffers.buffers().size() == 1
        ? buffers.buffers().get(0)
        : null;
  }

  private static boolean isZstd(ByteBuffer batch) {
    int start = batch.position();
    if (batch.remaining() < ATTRIBUTES_OFFSET + Short.BYTES
        || batch.get(start + MAGIC_OFFSET) != MAGIC_V2) {
      return false; // the storage says what is wrong with it
    }
    int attributes = batch.getShort(start + ATTRIBUTES_OFFSET);
    return (attributes & COMPRESSION_MASK) == CompressionType.ZSTD.id();
  }
}
