package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.List;

/**
 * A fetch that names all its partitions, and whose answer lists all of them.
 *
 * <p>Clients check that: one partition more or less and they drop the whole answer. Where the
 * client wants a session and there is room, it begins with this answer.
 */
final class FullFetch implements FetchContext {

  private final List<FetchPartition> partitions;
  private final SessionOffer offer;

  FullFetch(List<FetchPartition> partitions, SessionOffer offer) {
    this.partitions = partitions;
    this.offer = offer;
  }

  @Override
  public List<FetchPartition> partitions() {
    return partitions;
  }

  @Override
  public FetchResponse respond(List<PartitionData> results) {
    FetchTopics.Grouping grouping = new FetchTopics.Grouping();
    for (int i = 0; i < results.size(); i++) {
      grouping.add(partitions.get(i).target(), results.get(i));
    }
    return new FetchResponse()
        .setSessionId(offer.begin(partitions, results))
        .setResponses(grouping.topics());
  }

  /** Begins a session, or refuses. */
  @FunctionalInterface
  interface SessionOffer {

    /** Refuses always. */
    SessionOffer NONE = (partitions, results) -> FetchSessions.NO_SESSION;

    /** Returns the id of a new session with these partitions, or 0. */
    int begin(List<FetchPartition> partitions, List<PartitionData> results);
  }
}
