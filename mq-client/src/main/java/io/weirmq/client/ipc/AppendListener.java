package io.weirmq.client.ipc;

/**
 * Learns of the batches that the broker has acknowledged, in the order of their tokens. Called on
 * the I/O thread of the publisher's connection, or after a reconnect on whichever thread finds what
 * the broker has; never by two at once. It must neither block, nor publish. What it throws is
 * logged and changes nothing.
 */
@FunctionalInterface
public interface AppendListener {

  /**
   * Called once per batch.
   *
   * @param firstToken token of the first record, see {@link IpcPublisher#offer}
   * @param recordCount number of records, 1 or more
   * @param baseOffset offset of the first record in the partition; the others follow. -1 where the
   *     broker knows only that it has the batch already
   */
  void onAppended(long firstToken, int recordCount, long baseOffset);
}
