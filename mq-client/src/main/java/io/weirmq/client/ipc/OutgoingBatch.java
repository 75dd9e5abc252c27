package io.weirmq.client.ipc;

import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record batch that is built in place, in the form in which it is sent and stored.
 *
 * <pre>
 *   0              {@link #BATCH_POSITION}      + 61           end
 *   | request head, | batch header          | records …      | tagged fields |
 *   | right-aligned | written when sealed   |                | of the request|
 * </pre>
 *
 * <p>Written by whoever has the publisher's turn. From sending to {@link #finish} the link's I/O
 * thread reads what nobody changes then, to settle it or to say what was refused: {@link
 * #firstToken}, {@link #recordCount}, {@link #nextToken}, {@link #baseSequence} and {@link
 * #answeredBefore}. {@link #finish}, {@link #isDone}, {@link #expectNoAnswer}, {@link #isAnswered},
 * and the same with {@link #lend}, {@link #returned} and {@link #isLent}, are for any thread.
 */
final class OutgoingBatch {

  /** Room for the head of a request with the longest names, see {@link ProduceFrames}. */
  static final int BATCH_POSITION = 512;

  private static final int RECORDS_POSITION = BATCH_POSITION + RecordBatch.HEADER_BYTES;
  private static final int NULL_LENGTH = -1;

  /** A record without headers says so. */
  private static final int NO_HEADERS_BYTES = 1;

  private final ByteBuffer buffer;
  private final int limit;
  private final RecordBatch header = new RecordBatch();

  private int end;
  private int recordCount;
  private long firstToken;
  private long baseTimestampMs;
  private long maxTimestampMs;
  private int baseSequence;

  // A record that is claimed and not committed.
  private int claimEnd;
  private long claimTimestampMs;
  private int keyPosition;
  private int valuePosition;

  private List<OutgoingBatch> before = List.of();

  // Written by whoever has the turn, while it is not under way.
  private boolean everSent;
  private boolean knownToLeader;

  private volatile boolean done;
  private volatile boolean answered;
  private volatile boolean refusedBeforeAppend;

  // Guarded by this. Two at once where a connection has ended and another sends it again.
  private int lentCount;

  OutgoingBatch(int batchBytesMax) {
    this.limit = BATCH_POSITION + batchBytesMax;
    this.buffer = ByteBuffer.allocateDirect(limit + ProduceFrames.TAIL_BYTES);
  }

  /** Empties it. */
  void begin(long token) {
    firstToken = token;
    end = RECORDS_POSITION;
    recordCount = 0;
    before = List.of();
    everSent = false;
    knownToLeader = false;
    answered = false;
    refusedBeforeAppend = false;
    done = false;
  }

  /** The size of the largest record that fits into an empty batch, with its length field. */
  static int recordBytesMax(int batchBytesMax) {
    return batchBytesMax - RecordBatch.HEADER_BYTES;
  }

  /**
   * Lays a record out behind the others; it belongs to the batch once it is committed.
   *
   * @param keyLength -1 for no key
   * @param valueLength -1 for no value
   * @param headers copied; null for none
   * @return false where there is no room
   * @throws IllegalStateException where another thread changes the headers meanwhile; nothing is
   *     claimed then
   */
  boolean claim(long timestampMs, int keyLength, int valueLength, @Nullable RecordHeaders headers) {
    int headersBytes = headers == null ? NO_HEADERS_BYTES : headers.sizeInBytes();
    long timestampDelta = recordCount == 0 ? 0 : timestampMs - baseTimestampMs;
    int body =
        1
            + Varints.sizeOfLong(timestampDelta)
            + Varints.sizeOf(recordCount)
            + Varints.sizeOf(keyLength)
            + Math.max(keyLength, 0)
            + Varints.sizeOf(valueLength)
            + Math.max(valueLength, 0)
            + headersBytes;
    int at = end;
    if (body > limit - at - Varints.sizeOf(body)) {
      return false;
    }
    ByteBuffer target = buffer;
    at = Varints.put(target, at, body);
    target.put(at++, (byte) 0);
    at = Varints.putLong(target, at, timestampDelta);
    at = Varints.put(target, at, recordCount);
    at = Varints.put(target, at, keyLength);
    keyPosition = at;
    at = Varints.put(target, at + Math.max(keyLength, 0), valueLength);
    valuePosition = at;
    at += Math.max(valueLength, 0);
    int recordEnd = at + headersBytes;
    if (headers == null) {
      target.put(at, (byte) 0);
    } else if (headers.put(target, at) != recordEnd) {
      throw new IllegalStateException("headers were changed while they were published");
    }
    claimEnd = recordEnd;
    claimTimestampMs = timestampMs;
    return true;
  }

  /** Takes the claimed record in. */
  void commit() {
    end = claimEnd;
    if (recordCount == 0) {
      baseTimestampMs = claimTimestampMs;
      maxTimestampMs = claimTimestampMs;
    } else if (claimTimestampMs > maxTimestampMs) {
      maxTimestampMs = claimTimestampMs;
    }
    recordCount++;
  }

  /** Writes the header. Nothing is claimed from now on. */
  void seal(long producerId, short producerEpoch, int sequence) {
    baseSequence = sequence;
    ByteBuffer target = buffer;
    int at = BATCH_POSITION;
    target.putLong(at + RecordBatch.BASE_OFFSET_POSITION, 0);
    target.putInt(at + RecordBatch.LENGTH_POSITION, sizeInBytes() - RecordBatch.LOG_OVERHEAD_BYTES);
    target.putInt(at + RecordBatch.LEADER_EPOCH_POSITION, RecordBatch.NO_LEADER_EPOCH);
    target.put(at + RecordBatch.MAGIC_POSITION, RecordBatch.MAGIC_V2);
    target.putShort(at + RecordBatch.ATTRIBUTES_POSITION, (short) 0);
    target.putInt(at + RecordBatch.LAST_OFFSET_DELTA_POSITION, recordCount - 1);
    target.putLong(at + RecordBatch.BASE_TIMESTAMP_POSITION, baseTimestampMs);
    target.putLong(at + RecordBatch.MAX_TIMESTAMP_POSITION, maxTimestampMs);
    target.putLong(at + RecordBatch.PRODUCER_ID_POSITION, producerId);
    target.putShort(at + RecordBatch.PRODUCER_EPOCH_POSITION, producerEpoch);
    target.putInt(at + RecordBatch.BASE_SEQUENCE_POSITION, sequence);
    target.putInt(at + RecordBatch.RECORD_COUNT_POSITION, recordCount);
    header.wrap(target, at).writeCrc();
  }

  ByteBuffer buffer() {
    return buffer;
  }

  /** Size of the batch in bytes, without the request around it. */
  int sizeInBytes() {
    return end - BATCH_POSITION;
  }

  /** Index behind the last record. */
  int end() {
    return end;
  }

  int recordCount() {
    return recordCount;
  }

  boolean isEmpty() {
    return recordCount == 0;
  }

  long firstToken() {
    return firstToken;
  }

  /** The token of the record that is committed next. */
  long nextToken() {
    return firstToken + recordCount;
  }

  int baseSequence() {
    return baseSequence;
  }

  /**
   * Whether the batch lies at or before a sequence number, which the producer has reached not more
   * than half a turn of the numbers later.
   */
  boolean isCoveredBy(int lastSequence) {
    int behind =
        (lastSequence - RecordBatch.incrementSequence(baseSequence, recordCount - 1))
            & Integer.MAX_VALUE;
    return lastSequence != RecordBatch.NO_SEQUENCE && behind <= Integer.MAX_VALUE / 2;
  }

  int keyPosition() {
    return keyPosition;
  }

  int valuePosition() {
    return valuePosition;
  }

  static boolean isLength(int length) {
    return length >= NULL_LENGTH;
  }

  /** The bytes are the transport's until {@link #returned}. */
  synchronized void lend() {
    lentCount++;
  }

  /** The transport needs the bytes no more. */
  synchronized void returned() {
    lentCount--;
  }

  synchronized boolean isLent() {
    return lentCount != 0;
  }

  /**
   * Names the batches that this one's answer speaks for, too; set before it is sent, again each
   * time that it is.
   */
  void answersFor(List<OutgoingBatch> earlier) {
    before = earlier;
  }

  /** The batches before this one that are not sent again, as the leader has them. */
  List<OutgoingBatch> answeredBefore() {
    return before;
  }

  /** It is on its way to a leader, whose answer will come. */
  void sending() {
    everSent = true;
    answered = false;
  }

  /** Whether a leader may have it, or may have had it, so that its identity must stay. */
  boolean wasEverSent() {
    return everSent;
  }

  /** The leader has said whether it has it. */
  void locate(boolean known) {
    knownToLeader = known;
  }

  /** Whether the leader has it, so that it goes again for the sake of the answer only. */
  boolean isKnownToLeader() {
    return knownToLeader;
  }

  /** It was refused for now, or follows one that was, or a later one's answer is its own. */
  void expectNoAnswer() {
    answered = true;
  }

  /**
   * It was refused before it was written: from now on only an answer can say that it is in a log.
   */
  void refuseBeforeAppend() {
    refusedBeforeAppend |= !knownToLeader;
  }

  /** Whether it was refused before it was written, and not taken since. */
  boolean isRefusedBeforeAppend() {
    return refusedBeforeAppend;
  }

  /** Whether no further answer to it will come, unless it is sent again. */
  boolean isAnswered() {
    return answered || done;
  }

  /** Its outcome is known. */
  void finish() {
    done = true;
  }

  boolean isDone() {
    return done;
  }
}
