package io.weirmq.replication;

/**
 * Waits for a partition to move. Registered by long polls and coordinators; called on the thread of
 * the log's pipeline or of the metadata store, where it must not block.
 */
public interface PartitionListener {

  /**
   * The log end, the high watermark or the last stable offset has risen; called once per batch of
   * appends, however many they are.
   */
  void onAdvanced(Partition partition);

  /** The partition's leader or leader epoch has changed, or the partition has been closed. */
  void onLeadershipChanged(Partition partition);
}
