package io.weirmq.transport.shm.internal.loop;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one I/O thread: tasks, timers, sockets, and members that are looked at turn by turn.
 * A thread of its own runs it to its end ({@link #run}), or whoever has the time runs some turns of
 * it ({@link #poll}).
 *
 * <p>Members are <i>awake</i> or <i>at rest</i>. Each turn serves those that are awake; one that
 * had no work for some turns is asked to rest. When all rest the loop blocks in its selector:
 * nothing is polled any more, and a byte on a socket, a task or a timer wakes it.
 *
 * <p>{@link #execute}, {@link #stop}, {@link #wakeup} and the counts are for any thread; all else
 * is for the thread that runs the loop, which is one at a time.
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

  /** How long a turn may sleep where only a task, a socket or a timer ends it. */
  private static final long NO_LIMIT = Long.MAX_VALUE;

  /** The longest that a poll waits: a year, which can be added to any reading of the clock. */
  private static final long POLL_MILLIS_MAX = TimeUnit.DAYS.toMillis(365);

  /** Between two looks whether a loop that another thread has for a moment is free. */
  private static final long GUEST_WAIT_NANOS = 1_000_000;

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
  private volatile boolean woken;
  private volatile long sleepCount;
  private long sleeps;
  private int quietTurns;
  private @Nullable InternalError memoryFailure;
  private int turnsSinceSelect;

  /** Whether the thread was interrupted since the poll has begun, or since it runs the loop. */
  private boolean interrupted;

  /** Sockets that were ready and timers that ran, since somebody set it to 0. */
  private int events;

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

  /** Runs a task on the loop, never inside this call; drops it where the loop was stopped. */
  public void execute(Runnable task) {
    if (stopping) {
      return;
    }
    if (tasks.add(task)) {
      if (stopping) {
        tasks.drop(task); // the loop may have dropped the others before this one was there
      } else if (asleep) {
        selector.wakeup();
      }
    }
  }

  /** Ends the loop after the turn that is under way; tasks that wait are dropped. */
  public void stop() {
    stopping = true;
    selector.wakeup();
  }

  /** Ends the {@link #poll} that is under way, or else the next one. */
  public void wakeup() {
    woken = true;
    if (asleep) {
      selector.wakeup();
    }
  }

  /** Whether the calling thread is the one that runs the loop now. */
  public boolean isCurrent() {
    return tasks.isOwnedBy(Thread.currentThread());
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

  /** Watches a channel. Not to be called by {@link SocketEvents#ready}. */
  public SelectionKey register(SelectableChannel channel, int interest, SocketEvents events)
      throws IOException {
    SelectionKey earlier = channel.keyFor(selector);
    if (earlier != null && !earlier.isValid()) {
      select(0); // a selector takes a channel anew once it has dropped the cancelled key
    }
    return channel.register(selector, interest, events);
  }

  /** Takes the closed channels out of the selector, which holds their descriptors until then. */
  public void dropClosed() {
    select(0);
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
    tasks.take(Thread.currentThread());
    while (!stopping) {
      try {
        // A loop within the loop: the JVM may report a fault at the jump back, and one outside of
        // the try would end the thread.
        turns();
      } catch (Throwable e) {
        failed(e);
      }
    }
    tasks.leave(Thread.currentThread());
    closeIfFree();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void turns() {
    while (!stopping) {
      turn(NO_LIMIT);
    }
  }

  /**
   * Runs turns until one has found work, the time is over, {@link #wakeup} or {@link #stop} was
   * called or the thread was interrupted; one turn at least. It sleeps only where all members rest.
   * An interrupt that was there before, ends a sleep or is found between two turns is kept away
   * from what the turns do, as it would close the files that they use, and is set when this
   * returns. One that comes in the middle of a turn is not: where the turn uses a file just then,
   * as it does to make a connection or to let it rest, that connection is cut.
   *
   * @param timeoutMillis 0 for one turn that waits for nothing
   * @return the work found, 0 for none
   * @throws IllegalStateException where a thread is running the loop, this one included, unless
   *     that is in {@link #pollIfFree}: then this waits for it, within the time
   */
  public int poll(long timeoutMillis) {
    Thread current = Thread.currentThread();
    TaskQueue.Taken taken = tasks.take(current);
    if (taken == TaskQueue.Taken.YES) {
      return pollTaken(timeoutMillis, false);
    }
    long endNanos = endAfter(timeoutMillis);
    long left = timeoutMillis;
    while (taken == TaskQueue.Taken.SOON) {
      if (left <= 0 || current.isInterrupted()) {
        return 0;
      }
      LockSupport.parkNanos(this, GUEST_WAIT_NANOS);
      left = millisUntil(endNanos);
      taken = tasks.take(current);
    }
    if (taken == TaskQueue.Taken.NO) {
      throw new IllegalStateException(
          "thread %s can't run a loop that a thread is running".formatted(current.getName()));
    }
    return pollTaken(left, false);
  }

  /**
   * Does as {@link #poll} where nobody runs the loop, for a moment in which others wait for it. A
   * {@link #wakeup} ends it too, and then ends their poll.
   *
   * @return whether nobody ran it
   */
  public boolean pollIfFree(long timeoutMillis) {
    boolean free = tasks.takeForAMoment(Thread.currentThread());
    if (free) {
      pollTaken(timeoutMillis, true);
    }
    return free;
  }

  /**
   * Polls a loop that is this thread's, and leaves it.
   *
   * @param guest whether the poll is none of those that {@link #wakeup} is meant for
   */
  private int pollTaken(long timeoutMillis, boolean guest) {
    boolean wokenBefore = guest && woken;
    if (wokenBefore) {
      woken = false; // so that it can sleep
    }
    Thread current = Thread.currentThread();
    takeInterrupt();
    int work = 1; // where a turn fails, the next one looks after it at once
    try {
      work = stopping ? 0 : turnsFor(interrupted ? 0 : timeoutMillis);
      if (woken && !guest) {
        woken = false;
      }
    } catch (Throwable e) {
      failed(e);
    } finally {
      if (wokenBefore) {
        woken = true;
      }
      boolean restore = interrupted;
      interrupted = false;
      tasks.leave(current);
      if (restore) {
        current.interrupt();
      }
      if (stopping) {
        closeIfFree();
      }
    }
    return work;
  }

  private int turnsFor(long timeoutMillis) {
    long left = Math.max(0, Math.min(timeoutMillis, POLL_MILLIS_MAX));
    long endNanos = left > 0 ? endAfter(left) : 0;
    events = 0;
    int work = turn(left);
    while (work == 0 && events == 0 && left > 0 && !woken && !stopping && !takeInterrupt()) {
      left = millisUntil(endNanos);
      work = turn(left);
    }
    if (work == 0 && events > 0) {
      work = events + turn(0); // what the bell was about
    }
    // A look ends with the poll; the time until the next one is not the peer's.
    awake.forEach(each -> each.quietTurns = 0);
    if (awake.size() < members.size()) {
      // Nobody needs to ring for who looks at the beginning of the next poll.
      List.copyOf(members).forEach(EventLoop::wakeWithoutTraffic);
    }
    return work;
  }

  /**
   * Keeps an interrupt for the end of the poll. It ends the poll, but a file that is used with it
   * set would be closed. The sockets would not, for none of them blocks.
   *
   * @return whether there was one in this poll
   */
  private boolean takeInterrupt() {
    if (Thread.interrupted()) {
      interrupted = true;
    }
    return interrupted;
  }

  /** Wakes a member that is at rest; one for which something came is awake by now. */
  private static void wakeWithoutTraffic(LoopMember member) {
    member.patience().disturbed();
    member.wake();
  }

  private long endAfter(long millis) {
    return nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, POLL_MILLIS_MAX));
  }

  private long millisUntil(long endNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - nanoClock.getAsLong() + 999_999));
  }

  /** Gives the selector back, unless a thread runs the loop, which does it then. After a stop. */
  public void closeIfFree() {
    Thread current = Thread.currentThread();
    if (!tasks.takeForAMoment(current)) {
      return;
    }
    tasks.clear();
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("selector can't be closed", e);
    } finally {
      tasks.leave(current);
    }
  }

  private void failed(Throwable e) {
    // A fault within the JDK's own code surfaces as whatever its clean-up makes of it.
    memoryFailure =
        e instanceof InternalError error
            ? error
            : new InternalError("a turn of the loop failed", e);
  }

  /**
   * Does one turn.
   *
   * @param sleepMillisMax how long it may sleep; 0 neither to sleep nor to pause
   * @return the work found
   */
  private int turn(long sleepMillisMax) {
    InternalError failure = memoryFailure;
    if (failure != null) {
      memoryFailed(failure);
      memoryFailure = null;
    }
    int work = tasks.run(runner) + serveAwake(sleepMillisMax > 0);
    quietTurns = work > 0 ? 0 : quietTurns + 1;
    turnsSinceSelect += 1 + work / WORK_PER_TURN;
    if (memoryFailure != null) {
      return work; // the next turn looks after it; there must be no sleep before that
    }
    if (awake.isEmpty()) {
      select(work > 0 && sleepMillisMax != NO_LIMIT ? 0 : sleepMillisMax);
    } else if (turnsSinceSelect >= TURNS_PER_SELECT) {
      select(0);
    } else if (work == 0 && sleepMillisMax > 0) {
      pauseBriefly();
    }
    return work;
  }

  /**
   * Serves the members that are awake.
   *
   * @param mayRest whether a turn without work is one of a look, at whose end a member rests
   */
  private int serveAwake(boolean mayRest) {
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

  private void select(long sleepMillisMax) {
    turnsSinceSelect = 0;
    try {
      if (sleepMillisMax > 0) {
        sleep(sleepMillisMax);
      } else {
        selector.selectNow(this::dispatch);
      }
    } catch (IOException e) {
      LOG.error("select failed", e);
    }
    guarded(this::runTimers);
  }

  private void sleep(long millisMax) throws IOException {
    asleep = true;
    try {
      // After the flag: whoever adds a task now sees it and wakes the selector.
      if (tasks.isEmpty() && !stopping && !woken) {
        sleepCount = ++sleeps;
        long untilTimer = timers.millisUntilNext();
        long millis = untilTimer == 0 ? millisMax : Math.min(millisMax, untilTimer);
        selector.select(this::dispatch, millis == NO_LIMIT ? 0 : millis);
      } else {
        selector.selectNow(this::dispatch);
      }
    } finally {
      asleep = false;
      takeInterrupt(); // which may have ended the select
    }
  }

  private void runTimers() {
    events += timers.runDue();
  }

  private void dispatch(SelectionKey key) {
    if (key.isValid()) {
      events++;
      takeInterrupt(); // within the select that it has ended
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
