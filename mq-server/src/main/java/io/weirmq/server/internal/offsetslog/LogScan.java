package io.weirmq.server.internal.offsetslog;

import io.weirmq.server.internal.group.OffsetsLog;
import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads a log from its start to the end that it has when the scan begins. Confined to one thread
 * (the reader's).
 */
final class LogScan {

  /** Read at a time; a batch that is larger is read whole all the same. */
  private static final int CHUNK_BYTES = 1024 * 1024;

  private final PartitionLog log;
  private final OffsetsLog.Visitor visitor;
  private final long end;
  private final RecordCursor records = new RecordCursor(new Decompressor());
  private List<AbortedTransaction> aborted = List.of();
  private ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

  LogScan(PartitionLog log, OffsetsLog.Visitor visitor) {
    this.log = log;
    this.visitor = visitor;
    this.end = log.logEndOffset();
  }

  void run() throws IOException {
    try {
      long offset = log.logStartOffset();
      aborted = log.abortedTransactions(offset, end);
      while (offset < end) {
        long next = readChunk(offset);
        if (next <= offset) {
          throw new IOException(
              "%s: no batch at offset %d, although the log ends at %d"
                  .formatted(log.topicPartition(), offset, end));
        }
        offset = next;
      }
    } finally {
      records.close();
    }
  }

  /** Visits some batches; returns the offset behind them. */
  private long readChunk(long offset) throws IOException {
    LogSlice slice = log.read(offset, CHUNK_BYTES, end, true);
    try {
      if (slice.lengthBytes() > chunk.capacity()) {
        chunk = ByteBuffer.allocate(slice.lengthBytes());
      }
      chunk.clear().limit(slice.lengthBytes());
      slice.readFully(chunk);
      chunk.flip();
    } finally {
      slice.release();
    }
    long next = offset;
    BatchCursor batches = new BatchCursor(chunk);
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      next = batch.nextOffset();
      visit(batch);
    }
    return next;
  }

  private void visit(RecordBatch batch) {
    if (batch.isControl() || isAborted(batch)) {
      return;
    }
    try {
      batch.ensureValid();
      records.open(batch);
      while (records.next()) {
        visitor.onRecord(records.offset(), records.record().key(), records.record().value());
      }
    } catch (CorruptBatchException e) {
      visitor.onUnreadableBatch(batch.baseOffset(), String.valueOf(e.getMessage()));
    }
  }

  private boolean isAborted(RecordBatch batch) {
    if (!batch.isTransactional()) {
      return false;
    }
    for (AbortedTransaction transaction : aborted) {
      if (transaction.producerId() == batch.producerId()
          && transaction.firstOffset() <= batch.baseOffset()
          && batch.baseOffset() <= transaction.lastOffset()) {
        return true;
      }
    }
    return false;
  }
}
