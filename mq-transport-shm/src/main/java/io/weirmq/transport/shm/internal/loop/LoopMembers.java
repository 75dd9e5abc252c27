package io.weirmq.transport.shm.internal.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of a loop, awake or at rest. A turn serves those that are awake, and asks one that
 * had no work for as long as its {@link Patience} says to rest.
 *
 * <p>One that fails harms no other: the rest of the turn goes on, and the next one {@linkplain
 * #memoryFailed asks all} whose memory it was. Where nobody's is found to be gone, the turns after
 * that are watched: each member's ends with a look for faults, so that a fault is reported where it
 * belongs. Who is found so {@link #FAULTS_MAX} times has to end.
 *
 * <p>Confined to the thread of the loop.
 */
final class LoopMembers {

  /** Failures in watched turns after which a member has to end, though its memory seems whole. */
  static final int FAULTS_MAX = 3;

  /** Turns that are watched after a failure that nobody's memory explains. */
  static final int WATCHED_TURNS = 1_000;

  /** A member that is awake, and for how many turns it had nothing to do. */
  private static final class Awake {
    final LoopMember member;
    final Patience patience;
    int quietTurns;
    boolean gone;

    Awake(LoopMember member) {
      this.member = member;
      this.patience = member.patience();
    }
  }

  private final TaskGuard guard;
  private final MemoryFaults memoryFaults = new MemoryFaults();
  private final List<Awake> awake = new ArrayList<>();
  private final Set<LoopMember> members = new HashSet<>();
  private final Map<LoopMember, Integer> faults = new HashMap<>();
  private int watchedTurns;

  /** The member whose watched turn is under way; null where faults may be anybody's. */
  private @Nullable LoopMember watched;

  /**
   * Creates an empty set.
   *
   * @param guard hears of failures
   */
  LoopMembers(TaskGuard guard) {
    this.guard = guard;
  }

  /** Takes a member in, at rest. */
  void join(LoopMember member) {
    members.add(member);
  }

  /** Forgets a member. */
  void leave(LoopMember member) {
    members.remove(member);
    faults.remove(member);
    // The turn that is under way takes it out, or else the next one: this may be called by either.
    awake.forEach(each -> each.gone |= each.member == member);
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

  /** Whether a fault may be another member's than the one that is served. */
  boolean areSeveral() {
    return members.size() > 1;
  }

  /**
   * Serves the members that are awake. Throws nothing that a member throws.
   *
   * @param mayRest whether a turn without work is one of a look, at whose end a member rests
   * @return the work found
   */
  int serve(boolean mayRest) {
    boolean watching = watchedTurns > 0;
    if (watching) {
      watchedTurns--;
      takeFaults(); // whose they are is not known
    }
    int total = 0;
    int index = 0;
    while (index < awake.size()) {
      Awake each = awake.get(index);
      boolean stays = !each.gone;
      try {
        if (stays) {
          watched = watching ? each.member : null;
          total += serve(each, mayRest);
          stays = !each.gone && !(mayRest && rests(each));
          if (watching) {
            memoryFaults.report();
          }
        }
      } catch (Throwable e) {
        failed(each.member, e, watching);
        total++;
      } finally {
        watched = null;
      }
      if (stays) {
        index++;
      } else {
        remove(index);
      }
    }
    return total;
  }

  private static int serve(Awake each, boolean mayRest) {
    int work = each.member.serve();
    if (work == 0) {
      each.quietTurns += mayRest ? 1 : 0;
    } else if (each.quietTurns > 0) {
      each.patience.found(each.quietTurns);
      each.quietTurns = 0;
    }
    return work;
  }

  private static boolean rests(Awake each) {
    if (each.quietTurns == 0 || !each.patience.isOver(each.quietTurns)) {
      return false;
    }
    if (each.member.rest()) {
      each.patience.rests();
      return true;
    }
    each.quietTurns = 0;
    return false;
  }

  private void remove(int index) {
    Awake last = awake.remove(awake.size() - 1);
    if (index < awake.size()) {
      awake.set(index, last);
    }
  }

  /** Books a failure; whose fault it is shows in a watched turn only. */
  private void failed(LoopMember member, Throwable failure, boolean watching) {
    guard.failed(failure);
    if (watching && faults.merge(member, 1, Integer::sum) >= FAULTS_MAX) {
      faults.remove(member);
      member.failsAgain(failure);
    }
  }

  /**
   * Has the JVM report what it knows of faults, for the next turn to look after it. A watched turn
   * begins without any, so that what is found within it is that member's.
   */
  void takeFaults() {
    try {
      memoryFaults.report();
    } catch (InternalError e) {
      LoopMember member = watched;
      if (member == null) {
        guard.failed(e);
      } else {
        failed(member, e, true);
      }
    }
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

  /** Has all members end, as the loop does. */
  void loopEnds() {
    List.copyOf(members).forEach(LoopMember::loopEnds);
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
    if (!found) {
      watchedTurns = WATCHED_TURNS;
    }
    return found;
  }
}
