package io.weirmq.replication.metadata;

/** Follows the images of a store. */
@FunctionalInterface
public interface MetadataListener {

  /**
   * Called once per change, in order, on the store's thread, before the one who asked for the
   * change learns of it.
   *
   * <p>An exception is logged; the change stands, and the other listeners are told.
   *
   * @param before the image before the change
   * @param after the image after it
   */
  void onChange(MetadataImage before, MetadataImage after);
}
