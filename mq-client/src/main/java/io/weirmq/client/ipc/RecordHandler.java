package io.weirmq.client.ipc;

/** Takes the records of a subscriber, on the thread that polls. */
@FunctionalInterface
public interface RecordHandler {

  /**
   * Called for each record, by offset. {@link ReceivedRecord#endPoll()} ends the poll with this
   * record. An exception ends it, too, and passes to its caller; the record counts as taken.
   *
   * @param record borrowed: valid until this method returns
   */
  void onRecord(ReceivedRecord record);
}
