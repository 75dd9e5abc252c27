package io.weirmq.storage;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

/**
 * How a data folder is opened. Immutable; start from {@link #of} and change single parts.
 *
 * @param nodeId the broker's id; a folder of another broker is refused
 * @param clusterId the cluster's id; a folder of another cluster is refused
 * @param configOf configuration of a log that is found; called while the folder is opened, by
 *     several threads
 * @param topicIdOf the topic id of a log whose own record of it is lost; empty where nobody knows.
 *     Called while the folder is opened
 * @param openSegmentsMax segments that are kept open though nobody uses them, up to three files
 *     each; 1 or more
 * @param segmentCheckpointBytes bytes that are appended to a segment from one segment checkpoint to
 *     the next, about as many as a start after a crash reads of a segment at most; 1 or more
 * @param loadThreads threads that load logs beside each other, and that close them, 1 or more
 * @param threadFactory makes these threads
 */
public record LogDirectoryOptions(
    int nodeId,
    String clusterId,
    Function<TopicPartition, LogConfig> configOf,
    Function<TopicPartition, Optional<UUID>> topicIdOf,
    int openSegmentsMax,
    int segmentCheckpointBytes,
    int loadThreads,
    ThreadFactory threadFactory) {

  /**
   * Open segments by default: with three files each they leave room below the 1,024 open files that
   * Linux gives a process by default.
   */
  public static final int OPEN_SEGMENTS_MAX_DEFAULT = 256;

  /** Bytes between segment checkpoints by default: 64 MiB. */
  public static final int SEGMENT_CHECKPOINT_BYTES_DEFAULT = 64 * 1024 * 1024;

  /** Loading threads by default; loading waits for the disk more than for the processor. */
  public static final int LOAD_THREADS_DEFAULT = 4;

  /** Checks the numbers. */
  public LogDirectoryOptions {
    if (openSegmentsMax < 1 || segmentCheckpointBytes < 1 || loadThreads < 1) {
      throw new IllegalArgumentException(
          "openSegmentsMax is %d, segmentCheckpointBytes %d and loadThreads %d; all must be 1 or more"
              .formatted(openSegmentsMax, segmentCheckpointBytes, loadThreads));
    }
  }

  /** Options with defaults: every log gets {@link LogConfig#defaults()}. */
  public static LogDirectoryOptions of(int nodeId, String clusterId) {
    return new LogDirectoryOptions(
        nodeId,
        clusterId,
        partition -> LogConfig.defaults(),
        partition -> Optional.empty(),
        OPEN_SEGMENTS_MAX_DEFAULT,
        SEGMENT_CHECKPOINT_BYTES_DEFAULT,
        LOAD_THREADS_DEFAULT,
        task -> {
          Thread thread = new Thread(task, "mq-log-loader");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** The same with another source of configurations. */
  public LogDirectoryOptions withConfigOf(Function<TopicPartition, LogConfig> source) {
    return new LogDirectoryOptions(
        nodeId,
        clusterId,
        source,
        topicIdOf,
        openSegmentsMax,
        segmentCheckpointBytes,
        loadThreads,
        threadFactory);
  }

  /** The same with another source of topic ids. */
  public LogDirectoryOptions withTopicIdOf(Function<TopicPartition, Optional<UUID>> source) {
    return new LogDirectoryOptions(
        nodeId,
        clusterId,
        configOf,
        source,
        openSegmentsMax,
        segmentCheckpointBytes,
        loadThreads,
        threadFactory);
  }

  /** The same with another bound of open segments. */
  public LogDirectoryOptions withOpenSegmentsMax(int max) {
    return new LogDirectoryOptions(
        nodeId,
        clusterId,
        configOf,
        topicIdOf,
        max,
        segmentCheckpointBytes,
        loadThreads,
        threadFactory);
  }

  /** The same with other distances of segment checkpoints. */
  public LogDirectoryOptions withSegmentCheckpointBytes(int bytes) {
    return new LogDirectoryOptions(
        nodeId, clusterId, configOf, topicIdOf, openSegmentsMax, bytes, loadThreads, threadFactory);
  }

  /** The same with other threads for loading. */
  public LogDirectoryOptions withLoadThreads(int count, ThreadFactory factory) {
    return new LogDirectoryOptions(
        nodeId,
        clusterId,
        configOf,
        topicIdOf,
        openSegmentsMax,
        segmentCheckpointBytes,
        count,
        factory);
  }
}
