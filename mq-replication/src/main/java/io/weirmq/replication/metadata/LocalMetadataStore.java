package io.weirmq.replication.metadata;

import io.weirmq.replication.metadata.MetadataChange.RegisterBroker;
import io.weirmq.replication.metadata.MetadataChange.SetBrokerConfigs;
import io.weirmq.replication.metadata.MetadataChange.SetTopicConfigs;
import io.weirmq.replication.metadata.MetadataChangeException.Reason;
import io.weirmq.replication.metadata.internal.MetadataFile;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata of a broker that stands alone, in one file of text.
 *
 * <p>Changes that are asked for while one is being written are written together: the disk is forced
 * once for all of them.
 *
 * <p><b>Restarts.</b> Opening raises the leader epoch of every partition by one, durably, before
 * anyone sees the image: what ran before may have lost the unforced tail of a log, so its successor
 * is another leader, and consumers can tell by the epoch where they have to look again. Epochs
 * therefore never go back and are never used twice.
 *
 * <p><b>Damage.</b> A file that is damaged, or gone although there was one, is made anew from the
 * data folders and from the copy beside it, {@code .previous}, which holds the image of the last
 * start or of the last change of a configuration, with producer ids left out generously. What was
 * damaged is kept as {@code .damaged-1}. What can't be known is told. See {@link RebuildSources}.
 *
 * <p>Safe for use by several threads. Changes are made on the executor that was given.
 */
public final class LocalMetadataStore implements MetadataStore {

  private static final Logger LOG = LoggerFactory.getLogger(LocalMetadataStore.class);

  /** Changes that may wait; further ones fail at once. */
  private static final int QUEUE_MAX = 10_000;

  /** Changes that are written together at most. */
  private static final int BATCH_MAX = 1_000;

  /** Producer ids that the copy beside the file leaves out, more than a run gives out. */
  private static final int PREVIOUS_ID_GAP = 1_000_000_000;

  private final MetadataFile file;
  private final Executor executor;
  private final List<MetadataListener> listeners = new CopyOnWriteArrayList<>();

  /** Guards the queue, and the pair of newest image and listeners. */
  private final Object lock = new Object();

  private final Queue<Step> queue = new ArrayDeque<>();
  private boolean draining;
  private boolean closed;
  private CompletableFuture<Boolean> idle = CompletableFuture.completedFuture(true);

  /** The newest image, which the listeners may not have followed yet. Guarded by the lock. */
  private MetadataImage newest;

  /** The newest image that the listeners have followed. */
  private volatile MetadataImage image;

  private LocalMetadataStore(MetadataFile file, Executor executor, MetadataImage image) {
    this.file = file;
    this.executor = executor;
    this.newest = image;
    this.image = image;
  }

  /** As the other method, with {@link RebuildSources#none()}. */
  public static LocalMetadataStore open(
      Path path, LogFileSystem files, Executor executor, int brokerId) throws StorageException {
    return open(path, files, executor, brokerId, RebuildSources.none());
  }

  /**
   * Reads the file, makes it anew where it is damaged or lost, or begins a new cluster where there
   * was none; raises all leader epochs.
   *
   * @param path the file; nobody else may use it
   * @param files where it lies
   * @param executor runs one task at a time, in order; writes to the disk
   * @param brokerId id of the broker whose metadata it is
   * @param sources from what the metadata is made anew
   * @throws StorageException where the file belongs to another broker, is of a later version, or
   *     can't be read or written
   */
  public static LocalMetadataStore open(
      Path path, LogFileSystem files, Executor executor, int brokerId, RebuildSources sources)
      throws StorageException {
    MetadataFile file = new MetadataFile(path, files);
    MetadataImage image =
        new MetadataOpening(file, files, brokerId, sources).image().withNextEpochs();
    file.write(image);
    writePrevious(file, image);
    return new LocalMetadataStore(file, executor, image);
  }

  private static void writePrevious(MetadataFile file, MetadataImage image) {
    try {
      file.writePrevious(image.withProducerIdsTaken(PREVIOUS_ID_GAP));
    } catch (StorageException e) {
      LOG.warn("the copy of the metadata stays an earlier one: {}", e.getMessage());
    }
  }

  @Override
  public MetadataImage image() {
    return image;
  }

  @Override
  public CompletionStage<MetadataImage> apply(MetadataChange change) {
    boolean durable = !(change instanceof RegisterBroker);
    boolean configs = change instanceof SetTopicConfigs || change instanceof SetBrokerConfigs;
    return enqueue(
        new Step(before -> before.with(change), durable, configs, new CompletableFuture<>()));
  }

  @Override
  public CompletionStage<ProducerIdBlock> allocateProducerIds() {
    int count = ProducerIdBlock.BLOCK_SIZE;
    Step step =
        new Step(
            before -> before.withProducerIdsTaken(count), true, false, new CompletableFuture<>());
    return enqueue(step)
        .thenApply(after -> new ProducerIdBlock(after.nextProducerId() - count, count));
  }

  @Override
  public MetadataImage subscribe(MetadataListener listener) {
    synchronized (lock) {
      listeners.add(listener);
      return newest;
    }
  }

  @Override
  public void close() {
    CompletableFuture<Boolean> finished;
    synchronized (lock) {
      closed = true;
      finished = idle;
    }
    finished.join();
  }

  private CompletableFuture<MetadataImage> enqueue(Step step) {
    synchronized (lock) {
      if (closed) {
        return failed(Reason.CLOSED, "the metadata store is closed");
      }
      if (queue.size() >= QUEUE_MAX) {
        return failed(
            Reason.OVERLOADED, "%d changes of metadata are waiting already".formatted(QUEUE_MAX));
      }
      queue.add(step);
      if (!draining) {
        draining = true;
        idle = new CompletableFuture<>();
        executor.execute(this::drain);
      }
    }
    return step.result;
  }

  private static CompletableFuture<MetadataImage> failed(Reason reason, String message) {
    return CompletableFuture.failedFuture(new MetadataChangeException(reason, message));
  }

  /** Makes what is queued, one batch per task, so that others can use the executor in between. */
  private void drain() {
    List<Step> batch = new ArrayList<>();
    synchronized (lock) {
      while (!queue.isEmpty() && batch.size() < BATCH_MAX) {
        batch.add(queue.remove());
      }
    }
    try {
      make(batch);
    } finally {
      goOn();
    }
  }

  private void goOn() {
    CompletableFuture<Boolean> done;
    synchronized (lock) {
      if (!queue.isEmpty()) {
        executor.execute(this::drain);
        return;
      }
      draining = false;
      done = idle;
    }
    done.complete(true);
  }

  private void make(List<Step> batch) {
    MetadataImage candidate = image;
    List<Made> made = new ArrayList<>(batch.size());
    boolean durable = false;
    for (Step step : batch) {
      try {
        MetadataImage after = step.change.after(candidate);
        made.add(new Made(step, candidate, after));
        candidate = after;
        durable |= step.durable;
      } catch (MetadataChangeException e) {
        step.result.completeExceptionally(e);
      } catch (RuntimeException e) {
        LOG.error("metadata change failed", e);
        step.result.completeExceptionally(e);
      }
    }
    try {
      if (durable) {
        file.write(candidate);
      }
      if (made.stream().anyMatch(one -> one.step.configs)) {
        // No data folder tells a configuration, and an old one might have records deleted.
        writePrevious(file, candidate);
      }
    } catch (StorageException e) {
      LOG.error("metadata not written; {} changes refused", made.size(), e);
      made.forEach(one -> one.step.result.completeExceptionally(storageFailed(e)));
      return;
    }
    made.forEach(this::publish);
  }

  private static MetadataChangeException storageFailed(StorageException cause) {
    return new MetadataChangeException(
        Reason.STORAGE_FAILED, String.valueOf(cause.getMessage()), cause);
  }

  private void publish(Made made) {
    List<MetadataListener> told;
    synchronized (lock) {
      newest = made.after;
      told = List.copyOf(listeners);
    }
    for (MetadataListener listener : told) {
      try {
        listener.onChange(made.before, made.after);
      } catch (RuntimeException e) {
        LOG.error("listener failed at metadata version {}", made.after.version(), e);
      }
    }
    image = made.after;
    made.step.result.complete(made.after);
  }

  /** How an image follows from the one before. */
  @FunctionalInterface
  private interface Transition {
    MetadataImage after(MetadataImage before) throws MetadataChangeException;
  }

  /** A change that waits; whether it is written, and whether it changes configurations. */
  private record Step(
      Transition change,
      boolean durable,
      boolean configs,
      CompletableFuture<MetadataImage> result) {}

  /** A change that was made, but not told yet. */
  private record Made(Step step, MetadataImage before, MetadataImage after) {}
}
