package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.List;

/** A fetch within a session: its answer lists only what the client does not know yet. */
final class IncrementalFetch implements FetchContext {

  private final FetchSession session;
  private final List<FetchPartition> partitions;

  IncrementalFetch(FetchSession session, List<FetchPartition> partitions) {
    this.session = session;
    this.partitions = partitions;
  }

  @Override
  public List<FetchPartition> partitions() {
    return partitions;
  }

  @Override
  public FetchResponse respond(List<PartitionData> results) {
    FetchTopics.Grouping grouping = new FetchTopics.Grouping();
    session.selectNews(partitions, results, grouping);
    return new FetchResponse().setSessionId(session.id()).setResponses(grouping.topics());
  }
}
