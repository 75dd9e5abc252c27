package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.List;

/**
 * The part of a fetch that depends on its session: which partitions are asked for, and which of the
 * results the client must be told. Confined to one thread at a time.
 */
interface FetchContext {

  /** The partitions to read, in the order in which they are served. */
  List<FetchPartition> partitions();

  /**
   * Makes the response, once.
   *
   * @param results one per partition, in the order of {@link #partitions()}; transferred
   */
  FetchResponse respond(List<PartitionData> results);
}
