package io.weirmq.storage.record;

import io.weirmq.storage.CompressionType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * A re-usable view of one record batch of message format v2 in a buffer. All access is absolute:
 * nothing here moves the buffer's position or limit, and nothing is copied.
 *
 * <pre>
 *   offset size field                  (big-endian)
 *        0    8 baseOffset             written by the broker
 *        8    4 batchLength            bytes behind this field, so 12 less than the whole
 *       12    4 partitionLeaderEpoch   written by the broker
 *       16    1 magic                  2
 *       17    4 crc                    CRC-32C of bytes 21 to the end
 *       21    2 attributes             bits 0-2 codec, 3 log append time, 4 transactional,
 *                                      5 control, 6 delete horizon in baseTimestamp
 *       23    4 lastOffsetDelta
 *       27    8 baseTimestamp          ms
 *       35    8 maxTimestamp           ms
 *       43    8 producerId             -1 where there is none
 *       51    2 producerEpoch          -1 where there is none
 *       53    4 baseSequence           -1 where there is none
 *       57    4 recordCount
 *       61    … records                one compressed block where a codec is set
 * </pre>
 *
 * <p>The checksum doesn't cover bytes 0 to 20, so that base offset and leader epoch are set in
 * place. Setters of fields behind byte 20 leave a wrong checksum behind until {@link #writeCrc()}.
 *
 * <p>Only the header has to be in the buffer; methods that touch the records say so. Values are
 * returned as they stand in the bytes: nothing is validated here.
 *
 * <p>Confined to one thread. The buffer is borrowed until the next {@code wrap}.
 */
public final class RecordBatch {

  /** Position of the base offset in a batch. */
  public static final int BASE_OFFSET_POSITION = 0;

  /** Position of the batch length in a batch. */
  public static final int LENGTH_POSITION = 8;

  /** Position of the partition leader epoch in a batch. */
  public static final int LEADER_EPOCH_POSITION = 12;

  /** Position of the magic byte in a batch; the same in the older formats. */
  public static final int MAGIC_POSITION = 16;

  /** Position of the checksum in a batch. */
  public static final int CRC_POSITION = 17;

  /** Position of the attributes, the first byte that the checksum covers. */
  public static final int ATTRIBUTES_POSITION = 21;

  /** Position of the last offset delta in a batch. */
  public static final int LAST_OFFSET_DELTA_POSITION = 23;

  /** Position of the base timestamp in a batch. */
  public static final int BASE_TIMESTAMP_POSITION = 27;

  /** Position of the greatest timestamp in a batch. */
  public static final int MAX_TIMESTAMP_POSITION = 35;

  /** Position of the producer id in a batch. */
  public static final int PRODUCER_ID_POSITION = 43;

  /** Position of the producer epoch in a batch. */
  public static final int PRODUCER_EPOCH_POSITION = 51;

  /** Position of the base sequence in a batch. */
  public static final int BASE_SEQUENCE_POSITION = 53;

  /** Position of the record count in a batch. */
  public static final int RECORD_COUNT_POSITION = 57;

  /** Size of the header in bytes, and the position of the first record. */
  public static final int HEADER_BYTES = 61;

  /** Bytes that the length field doesn't count: base offset and the length itself. */
  public static final int LOG_OVERHEAD_BYTES = 12;

  /** The only magic that is written and accepted. */
  public static final byte MAGIC_V2 = 2;

  /** Attribute bits of the codec. */
  public static final int COMPRESSION_MASK = 0x07;

  /** Attribute bit of log append time. */
  public static final int LOG_APPEND_TIME_BIT = 0x08;

  /** Attribute bit of a transactional batch. */
  public static final int TRANSACTIONAL_BIT = 0x10;

  /** Attribute bit of a control batch. */
  public static final int CONTROL_BIT = 0x20;

  /** Attribute bit that makes the base timestamp a delete horizon. */
  public static final int DELETE_HORIZON_BIT = 0x40;

  /** Producer id of a batch without one. */
  public static final long NO_PRODUCER_ID = -1;

  /** Producer epoch of a batch without one. */
  public static final short NO_PRODUCER_EPOCH = -1;

  /** Base sequence of a batch without one. */
  public static final int NO_SEQUENCE = -1;

  /** Leader epoch of a batch that no leader has stamped. */
  public static final int NO_LEADER_EPOCH = -1;

  /** Timestamp of a record without one. */
  public static final long NO_TIMESTAMP = -1;

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final CRC32C crc32c = new CRC32C();
  private ByteBuffer buffer = EMPTY;
  private int position;

  /** Makes a view of nothing; call {@link #wrap} before anything else. */
  public RecordBatch() {}

  /** Makes a view of the batch at a position of a buffer; see {@link #wrap}. */
  public static RecordBatch at(ByteBuffer buffer, int position) {
    return new RecordBatch().wrap(buffer, position);
  }

  /** Makes a view of the batch at the buffer's position; see {@link #wrap}. */
  public static RecordBatch of(ByteBuffer buffer) {
    return at(buffer, buffer.position());
  }

  /**
   * Moves the view to another batch.
   *
   * @param buffer big-endian; borrowed
   * @param position index of the first byte of the batch; the header lies before the limit
   * @return this
   * @throws IllegalArgumentException where the buffer is little-endian
   * @throws IndexOutOfBoundsException where the header exceeds the limit; ask {@link #hasHeader}
   */
  public RecordBatch wrap(ByteBuffer buffer, int position) {
    if (buffer.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("the buffer of a record batch must be big-endian");
    }
    Objects.checkFromIndexSize(position, HEADER_BYTES, buffer.limit());
    this.buffer = buffer;
    this.position = position;
    return this;
  }

  /** Returns whether a whole header lies between a position and the limit of a buffer. */
  public static boolean hasHeader(ByteBuffer buffer, int position) {
    return position >= 0 && position <= buffer.limit() - HEADER_BYTES;
  }

  /**
   * Returns the checksum of a batch, without a view of it.
   *
   * @param buffer holds the whole batch; borrowed
   * @param position index of the first byte of the batch
   * @param sizeInBytes size of the batch, at least {@link #HEADER_BYTES}
   * @return CRC-32C of bytes 21 to the end
   */
  public static int computeCrc(ByteBuffer buffer, int position, int sizeInBytes) {
    return computeCrc(new CRC32C(), buffer, position, sizeInBytes);
  }

  /** The buffer that the view looks at. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index in the buffer of the first byte of the batch. */
  public int position() {
    return position;
  }

  /** Offset of the first record. */
  public long baseOffset() {
    return buffer.getLong(position + BASE_OFFSET_POSITION);
  }

  /** The length field: the size in bytes without the first {@link #LOG_OVERHEAD_BYTES}. */
  public int batchLength() {
    return buffer.getInt(position + LENGTH_POSITION);
  }

  /**
   * Size of the whole batch in bytes, from the length field; below {@link #HEADER_BYTES}, maybe
   * negative, where that field is wrong. See {@link #isWhole()}.
   */
  public int sizeInBytes() {
    return batchLength() + LOG_OVERHEAD_BYTES;
  }

  /** Whether the size is possible and all of the batch lies before the buffer's limit. */
  public boolean isWhole() {
    int size = sizeInBytes();
    return size >= HEADER_BYTES && size <= buffer.limit() - position;
  }

  /** Leader epoch in which the batch was appended, -1 where no leader has stamped it. */
  public int partitionLeaderEpoch() {
    return buffer.getInt(position + LEADER_EPOCH_POSITION);
  }

  /** Number of the message format. */
  public byte magic() {
    return buffer.get(position + MAGIC_POSITION);
  }

  /** The stored checksum. */
  public int crc() {
    return buffer.getInt(position + CRC_POSITION);
  }

  /** All attribute bits. */
  public short attributes() {
    return buffer.getShort(position + ATTRIBUTES_POSITION);
  }

  /** Number of the codec, 0 to 7; 5 to 7 are not known. */
  public int compressionId() {
    return attributes() & COMPRESSION_MASK;
  }

  /** Whether a codec is set. */
  public boolean isCompressed() {
    return compressionId() != 0;
  }

  /**
   * The codec.
   *
   * @throws CorruptBatchException where the number is not known
   */
  public CompressionType compressionType() throws CorruptBatchException {
    int id = compressionId();
    return CompressionType.ofId(id)
        .orElseThrow(
            () ->
                new CorruptBatchException(
                    CorruptBatchException.Kind.UNSUPPORTED_COMPRESSION,
                    baseOffset(),
                    "codec number %d is not known; expected 0 to 4".formatted(id)));
  }

  /** Whether the timestamps of all records are {@link #maxTimestamp()}, set by the broker. */
  public boolean isLogAppendTime() {
    return (attributes() & LOG_APPEND_TIME_BIT) != 0;
  }

  /** Whether the batch belongs to a transaction. */
  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL_BIT) != 0;
  }

  /** Whether the batch holds a control record, which consumers never show. */
  public boolean isControl() {
    return (attributes() & CONTROL_BIT) != 0;
  }

  /** Whether the base timestamp is the time after which compaction may remove tombstones. */
  public boolean hasDeleteHorizon() {
    return (attributes() & DELETE_HORIZON_BIT) != 0;
  }

  /** Offset of the last record less the base offset. */
  public int lastOffsetDelta() {
    return buffer.getInt(position + LAST_OFFSET_DELTA_POSITION);
  }

  /** Offset of the last record. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  /** Offset behind the last record. */
  public long nextOffset() {
    return lastOffset() + 1;
  }

  /** The timestamp that the records' deltas count from, in milliseconds since the epoch. */
  public long baseTimestamp() {
    return buffer.getLong(position + BASE_TIMESTAMP_POSITION);
  }

  /** Greatest timestamp of the records, in milliseconds since the epoch. */
  public long maxTimestamp() {
    return buffer.getLong(position + MAX_TIMESTAMP_POSITION);
  }

  /**
   * The greatest timestamp, as an index of times knows it: -1 where compaction has left no record,
   * and only the header tells a time.
   */
  public long maxRecordTimestamp() {
    return recordCount() == 0 ? NO_TIMESTAMP : maxTimestamp();
  }

  /** Producer id, -1 where there is none. */
  public long producerId() {
    return buffer.getLong(position + PRODUCER_ID_POSITION);
  }

  /** Whether an idempotent or transactional producer sent the batch. */
  public boolean hasProducerId() {
    return producerId() > NO_PRODUCER_ID;
  }

  /** Producer epoch, -1 where there is none. */
  public short producerEpoch() {
    return buffer.getShort(position + PRODUCER_EPOCH_POSITION);
  }

  /** Sequence number of the first record, -1 where there is none. */
  public int baseSequence() {
    return buffer.getInt(position + BASE_SEQUENCE_POSITION);
  }

  /** Sequence number of the last record, -1 where there is none; it wraps from 2^31-1 to 0. */
  public int lastSequence() {
    int base = baseSequence();
    return base == NO_SEQUENCE ? NO_SEQUENCE : incrementSequence(base, lastOffsetDelta());
  }

  /** Number of records. */
  public int recordCount() {
    return buffer.getInt(position + RECORD_COUNT_POSITION);
  }

  /** Sets the base offset; the checksum stays right. */
  public void baseOffset(long offset) {
    buffer.putLong(position + BASE_OFFSET_POSITION, offset);
  }

  /** Sets the leader epoch; the checksum stays right. */
  public void partitionLeaderEpoch(int epoch) {
    buffer.putInt(position + LEADER_EPOCH_POSITION, epoch);
  }

  /**
   * Sets timestamp type and greatest timestamp, and the checksum. The whole batch must be in the
   * buffer.
   *
   * @param logAppendTime whether all records are to have that timestamp
   * @param maxTimestampMs milliseconds since the epoch
   */
  public void maxTimestamp(boolean logAppendTime, long maxTimestampMs) {
    int attributes = attributes() & ~LOG_APPEND_TIME_BIT;
    if (logAppendTime) {
      attributes |= LOG_APPEND_TIME_BIT;
    }
    buffer.putShort(position + ATTRIBUTES_POSITION, (short) attributes);
    buffer.putLong(position + MAX_TIMESTAMP_POSITION, maxTimestampMs);
    writeCrc();
  }

  /**
   * Returns the checksum that the bytes have.
   *
   * @throws IndexOutOfBoundsException where the batch is not {@linkplain #isWhole() whole}
   */
  public int computeCrc() {
    return computeCrc(crc32c, buffer, position, sizeInBytes());
  }

  /** Whether the stored checksum is right; the batch must be {@linkplain #isWhole() whole}. */
  public boolean isCrcValid() {
    return computeCrc() == crc();
  }

  /** Stores the checksum that the bytes have; the batch must be {@linkplain #isWhole() whole}. */
  public void writeCrc() {
    buffer.putInt(position + CRC_POSITION, computeCrc());
  }

  /**
   * Checks what a reader of stored bytes relies on: framing, magic and checksum.
   *
   * @throws CorruptBatchException names which of them is wrong, expected and found
   */
  public void ensureValid() throws CorruptBatchException {
    if (!isWhole()) {
      throw new CorruptBatchException(
          CorruptBatchException.Kind.FRAMING,
          baseOffset(),
          "batch claims %d bytes; expected %d to %d"
              .formatted((long) batchLength() + LOG_OVERHEAD_BYTES, HEADER_BYTES, available()));
    }
    if (magic() != MAGIC_V2) {
      throw new CorruptBatchException(
          CorruptBatchException.Kind.MAGIC,
          baseOffset(),
          "magic is %d; expected %d".formatted(magic(), MAGIC_V2));
    }
    int computed = computeCrc();
    if (computed != crc()) {
      throw CorruptBatchException.checksum(baseOffset(), crc(), computed, sizeInBytes());
    }
  }

  /** Returns a sequence number that is a number of records after another. */
  public static int incrementSequence(int sequence, int increment) {
    return (sequence + increment) & Integer.MAX_VALUE;
  }

  /** Offsets, size and producer, for messages. */
  @Override
  public String toString() {
    if (buffer.limit() < HEADER_BYTES) {
      return "RecordBatch[none]";
    }
    return ("RecordBatch[offsets %d..%d, %d bytes, %d records, magic %d, attributes 0x%02x,"
            + " producer %d epoch %d sequence %d, leader epoch %d]")
        .formatted(
            baseOffset(),
            lastOffset(),
            sizeInBytes(),
            recordCount(),
            magic(),
            attributes(),
            producerId(),
            producerEpoch(),
            baseSequence(),
            partitionLeaderEpoch());
  }

  private int available() {
    return buffer.limit() - position;
  }

  private static int computeCrc(CRC32C crc, ByteBuffer buffer, int position, int sizeInBytes) {
    if (sizeInBytes < HEADER_BYTES) {
      throw new IndexOutOfBoundsException(
          "batch of %d bytes has no whole header".formatted(sizeInBytes));
    }
    Objects.checkFromIndexSize(position, sizeInBytes, buffer.limit());
    int from = position + ATTRIBUTES_POSITION;
    int length = sizeInBytes - ATTRIBUTES_POSITION;
    crc.reset();
    if (buffer.hasArray()) {
      crc.update(buffer.array(), buffer.arrayOffset() + from, length);
    } else {
      crc.update(buffer.duplicate().limit(from + length).position(from));
    }
    return (int) crc.getValue();
  }
}
