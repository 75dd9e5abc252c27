package io.weirmq.server.internal.admin;

import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.ProducerIdBlock;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Gives out producer ids, each once, from blocks that the metadata store sets aside. Safe for use
 * by several threads.
 *
 * <p>Ids of a block that are left when the broker stops are never used. While a block is on its
 * way, askers wait; when it does not come, all of them fail.
 */
public final class ProducerIds {

  /** Askers that may wait for one block; further ones fail. */
  private static final int WAITING_MAX = 10_000;

  private final MetadataStore store;
  private final Queue<CompletableFuture<Long>> waiting = new ArrayDeque<>();
  private long next;
  private long end;
  private boolean allocating;

  /** Makes a source of ids that has no block yet. */
  public ProducerIds(MetadataStore store) {
    this.store = store;
  }

  /**
   * Returns an id that nobody else gets.
   *
   * @return completes with it, at once where the present block has one; exceptionally with the
   *     failure of the store
   */
  public CompletionStage<Long> next() {
    CompletableFuture<Long> asker = new CompletableFuture<>();
    boolean allocate = false;
    synchronized (waiting) {
      if (waiting.isEmpty() && next < end) {
        return CompletableFuture.completedFuture(next++);
      }
      if (waiting.size() >= WAITING_MAX) {
        return CompletableFuture.failedFuture(
            new IllegalStateException(WAITING_MAX + " producers wait for ids already"));
      }
      waiting.add(asker);
      if (!allocating) {
        allocating = true;
        allocate = true;
      }
    }
    if (allocate) {
      allocate();
    }
    return asker;
  }

  private void allocate() {
    store.allocateProducerIds().whenComplete(this::onBlock);
  }

  private void onBlock(@Nullable ProducerIdBlock block, @Nullable Throwable failure) {
    Queue<CompletableFuture<Long>> served = new ArrayDeque<>();
    Queue<Long> ids = new ArrayDeque<>();
    boolean again;
    synchronized (waiting) {
      if (block != null) {
        next = block.first();
        end = block.end();
      }
      while (!waiting.isEmpty() && (block == null || next < end)) {
        served.add(waiting.remove());
        ids.add(block == null ? -1 : next++);
      }
      again = !waiting.isEmpty();
      allocating = again;
    }
    for (CompletableFuture<Long> asker : served) {
      Long id = ids.remove();
      if (failure == null) {
        asker.complete(id);
      } else {
        asker.completeExceptionally(failure);
      }
    }
    if (again) {
      allocate();
    }
  }
}
