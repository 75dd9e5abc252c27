package io.weirmq.client.ipc;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The files of one partition as a broker grants and publishes them, with batches of one record: a
 * test says how far which offset is. More may be in the segment than is published.
 */
final class ScriptedLog {

  private static final UUID TOPIC = new UUID(1, 2);
  private static final int ENTRY = 64;
  private static final int LAST_STABLE_OFFSET = ENTRY + 16;
  private static final int HIGH_WATERMARK = ENTRY + 24;

  private final Path segment;
  private final Path offsetsFile;
  private final ByteBuffer offsets;

  /** Positions in the segment by base offset, and that of its end. */
  private final TreeMap<Long, Long> positions = new TreeMap<>(Map.of(0L, 0L));

  /** By the offset of the marker. */
  private final TreeMap<Long, DirectReadResponse.AbortedTransaction> aborted = new TreeMap<>();

  ScriptedLog(Path folder) throws IOException {
    segment = Files.createFile(folder.resolve("segment.log"));
    offsetsFile = folder.resolve("offsets");
    try (FileChannel channel = FileChannel.open(offsetsFile, CREATE_NEW, READ, WRITE)) {
      offsets =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, 2L * ENTRY).order(ByteOrder.nativeOrder());
    }
    offsets
        .putLong(0, 0x77656972_6f666673L)
        .putLong(ENTRY, 1) // live
        .putLong(ENTRY + 32, TOPIC.getMostSignificantBits())
        .putLong(ENTRY + 40, TOPIC.getLeastSignificantBits());
  }

  /** Publishes how far the log may be read. */
  void publish(long lastStableOffset, long highWatermark) {
    offsets.putLong(LAST_STABLE_OFFSET, lastStableOffset).putLong(HIGH_WATERMARK, highWatermark);
  }

  /** Appends a record whose value is its offset. */
  void append() throws IOException {
    write(builder().append(0, null, ByteBuffer.allocate(8).putLong(0, nextOffset())));
  }

  /** As {@link #append()}, in a transaction. */
  void appendInTransaction(long producerId, int sequence) throws IOException {
    write(
        builder()
            .producer(producerId, (short) 0, sequence)
            .transactional()
            .append(0, null, ByteBuffer.allocate(8).putLong(0, nextOffset())));
  }

  /** Appends the end of a transaction. */
  void endTransaction(long producerId, long firstOffset, boolean commit) throws IOException {
    if (!commit) {
      aborted.put(
          nextOffset(),
          new DirectReadResponse.AbortedTransaction()
              .setProducerId(producerId)
              .setFirstOffset(firstOffset));
    }
    EndTransactionMarker marker = new EndTransactionMarker(commit, 0);
    write(
        builder()
            .producer(producerId, (short) 0, RecordBatch.NO_SEQUENCE)
            .transactional()
            .control()
            .append(0, marker.key(), marker.value()));
  }

  private RecordBatchBuilder builder() {
    return new RecordBatchBuilder().baseOffset(nextOffset()).leaderEpoch(0);
  }

  private long nextOffset() {
    return positions.lastKey();
  }

  private void write(RecordBatchBuilder batch) throws IOException {
    long end = Files.size(segment);
    try (FileChannel channel = FileChannel.open(segment, APPEND)) {
      end += channel.write(batch.build());
    }
    positions.put(nextOffset() + 1, end);
  }

  /** Grants what lies below the published offset that the request asks for. */
  DirectReadResponse answer(DirectReadRequest request) {
    long lastStableOffset = offsets.getLong(LAST_STABLE_OFFSET);
    long highWatermark = offsets.getLong(HIGH_WATERMARK);
    long visibleEnd = request.isolationLevel() == 1 ? lastStableOffset : highWatermark;
    long from = positions.getOrDefault(request.fetchOffset(), 0L);
    long length = positions.getOrDefault(visibleEnd, 0L) - from;
    try {
      return new DirectReadResponse()
          .setTopicId(TOPIC)
          .setLastStableOffset(lastStableOffset)
          .setHighWatermark(highWatermark)
          .setLogStartOffset(0)
          .setSegmentPath(segment.toString())
          .setSegmentInode((Long) Files.getAttribute(segment, "unix:ino"))
          .setPosition(from)
          .setLengthBytes((int) Math.max(0, length))
          .setAbortedTransactions(
              List.copyOf(aborted.tailMap(request.fetchOffset(), true).values()))
          .setOffsetsPath(offsetsFile.toString())
          .setOffsetsInode((Long) Files.getAttribute(offsetsFile, "unix:ino"))
          .setOffsetsPosition(ENTRY);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
