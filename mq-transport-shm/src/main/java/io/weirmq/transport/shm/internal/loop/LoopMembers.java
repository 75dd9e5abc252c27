package io.weirmq.transport.shm.internal.loop;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The members of a loop, awake or at rest. A turn serves those that are awake, and asks one that
 * had no work for as long as its {@link Patience} says to rest.
 *
 * <p>Confined to the thread of the loop.
 */
final class LoopMembers {

  /** A member that is awake, and for how many turns it had nothing to do. */
  private static final class Awake {
    final LoopMember member;
    final Patience patience;
    int quietTurns;

    Awake(LoopMember member) {
      this.member = member;
      this.patience = member.patience();
    }
  }

  private final List<Awake> awake = new ArrayList<>();
  private final Set<LoopMember> members = new HashSet<>();

  /** Takes a member in, at rest. */
  void join(LoopMember member) {
    members.add(member);
  }

  /** Forgets a member. */
  void leave(LoopMember member) {
    members.remove(member);
  }

  /** Serves a member from now on, until it rests; to be called once per rest. */
  void wake(LoopMember member) {
    member.patience().woken();
    awake.add(new Awake(member));
  }

  /** Whether nobody is to be served. */
  boolean allRest() {
    return awake.isEmpty();
  }

  /**
   * Serves the members that are awake.
   *
   * @param mayRest whether a turn without work is one of a look, at whose end a member rests
   * @return the work found
   */
  int serve(boolean mayRest) {
    int total = 0;
    int index = 0;
    while (index < awake.size()) {
      Awake each = awake.get(index);
      int work = each.member.serve();
      total += work;
      if (work > 0) {
        if (each.quietTurns > 0) {
          each.patience.found(each.quietTurns);
          each.quietTurns = 0;
        }
      } else if (mayRest && each.patience.isOver(++each.quietTurns)) {
        if (each.member.rest()) {
          each.patience.rests();
          Awake last = awake.remove(awake.size() - 1);
          if (last != each) {
            awake.set(index, last);
          }
          continue;
        }
        each.quietTurns = 0;
      }
      index++;
    }
    return total;
  }

  /** Ends the looks that are under way, and wakes those at rest; at the end of a poll. */
  void pollEnds() {
    // A look ends with the poll; the time until the next one is not the peer's.
    awake.forEach(each -> each.quietTurns = 0);
    if (awake.size() < members.size()) {
      // Nobody needs to ring for who looks at the beginning of the next poll.
      List.copyOf(members).forEach(LoopMembers::wakeWithoutTraffic);
    }
  }

  /** Wakes a member that is at rest; one for which something came is awake by now. */
  private static void wakeWithoutTraffic(LoopMember member) {
    member.patience().disturbed();
    member.wake();
  }

  /**
   * Memory that was mapped is there no more. The JVM reports that some time after the access, and
   * so perhaps in the middle of what was done for another member. Hence all are asked, and all are
   * served again, whatever was known of them.
   *
   * @return whether the memory was that of a member
   */
  boolean memoryFailed(InternalError failure) {
    boolean found = false;
    awake.clear();
    for (LoopMember member : List.copyOf(members)) {
      found |= member.memoryFailed(failure);
      awake.add(new Awake(member));
    }
    return found;
  }
}
