package io.weirmq.replication;

import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be done to the hosted partitions now and then. Each method blocks while pipelines or
 * disks work, so a maintenance thread of the server calls them, one at a time. Confined to one
 * thread (the server's maintenance thread).
 */
public final class Maintenance {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  /**
   * Logs that are put to rest in one round: each takes a few forces on the threads that appends
   * wait for too.
   */
  static final int RESTS_PER_ROUND_MAX = 4;

  private final HostedPartitions partitions;

  /** Where the next round looks first, so that a log that can't rest holds up no other. */
  private int nextToRest;

  /** Makes the tasks for partitions. */
  public Maintenance(HostedPartitions partitions) {
    this.partitions = partitions;
  }

  /**
   * Applies the retention rules to every log.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public void applyRetention(long nowMs) {
    WriterTasks.runAll(
        "retention",
        partitions.all(),
        partition -> partition.execute(writer -> writer.applyRetention(nowMs)));
  }

  /**
   * Forgets idle producers in every log.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public void expireProducers(long nowMs) {
    WriterTasks.runAll(
        "producer expiry",
        partitions.all(),
        partition ->
            partition.execute(
                writer -> {
                  writer.expireProducers(nowMs);
                  return true;
                }));
  }

  /**
   * Puts logs with a {@code flush.ms} on the disk where that time has passed; an append looks
   * itself, this is for those that get none.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public void flushDue(long nowMs) {
    List<Partition> timed =
        partitions.all().stream()
            .filter(partition -> partition.log().config().flushMs() < Long.MAX_VALUE)
            .toList();
    WriterTasks.runAll(
        "flush",
        timed,
        partition ->
            partition.execute(
                writer -> {
                  writer.flushIfDue(nowMs);
                  return true;
                }));
  }

  /** Takes folders that have failed offline, and makes logs that could not be made before. */
  public void checkFolders() {
    partitions.checkFolders();
  }

  /**
   * Puts some of the logs to rest that get no appends, see {@link LogWriter#rest}: {@value
   * #RESTS_PER_ROUND_MAX} at most, the others in later rounds.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public void restIdle(long nowMs) {
    List<Partition> all = partitions.all();
    List<Partition> due = new ArrayList<>();
    int first = nextToRest;
    for (int i = 0; i < all.size() && due.size() < RESTS_PER_ROUND_MAX; i++) {
      int index = (first + i) % all.size();
      if (all.get(index).log().isRestDue(nowMs)) {
        due.add(all.get(index));
        nextToRest = index + 1;
      }
    }
    WriterTasks.runAll(
        "rest",
        due,
        partition ->
            partition.execute(
                writer -> {
                  writer.rest(nowMs);
                  return true;
                }));
  }

  /** Writes the checkpoints of every folder; a failure is logged, and tried again next time. */
  public void writeCheckpoints() {
    for (LogDirectory directory : partitions.directories()) {
      try {
        directory.writeCheckpoints();
      } catch (StorageException e) {
        LOG.error("checkpoints of {} not written; tried again later", directory.path(), e);
      }
    }
  }

  /**
   * Removes files of deleted logs whose delay has passed.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public void purgeDeleted(long nowMs) {
    partitions.directories().forEach(directory -> directory.purgeDeleted(nowMs));
  }
}
