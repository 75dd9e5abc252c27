package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.FetchableTopicResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import io.weirmq.transport.FileSlice;
import java.util.List;

/** Sizes and releases what reads have returned. */
final class FetchResults {

  private FetchResults() {}

  /** The size of the records in bytes. */
  static long recordBytes(PartitionData result) {
    RecordsData records = result.records();
    return records == null ? 0 : records.sizeInBytes();
  }

  /** Gives the file slices of a result back; it has no records afterwards. */
  static void release(PartitionData result) {
    if (result.records() instanceof RecordsData.Files files) {
      files.slices().forEach(FileSlice::release);
    }
    result.setRecords(RecordsData.empty());
  }

  /** Gives the file slices of results back. */
  static void release(List<PartitionData> results) {
    results.forEach(FetchResults::release);
  }

  /** Gives the file slices of a response back that is not going to be sent. */
  static void release(FetchResponse response) {
    for (FetchableTopicResponse topic : response.responses()) {
      release(topic.partitions());
    }
  }
}
