package io.weirmq.server.internal.group.classic;

import io.weirmq.server.internal.schedule.Scheduler.Scheduled;
import org.jspecify.annotations.Nullable;

/**
 * What the rebalance of a group waits for: members, their joins, or their syncs and the assignment.
 * Confined to one thread (the coordinator's).
 *
 * <p>At most one timer runs for joins and one for syncs. What is to be done when one fires is the
 * business of {@link Rebalances}.
 */
final class RebalanceProgress {

  private boolean isCollecting;
  private boolean hasMemberCome;
  private boolean isAssignmentOnItsWay;
  private @Nullable Scheduled joinTimer;
  private @Nullable Scheduled syncTimer;

  // ---- members and their joins -------------------------------------------------------------

  /** Waits, or waits on, whether more members come to a group that was empty. */
  void collect(Scheduled timer) {
    isCollecting = true;
    hasMemberCome = false;
    joinTimer = timer;
  }

  /** Whether a group that was empty waits for more members. */
  boolean isCollecting() {
    return isCollecting;
  }

  /** Notes a new member. */
  void memberCame() {
    hasMemberCome = true;
  }

  /** Whether a member came since {@link #collect} was last called. */
  boolean hasMemberCome() {
    return hasMemberCome;
  }

  /** Waits for the joins of the members that are there. */
  void awaitJoins(Scheduled timer) {
    joinTimer = timer;
  }

  /** Ends the wait for members and joins. */
  void endJoins() {
    isCollecting = false;
    cancelJoinTimer();
  }

  // ---- syncs and the assignment ------------------------------------------------------------

  /** Begins a generation, which has no assignment yet. */
  void beginGeneration() {
    isAssignmentOnItsWay = false;
  }

  /** Waits for the syncs of a generation's members. */
  void awaitSyncs(Scheduled timer) {
    syncTimer = timer;
  }

  /** Ends the wait for syncs. */
  void endSyncs() {
    cancelSyncTimer();
  }

  /** The leader has given the assignment, which is being stored. */
  void assignmentLeft() {
    isAssignmentOnItsWay = true;
  }

  /** The assignment is stored, or could not be. */
  void assignmentArrived() {
    isAssignmentOnItsWay = false;
  }

  /** True from the leader's sync until its assignment is stored, or could not be. */
  boolean isAssignmentOnItsWay() {
    return isAssignmentOnItsWay;
  }

  // ---- both --------------------------------------------------------------------------------

  /** Waits for nothing any more. */
  void cancelTimers() {
    cancelJoinTimer();
    cancelSyncTimer();
  }

  private void cancelJoinTimer() {
    if (joinTimer != null) {
      joinTimer.cancel();
      joinTimer = null;
    }
  }

  private void cancelSyncTimer() {
    if (syncTimer != null) {
      syncTimer.cancel();
      syncTimer = null;
    }
  }
}
