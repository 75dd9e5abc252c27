package io.weirmq.server.internal.broker;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.server.internal.fetch.FetchHandler;
import io.weirmq.server.internal.handler.ApiVersionsHandler;
import io.weirmq.server.internal.handler.ListOffsetsHandler;
import io.weirmq.server.internal.handler.OffsetForLeaderEpochHandler;
import io.weirmq.server.internal.produce.ProduceHandler;
import io.weirmq.server.internal.request.ApiTable;

/**
 * The registration table of the broker: every API that is served, with its versions.
 *
 * <p>Lower ends stay as they are here: older clients switch features off, without a word, where an
 * API lacks an exact old version.
 */
final class ServedApis {

  private ServedApis() {}

  /** Returns the table of all APIs. */
  static ApiTable table(Handlers handlers) {
    ApiTable.Builder table = ApiTable.builder();
    addRecordApis(table, handlers);
    return table.build(0, 4, ApiVersionsRequest::new, ApiVersionsHandler::new);
  }

  private static void addRecordApis(ApiTable.Builder table, Handlers handlers) {
    table
        // Advertised from 0, as older librdkafka compresses nothing otherwise; v0-2 do not exist.
        .serve(ApiKey.PRODUCE, 0, 3, 13, ProduceRequest::new, handlers.produce())
        .serve(ApiKey.FETCH, 4, 18, FetchRequest::new, handlers.fetch())
        .serve(ApiKey.LIST_OFFSETS, 1, 11, ListOffsetsRequest::new, handlers.listOffsets())
        .serve(
            ApiKey.OFFSET_FOR_LEADER_EPOCH,
            2,
            4,
            OffsetForLeaderEpochRequest::new,
            handlers.offsetForLeaderEpoch());
  }

  /** The handlers of APIs that read and write records. Immutable. */
  record Handlers(
      ProduceHandler produce,
      FetchHandler fetch,
      ListOffsetsHandler listOffsets,
      OffsetForLeaderEpochHandler offsetForLeaderEpoch) {}
}
