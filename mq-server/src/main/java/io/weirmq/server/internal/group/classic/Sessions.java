package io.weirmq.server.internal.group.classic;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Notices members that have fallen silent. Confined to one thread (the coordinator's).
 *
 * <p>A sign of life only moves the member's deadline. The timer looks at the deadline when it goes
 * off, and is set again for the rest: so a heartbeat costs one write and no work on the timer.
 */
final class Sessions {

  private final GroupClocks clocks;
  private final BiConsumer<ClassicGroup, GroupMember> onExpired;

  /**
   * Makes the watch.
   *
   * @param onExpired told of a member of a group that has been silent for too long
   */
  Sessions(GroupClocks clocks, BiConsumer<ClassicGroup, GroupMember> onExpired) {
    this.clocks = clocks;
    this.onExpired = onExpired;
  }

  /** Gives a member its whole session from now on. */
  void restart(ClassicGroup group, GroupMember member) {
    expect(group, member, member.sessionTimeoutMs());
  }

  /** Gives a member that joins for the first time its time to be answered. */
  void awaitFirstJoin(ClassicGroup group, GroupMember member) {
    expect(group, member, ClassicConfig.FIRST_JOIN_TIMEOUT_MS);
  }

  private void expect(ClassicGroup group, GroupMember member, int timeoutMs) {
    long deadlineNs = clocks.nanos().getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    boolean isEarlier = deadlineNs - member.sessionDeadlineNs < 0;
    member.sessionDeadlineNs = deadlineNs;
    if (member.sessionTimer == null || isEarlier) {
      cancel(member);
      schedule(group, member, timeoutMs);
    }
  }

  private void schedule(ClassicGroup group, GroupMember member, long delayMs) {
    member.sessionTimer = clocks.scheduler().schedule(delayMs, () -> lookAt(group, member));
  }

  /** Watches a member no more. */
  void cancel(GroupMember member) {
    if (member.sessionTimer != null) {
      member.sessionTimer.cancel();
      member.sessionTimer = null;
    }
  }

  private void lookAt(ClassicGroup group, GroupMember member) {
    member.sessionTimer = null;
    if (group.member(member.memberId()) != member) {
      return;
    }
    long leftNs = member.sessionDeadlineNs - clocks.nanos().getAsLong();
    if (leftNs > 0) {
      // Rounded up: a timer that goes off early would only be set again.
      schedule(group, member, TimeUnit.NANOSECONDS.toMillis(leftNs + 999_999));
    } else if (!member.isNew && (member.isJoining() || member.isSyncing())) {
      // It waits for us, not we for it: the answer will start its session anew.
      restart(group, member);
    } else {
      onExpired.accept(group, member);
    }
  }
}
