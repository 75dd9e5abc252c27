package io.weirmq.transport.shm.internal.loop;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one I/O thread: tasks, timers, sockets, and members that are looked at turn by turn.
 *
 * <p>Members are <i>awake</i> or <i>at rest</i>. Each turn serves those that are awake; one that
 * had no work for some turns is asked to rest. When all rest the loop blocks in its selector:
 * nothing is polled any more, and a byte on a socket, a task or a timer wakes it.
 *
 * <p>{@link #execute}, {@link #stop} and the counts are for any thread; all else is for the loop's
 * own.
 */
public final class EventLoop implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

  /**
   * Turns without work that spin; those that follow yield. Where there are more busy threads than
   * cores, a peer that was just woken is often put on the core of the one who waits for it, and
   * would have to wait for the end of its spinning.
   */
  private static final int SPIN_TURNS_MAX = 40;

  /**
   * Turns between two looks at the sockets while members are awake. A look is a system call; the
   * ends of peers and the bells of members at rest wait so long at most.
   */
  private static final int TURNS_PER_SELECT = 256;

  /** Work that counts as one more turn. */
  private static final int WORK_PER_TURN = 32;

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

  private final Selector selector;
  private final LongSupplier nanoClock;
  private final Timers timers;
  private final Consumer<Runnable> runner = this::guarded;
  private final WaitStrategy waitStrategy;
  private final TaskQueue tasks = new TaskQueue();
  private final List<Awake> awake = new ArrayList<>();
  private final Set<LoopMember> members = new HashSet<>();
  private volatile boolean asleep;
  private volatile boolean stopping;
  private volatile long sleepCount;
  private long sleeps;
  private int quietTurns;
  private @Nullable InternalError memoryFailure;
  private int turnsSinceSelect;

  private EventLoop(Selector selector, LongSupplier nanoClock, WaitStrategy waitStrategy) {
    this.selector = selector;
    this.nanoClock = nanoClock;
    this.timers = new Timers(nanoClock);
    this.waitStrategy = waitStrategy;
  }

  /** Opens a loop; somebody has to run it. */
  public static EventLoop open(LongSupplier nanoClock, WaitStrategy waitStrategy)
      throws IOException {
    return new EventLoop(Selector.open(), nanoClock, waitStrategy);
  }

  /** Runs a task on the loop, never inside this call; drops it where the loop has ended. */
  public void execute(Runnable task) {
    if (tasks.add(task) && asleep) {
      selector.wakeup();
    }
  }

  /** Ends the loop after the turn that is under way; tasks that wait are dropped. */
  public void stop() {
    stopping = true;
    selector.wakeup();
  }

  /** Whether the loop is blocked in its selector, or about to be. */
  public boolean isAsleep() {
    return asleep;
  }

  /** How often the loop has gone to sleep. */
  public long sleepCount() {
    return sleepCount;
  }

  /** Runs a task after a time. */
  public Timer schedule(long delayNanos, Runnable task) {
    return timers.schedule(delayNanos, task);
  }

  /** Watches a channel. */
  public SelectionKey register(SelectableChannel channel, int interest, SocketEvents events)
      throws ClosedChannelException {
    return channel.register(selector, interest, events);
  }

  /** Takes the closed channels out of the selector, which holds their descriptors until then. */
  public void dropClosed() {
    select(false);
  }

  /** Makes what a member's looks are timed by. */
  public Patience newPatience() {
    return waitStrategy == WaitStrategy.ADAPTIVE ? Patience.learning(nanoClock) : Patience.fixed();
  }

  /** Takes a member in, at rest. */
  public void join(LoopMember member) {
    members.add(member);
  }

  /** Forgets a member. */
  public void leave(LoopMember member) {
    members.remove(member);
  }

  /** Serves a member from now on, until it rests; to be called once per rest. */
  public void wake(LoopMember member) {
    member.patience().woken();
    awake.add(new Awake(member));
  }

  @Override
  public void run() {
    tasks.ownedBy(Thread.currentThread());
    while (!stopping) {
      try {
        // A loop within the loop: the JVM may report a fault at the jump back, and one outside of
        // the try would end the thread.
        turns();
      } catch (InternalError e) {
        memoryFailure = e;
      } catch (Throwable e) {
        // A fault within the JDK's own code surfaces as whatever its clean-up makes of it.
        memoryFailure = new InternalError("a turn of the loop failed", e);
      }
    }
    tasks.ownedBy(null);
    tasks.clear();
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("selector can't be closed", e);
    }
  }

  private void turns() {
    while (!stopping) {
      turn();
    }
  }

  private void turn() {
    InternalError failure = memoryFailure;
    if (failure != null) {
      memoryFailed(failure);
      memoryFailure = null;
    }
    int work = tasks.run(runner) + serveAwake();
    quietTurns = work > 0 ? 0 : quietTurns + 1;
    turnsSinceSelect += 1 + work / WORK_PER_TURN;
    if (memoryFailure != null) {
      return; // the next turn looks after it; there must be no sleep before that
    }
    if (awake.isEmpty()) {
      select(true);
    } else if (turnsSinceSelect >= TURNS_PER_SELECT) {
      select(false);
    } else if (work == 0) {
      pauseBriefly();
    }
  }

  private int serveAwake() {
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
      } else if (each.patience.isOver(++each.quietTurns)) {
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

  private void select(boolean maySleep) {
    turnsSinceSelect = 0;
    try {
      if (maySleep) {
        sleep();
      } else {
        selector.selectNow(this::dispatch);
      }
    } catch (IOException e) {
      LOG.error("select failed", e);
    }
    guarded(timers::runDue);
  }

  private void sleep() throws IOException {
    asleep = true;
    try {
      // After the flag: whoever adds a task now sees it and wakes the selector.
      if (tasks.isEmpty() && !stopping) {
        sleepCount = ++sleeps;
        selector.select(this::dispatch, timers.millisUntilNext());
      } else {
        selector.selectNow(this::dispatch);
      }
    } finally {
      asleep = false;
    }
  }

  private void dispatch(SelectionKey key) {
    if (key.isValid()) {
      guarded(((SocketEvents) key.attachment())::ready);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // to yield is what this strategy is
  private void pauseBriefly() {
    boolean spin =
        switch (waitStrategy) {
          case ADAPTIVE -> quietTurns <= SPIN_TURNS_MAX;
          case YIELDING -> false;
          case BUSY_SPIN -> true;
        };
    if (spin) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (InternalError e) {
      memoryFailure = e;
    } catch (Throwable e) {
      LOG.error("task of an I/O thread failed", e);
    }
  }

  /**
   * Memory that was mapped is there no more. The JVM reports that some time after the access, and
   * so perhaps in the middle of what was done for another member. Hence all are asked, and all are
   * served again, whatever was known of them.
   */
  private void memoryFailed(InternalError failure) {
    boolean found = false;
    awake.clear();
    for (LoopMember member : List.copyOf(members)) {
      found |= member.memoryFailed(failure);
      awake.add(new Awake(member));
    }
    if (!found) {
      LOG.error("internal error of the JVM in an I/O thread", failure);
    }
  }
}
