package io.weirmq.replication.metadata;

import java.util.concurrent.CompletionStage;

/** Holds the metadata and takes changes to it. Safe for use by several threads. */
public interface MetadataStore extends AutoCloseable {

  /** Returns the newest image; never blocks. */
  MetadataImage image();

  /**
   * Asks for a change. Changes are made one after the other, in the order in which they were asked
   * for.
   *
   * @return completes with the image right after the change, once it is durable and the listeners
   *     have followed it; exceptionally with a {@link MetadataChangeException}. Completes on the
   *     store's thread, where dependants must not block
   */
  CompletionStage<MetadataImage> apply(MetadataChange change);

  /**
   * Takes the next block of producer ids, which is never given out again.
   *
   * @return completes once the block is durably taken; exceptionally with a {@link
   *     MetadataChangeException}
   */
  CompletionStage<ProducerIdBlock> allocateProducerIds();

  /**
   * Adds a listener for the changes from now on.
   *
   * @return the image from which the listener's first change starts
   */
  MetadataImage subscribe(MetadataListener listener);

  /**
   * Takes no further changes, finishes those that are queued, and closes. Closing again does
   * nothing.
   */
  @Override
  void close();
}
