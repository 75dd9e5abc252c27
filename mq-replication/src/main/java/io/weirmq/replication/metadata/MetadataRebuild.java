package io.weirmq.replication.metadata;

import io.weirmq.storage.survey.FolderSurvey;
import io.weirmq.storage.survey.SurveyedLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes an image of what data folders tell, and of an earlier image where there is one.
 *
 * <p>The folders decide which topics and partitions there are; the earlier image adds what no
 * folder tells: configurations, and which topics were being deleted. Confined to one thread.
 *
 * <ul>
 *   <li>A topic has the id that its folders tell. Where they tell several, one that the earlier
 *       image does not know was made later, and is the topic's; the others' folders are {@linkplain
 *       #strays() strays}.
 *   <li>Leader epochs lie {@link #EPOCH_GAP} above the largest that anything tells: a start without
 *       an append has used one that no log knows.
 *   <li>Producer ids go on above all that anything tells, and above a number made of the wall
 *       clock.
 * </ul>
 */
final class MetadataRebuild {

  /** Leader epochs that are left out; more starts than that without one append are not expected. */
  static final int EPOCH_GAP = 1_000;

  /** Producer ids that are left out above the largest that a log knows. */
  static final long PRODUCER_ID_GAP = 1_000_000_000L;

  /**
   * Producer ids per millisecond of the wall clock: metadata that is lost again later goes on above
   * what is given out until then. Below 2^53 until the year 2255, for clients that count in
   * floating-point numbers.
   */
  static final long PRODUCER_IDS_PER_MS = 1_000;

  /** Partition numbers from here on are not believed: the topic would get as many partitions. */
  static final int PARTITION_NUMBER_END = 100_000;

  private static final int EPOCH_MAX = Integer.MAX_VALUE - EPOCH_GAP;
  private static final Pattern LEGAL_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

  private final Optional<MetadataImage> previous;
  private final boolean complete;
  private final int brokerId;
  private final RebuildSources sources;
  private final List<SurveyedLog> logs;
  private final Optional<String> clusterId;

  private final List<TopicMetadata> topics = new ArrayList<>();
  private final List<SurveyedLog> strays = new ArrayList<>();
  private final Set<String> configsLost = new LinkedHashSet<>();
  private final Set<String> configsOfPrevious = new LinkedHashSet<>();
  private final Set<String> deleted = new LinkedHashSet<>();
  private final Set<String> dropped = new LinkedHashSet<>();
  private final Set<String> idsLost = new LinkedHashSet<>();
  private final Set<String> copies = new LinkedHashSet<>();
  private final List<String> unbelievable = new ArrayList<>();

  /**
   * Begins.
   *
   * @param previous an earlier image of this broker
   * @param surveys what the data folders tell
   * @param complete whether no data folder is missing among these: a topic without a folder is gone
   *     then
   */
  MetadataRebuild(
      Optional<MetadataImage> previous,
      List<FolderSurvey> surveys,
      boolean complete,
      int brokerId,
      RebuildSources sources) {
    this.previous = previous;
    this.complete = complete;
    this.brokerId = brokerId;
    this.sources = sources;
    this.logs = surveys.stream().flatMap(survey -> survey.logs().stream()).toList();
    this.clusterId = surveys.stream().flatMap(survey -> survey.clusterId().stream()).findFirst();
  }

  /** Returns the image. To be called once. */
  MetadataImage image() {
    Map<String, List<SurveyedLog>> byTopic = new TreeMap<>();
    for (SurveyedLog log : logs) {
      String topic = log.partition().topic();
      if (LEGAL_NAME.matcher(topic).matches()
          && log.partition().partition() < PARTITION_NUMBER_END) {
        byTopic.computeIfAbsent(topic, name -> new ArrayList<>()).add(log);
      } else {
        unbelievable.add(log.folder().toString());
      }
    }
    byTopic.forEach(this::addTopic);
    previous.ifPresent(before -> addUnseen(before, byTopic.keySet()));
    return build();
  }

  private void addTopic(String name, List<SurveyedLog> found) {
    Optional<TopicMetadata> before = previous.flatMap(image -> image.topic(name));
    Set<UUID> gone = previous.map(MetadataImage::deletedTopics).orElse(Set.of());
    Set<UUID> ids = new HashSet<>();
    found.forEach(log -> log.topicId().ifPresent(ids::add));
    ids.removeAll(gone);
    boolean allGone = ids.isEmpty() && found.stream().anyMatch(log -> log.topicId().isPresent());
    if (allGone) {
      deleted.add(name);
      return;
    }
    @Nullable UUID known = before.map(TopicMetadata::id).orElse(null);
    UUID id = ids.isEmpty() ? idWithoutFolder(name, known) : chosen(ids, known, found);
    List<SurveyedLog> own = new ArrayList<>();
    for (SurveyedLog log : found) {
      if (log.topicId().isEmpty() || log.topicId().get().equals(id)) {
        own.add(log);
      } else if (!gone.contains(log.topicId().get())) {
        strays.add(log);
      }
    }
    Optional<TopicMetadata> same = before.filter(topic -> topic.id().equals(id));
    (same.isPresent() ? configsOfPrevious : configsLost).add(name);
    Map<String, String> configs =
        same.map(TopicMetadata::configs).orElseGet(() -> sources.configsOf().apply(name));
    topics.add(new TopicMetadata(name, id, partitions(own, same), configs));
  }

  private UUID idWithoutFolder(String name, @Nullable UUID known) {
    idsLost.add(name);
    return known == null ? TopicIds.random() : known;
  }

  /** Of several ids the one that is not the earlier image's, then the one with the most logs. */
  private static UUID chosen(Set<UUID> ids, @Nullable UUID known, List<SurveyedLog> found) {
    Set<UUID> candidates = new HashSet<>(ids);
    if (candidates.size() > 1 && known != null) {
      candidates.remove(known);
    }
    UUID best = candidates.iterator().next();
    for (UUID id : candidates) {
      int more = Long.compare(count(found, id), count(found, best));
      if (more > 0 || (more == 0 && id.compareTo(best) < 0)) {
        best = id;
      }
    }
    return best;
  }

  private static long count(List<SurveyedLog> found, UUID id) {
    return found.stream().filter(log -> log.topicId().equals(Optional.of(id))).count();
  }

  private List<PartitionMetadata> partitions(
      List<SurveyedLog> own, Optional<TopicMetadata> before) {
    int count = before.map(TopicMetadata::partitionCount).orElse(0);
    for (SurveyedLog log : own) {
      count = Math.max(count, log.partition().partition() + 1);
    }
    int[] epochs = new int[count];
    for (SurveyedLog log : own) {
      int number = log.partition().partition();
      epochs[number] = Math.max(epochs[number], log.latestEpoch());
    }
    List<PartitionMetadata> partitions = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      int index = number;
      PartitionMetadata base =
          before
              .flatMap(topic -> topic.partition(index))
              .orElseGet(() -> PartitionMetadata.created(List.of(brokerId)));
      partitions.add(base.withLeaderEpoch(raised(Math.max(epochs[number], base.leaderEpoch()))));
    }
    return partitions;
  }

  private static int raised(int epoch) {
    return Math.min(epoch, EPOCH_MAX - EPOCH_GAP) + EPOCH_GAP;
  }

  /** Topics of the earlier image of which there is no folder. */
  private void addUnseen(MetadataImage before, Set<String> seen) {
    for (TopicMetadata topic : before.topics()) {
      if (seen.contains(topic.name())) {
        continue;
      }
      if (complete) {
        dropped.add(topic.name());
      } else {
        configsOfPrevious.add(topic.name());
        topics.add(topic.withPartitions(partitions(List.of(), Optional.of(topic))));
      }
    }
  }

  private MetadataImage build() {
    MetadataImage.Builder image =
        new MetadataImage.Builder(
            previous
                .map(MetadataImage::clusterId)
                .or(() -> clusterId)
                .orElseGet(() -> TopicIds.toText(TopicIds.random())),
            brokerId,
            previous.map(MetadataImage::version).orElse(0L));
    image.nextProducerId(nextProducerId());
    previous.ifPresent(
        before -> {
          image.brokerConfigs(OptionalInt.empty(), before.brokerConfigs(OptionalInt.empty()));
          before
              .brokerConfigs()
              .forEach((id, configs) -> image.brokerConfigs(OptionalInt.of(id), configs));
          before.deletedTopics().forEach(image::deletedTopic);
        });
    addOnceEach(image);
    return image.build();
  }

  /** Two topics with one id: the folder of one was copied under another name. */
  private void addOnceEach(MetadataImage.Builder image) {
    Set<UUID> used = new HashSet<>();
    topics.sort(Comparator.comparing(topic -> !isKnown(topic)));
    for (TopicMetadata topic : topics) {
      if (used.add(topic.id())) {
        image.topic(topic);
      } else {
        copies.add(topic.name());
      }
    }
  }

  private boolean isKnown(TopicMetadata topic) {
    return previous
        .flatMap(image -> image.topic(topic.id()))
        .filter(known -> known.name().equals(topic.name()))
        .isPresent();
  }

  private long nextProducerId() {
    long known = logs.stream().mapToLong(SurveyedLog::largestProducerId).max().orElse(-1);
    long aboveLogs =
        known > Long.MAX_VALUE - 2 * PRODUCER_ID_GAP ? known : known + 1 + PRODUCER_ID_GAP;
    long byClock = Math.max(0, sources.clock().millis()) * PRODUCER_IDS_PER_MS;
    long byPrevious = previous.map(MetadataImage::nextProducerId).orElse(0L);
    return Math.max(byPrevious, Math.max(aboveLogs, byClock));
  }

  /** Folders of partitions whose topic id is not that of the topic; to be given other names. */
  List<SurveyedLog> strays() {
    return List.copyOf(strays);
  }

  /** Topics whose configurations are lost; they have those of the sources. */
  Collection<String> configsLost() {
    return configsLost;
  }

  /** Topics whose configurations are those of the earlier image. */
  Collection<String> configsOfPrevious() {
    return configsOfPrevious;
  }

  /** Topics with folders that the earlier image knew as deleted. */
  Collection<String> deleted() {
    return deleted;
  }

  /** Topics of the earlier image that are not there any more. */
  Collection<String> dropped() {
    return dropped;
  }

  /** Topics none of whose folders tells an id. */
  Collection<String> idsLost() {
    return idsLost;
  }

  /** Topics with the id of another one; they are left out, and their folders alone. */
  Collection<String> copies() {
    return copies;
  }

  /** Folders whose names can't be those of partitions. */
  Collection<String> unbelievable() {
    return unbelievable;
  }
}
