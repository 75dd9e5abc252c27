package io.weirmq.bench.micro;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Appends with a bounded number of batches on the way, each in a buffer of its own, as connections
 * with several requests in flight do. Confined to one appending thread; buffers come back on the
 * writer's.
 */
final class InFlight {

  private final AppendRequest[] requests;
  private final Semaphore free;
  private int next;
  private volatile @Nullable AppendResult failure;

  /**
   * Copies a batch as often as it may be on the way.
   *
   * @param count 1 or more
   */
  InFlight(ByteBuffer batch, int count) {
    requests = new AppendRequest[count];
    for (int i = 0; i < count; i++) {
      ByteBuffer copy = ByteBuffer.allocateDirect(batch.remaining());
      copy.put(batch.duplicate()).flip();
      requests[i] = new AppendRequest(copy, AppendOrigin.CLIENT, 0);
    }
    free = new Semaphore(count);
  }

  /** Appends once a buffer is free. One pipeline answers in order, so that it is the next one. */
  void append(LogAppender appender) throws InterruptedException {
    free.acquire();
    AppendRequest request = requests[next];
    next = (next + 1) % requests.length;
    request.records().putLong(0, 0L); // the writer stamps offsets into it; a client sends zero
    while (!appender.tryAppend(request, this::onResult)) {
      Thread.onSpinWait();
    }
  }

  private void onResult(AppendResult result) {
    if (!(result instanceof AppendResult.Appended)) {
      failure = result;
    }
    free.release();
  }

  /** Waits until all is answered. */
  void await() throws InterruptedException {
    free.acquire(requests.length);
    free.release(requests.length);
    if (failure != null) {
      throw new IllegalStateException("an append was not taken: " + failure);
    }
  }
}
