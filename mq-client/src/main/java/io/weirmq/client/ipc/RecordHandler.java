package io.weirmq.client.ipc;

/** Takes the records of a subscriber, on the thread that polls. */
@FunctionalInterface
public interface RecordHandler {

  /**
   * Called for each record, by offset. An exception ends the poll and passes to its caller; the
   * record counts as taken.
   *
   * @param record borrowed: valid until this method returns
   */
  void onRecord(ReceivedRecord record);
}
