package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import io.weirmq.server.internal.group.TopicCatalog;
import io.weirmq.server.internal.group.message.FetchedOffset;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an OffsetFetch asks of one group, from version 8 on. Confined to one thread at a time.
 *
 * <p>From version 10 on topics are named by their ids. A topic whose id is not known any more has
 * no offsets to tell; when all are asked for, it is left out, as it could not be named.
 */
final class OffsetFetchGroup {

  private final TopicCatalog topics;
  private final boolean isById;
  private final OffsetFetchRequestGroup asked;
  private final Map<UUID, String> nameById = new HashMap<>();

  OffsetFetchGroup(TopicCatalog topics, boolean isById, OffsetFetchRequestGroup asked) {
    this.topics = topics;
    this.isById = isById;
    this.asked = asked;
  }

  /** The partitions that are asked for and may have offsets; null for all. */
  @Nullable List<TopicPartition> partitions() {
    List<OffsetFetchRequestTopics> askedTopics = asked.topics();
    if (askedTopics == null) {
      return null;
    }
    List<TopicPartition> partitions = new ArrayList<>();
    for (OffsetFetchRequestTopics topic : askedTopics) {
      String name = nameOf(topic);
      for (int partition : topic.partitionIndexes()) {
        if (name != null && partition >= 0) {
          partitions.add(new TopicPartition(name, partition));
        }
      }
    }
    return partitions;
  }

  /** The name of a topic, looked up once: it must not change between question and answer. */
  private @Nullable String nameOf(OffsetFetchRequestTopics topic) {
    if (!isById) {
      return topic.name();
    }
    String known = nameById.get(topic.topicId());
    if (known == null) {
      known = topics.topicName(topic.topicId());
      if (known != null) {
        nameById.put(topic.topicId(), known);
      }
    }
    return known;
  }

  /** The answer for the group. */
  OffsetFetchResponseGroup response(OffsetFetchResult result) {
    OffsetFetchResponseGroup response =
        new OffsetFetchResponseGroup()
            .setGroupId(asked.groupId())
            .setErrorCode(result.error().code());
    if (result.error() != ErrorCode.NONE) {
      return response;
    }
    List<OffsetFetchRequestTopics> askedTopics = asked.topics();
    if (askedTopics == null) {
      addAll(response, result);
    } else {
      FetchedOffsets fetched = new FetchedOffsets(result);
      askedTopics.forEach(topic -> response.topics().add(answer(topic, fetched)));
    }
    return response;
  }

  private OffsetFetchResponseTopics answer(OffsetFetchRequestTopics topic, FetchedOffsets fetched) {
    OffsetFetchResponseTopics answers =
        new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
    String name = isById ? nameById.get(topic.topicId()) : topic.name();
    for (int partition : topic.partitionIndexes()) {
      FetchedOffset offset =
          name == null
              ? FetchedOffset.refused(
                  new TopicPartition("", Math.max(0, partition)), ErrorCode.UNKNOWN_TOPIC_ID)
              : fetched.of(name, partition);
      answers.partitions().add(answer(partition, offset));
    }
    return answers;
  }

  private void addAll(OffsetFetchResponseGroup response, OffsetFetchResult result) {
    String name = null;
    OffsetFetchResponseTopics answers = null;
    for (FetchedOffset offset : result.offsets()) {
      if (!offset.partition().topic().equals(name)) {
        name = offset.partition().topic();
        answers = begin(name);
        if (answers != null) {
          response.topics().add(answers);
        }
      }
      if (answers != null) {
        answers.partitions().add(answer(offset.partition().partition(), offset));
      }
    }
  }

  private @Nullable OffsetFetchResponseTopics begin(String name) {
    if (!isById) {
      return new OffsetFetchResponseTopics().setName(name);
    }
    UUID topicId = topics.topicId(name);
    return topicId == null ? null : new OffsetFetchResponseTopics().setTopicId(topicId);
  }

  private static OffsetFetchResponsePartitions answer(int partition, FetchedOffset offset) {
    return new OffsetFetchResponsePartitions()
        .setPartitionIndex(partition)
        .setCommittedOffset(offset.offset())
        .setCommittedLeaderEpoch(offset.leaderEpoch())
        .setMetadata(offset.metadata())
        .setErrorCode(offset.error().code());
  }
}
