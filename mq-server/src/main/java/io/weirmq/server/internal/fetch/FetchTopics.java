package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse.FetchableTopicResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns the nested lists of the messages into flat ones, and back. */
final class FetchTopics {

  private FetchTopics() {}

  /** Returns the partitions of a request in order; of several entries for one the last holds. */
  static List<FetchPartition> requested(FetchRequest request) {
    Map<FetchTarget, FetchPartition> partitions = new LinkedHashMap<>();
    for (FetchRequest.FetchTopic topic : request.topics()) {
      for (FetchRequest.FetchPartition partition : topic.partitions()) {
        FetchTarget target = new FetchTarget(topic.topicId(), topic.topic(), partition.partition());
        partitions.put(
            target,
            new FetchPartition(
                target,
                partition.fetchOffset(),
                partition.currentLeaderEpoch(),
                partition.lastFetchedEpoch(),
                partition.partitionMaxBytes()));
      }
    }
    return new ArrayList<>(partitions.values());
  }

  /** Returns the partitions that a request takes out of its session. */
  static List<FetchTarget> forgotten(FetchRequest request) {
    List<FetchTarget> targets = new ArrayList<>();
    for (FetchRequest.ForgottenTopic topic : request.forgottenTopicsData()) {
      for (int partition : topic.partitions()) {
        targets.add(new FetchTarget(topic.topicId(), topic.topic(), partition));
      }
    }
    return targets;
  }

  /** Collects results into topics; neighbours of one topic share an entry. */
  static final class Grouping {

    private final List<FetchableTopicResponse> topics = new ArrayList<>();
    private @Nullable FetchTarget last;

    /** Adds the result of a partition behind the ones before. */
    void add(FetchTarget target, PartitionData result) {
      if (last == null || !last.isSameTopic(target)) {
        topics.add(
            new FetchableTopicResponse().setTopic(target.topic()).setTopicId(target.topicId()));
      }
      last = target;
      topics.get(topics.size() - 1).partitions().add(result);
    }

    /** Returns what was added. */
    List<FetchableTopicResponse> topics() {
      return topics;
    }
  }
}
