package io.weirmq.transport.shm.internal.loop;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
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

  /** The longest that a poll waits: a year, which can be added to any reading of the clock. */
  private static final long POLL_MILLIS_MAX = TimeUnit.DAYS.toMillis(365);

  /** Between two looks whether a loop that another thread has for a moment is free. */
  private static final long GUEST_WAIT_NANOS = 1_000_000;

  /** Between two lines on failures that nothing explains: a peer may be able to cause them. */
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Turns after a stop, at most: a task that adds itself again and again is left then. */
  private static final int LAST_TURNS_MAX = 10_000;

  private final LongSupplier nanoClock;
  private final WaitStrategy waitStrategy;
  private final LoopOwner owner = new LoopOwner();
  private final TaskQueue tasks;
  private final TaskGuard guard = new TaskGuard();
  private final Consumer<Runnable> runner = guard::run;
  private final LoopMembers members = new LoopMembers(guard);
  private final LoopWaits waits;
  private long unexplainedCount;
  private long unexplainedLoggedNanos;
  private volatile boolean stopping;
  private volatile boolean woken;

  /**
   * Creates a loop; somebody has to run it.
   *
   * @param selector transferred: the loop closes it after a stop
   * @param foreignTasks keeps tasks of other threads; for use by several of them, and by nobody
   *     else
   */
  EventLoop(
      Selector selector,
      LongSupplier nanoClock,
      WaitStrategy waitStrategy,
      Queue<Runnable> foreignTasks) {
    this.nanoClock = nanoClock;
    this.waitStrategy = waitStrategy;
    this.tasks = new TaskQueue(owner, foreignTasks);
    this.waits = new LoopWaits(selector, nanoClock, waitStrategy, guard);
  }

  /** Opens a loop; somebody has to run it. */
  public static EventLoop open(LongSupplier nanoClock, WaitStrategy waitStrategy)
      throws IOException {
    return new EventLoop(Selector.open(), nanoClock, waitStrategy, new ConcurrentLinkedQueue<>());
  }

  /**
   * Runs a task on the loop, never inside this call.
   *
   * @return whether it will be run, or was; false where the loop was stopped
   */
  public boolean execute(Runnable task) {
    if (stopping && !isCurrent()) { // its own thread may have to end what it has begun
      return false;
    }
    if (tasks.add(task)) {
      if (stopping) {
        return !tasks.drop(task); // the loop may have run the others before this one was there
      }
      waits.wakeIfAsleep();
    }
    return true;
  }

  /**
   * Ends the loop after the turn that is under way. Tasks that wait are run, then the members end.
   */
  public void stop() {
    stopping = true;
    waits.wakeSelector();
  }

  /** Ends the {@link #poll} that is under way, or else the next one. */
  public void wakeup() {
    woken = true;
    waits.wakeIfAsleep();
  }

  /** Whether the calling thread is the one that runs the loop now. */
  public boolean isCurrent() {
    return owner.isOwnedBy(Thread.currentThread());
  }

  /** Whether the loop is blocked in its selector, or about to be. */
  public boolean isAsleep() {
    return waits.isAsleep();
  }

  /** How often the loop has gone to sleep. */
  public long sleepCount() {
    return waits.sleepCount();
  }

  /** Runs a task after a time. */
  public Timer schedule(long delayNanos, Runnable task) {
    return waits.schedule(delayNanos, task);
  }

  /** Watches a channel. Not to be called by {@link SocketEvents#ready}. */
  public SelectionKey register(SelectableChannel channel, int interest, SocketEvents events)
      throws IOException {
    return waits.register(channel, interest, events);
  }

  /** Takes the closed channels out of the selector, which holds their descriptors until then. */
  public void dropClosed() {
    waits.look();
  }

  /** Makes what a member's looks are timed by. */
  public Patience newPatience() {
    return waitStrategy == WaitStrategy.ADAPTIVE ? Patience.learning(nanoClock) : Patience.fixed();
  }

  /** Takes a member in, at rest. */
  public void join(LoopMember member) {
    members.join(member);
  }

  /** Forgets a member. */
  public void leave(LoopMember member) {
    members.leave(member);
  }

  /**
   * Has the JVM report faults of memory that it has kept, for the next turn to look after them;
   * where there is only one member, it may be whose handler meets them. To be called before the
   * program's code is, which would meet the fault of another member's memory there.
   */
  public void takeFaults() {
    if (members.areSeveral()) {
      members.takeFaults();
    }
  }

  /** A fault of memory was met: the next turn looks after it. */
  public void memoryFailed(InternalError failure) {
    guard.failed(failure);
  }

  /** Serves a member from now on, until it rests; to be called once per rest. */
  public void wake(LoopMember member) {
    members.wake(member);
  }

  @Override
  public void run() {
    owner.take(Thread.currentThread());
    while (!stopping) {
      try {
        // A loop within the loop: the JVM may report a fault at the jump back, and one outside of
        // the try would end the thread.
        turns();
      } catch (Throwable e) {
        guard.failed(e);
      }
    }
    owner.leave(Thread.currentThread());
    closeIfFree();
    if (waits.wasInterrupted()) {
      Thread.currentThread().interrupt();
    }
  }

  private void turns() {
    while (!stopping) {
      turn(LoopWaits.NO_LIMIT);
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
    LoopOwner.Taken taken = owner.take(current);
    if (taken == LoopOwner.Taken.YES) {
      return pollTaken(timeoutMillis, false);
    }
    long endNanos = endAfter(timeoutMillis);
    long left = timeoutMillis;
    while (taken == LoopOwner.Taken.SOON) {
      if (left <= 0 || current.isInterrupted()) {
        return 0;
      }
      LockSupport.parkNanos(this, GUEST_WAIT_NANOS);
      left = millisUntil(endNanos);
      taken = owner.take(current);
    }
    if (taken == LoopOwner.Taken.NO) {
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
    boolean free = owner.takeForAMoment(Thread.currentThread());
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
    boolean interrupted = waits.takeInterrupt();
    int work = 1; // where a turn fails, the next one looks after it at once
    try {
      work = stopping ? 0 : turnsFor(interrupted ? 0 : timeoutMillis);
      if (woken && !guest) {
        woken = false;
      }
    } catch (Throwable e) {
      guard.failed(e);
    } finally {
      if (wokenBefore) {
        woken = true;
      }
      boolean restore = waits.wasInterrupted();
      waits.forgetInterrupt();
      owner.leave(current);
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
    waits.beginPoll();
    int work = turn(left);
    while (work == 0
        && waits.events() == 0
        && left > 0
        && !woken
        && !stopping
        && !waits.takeInterrupt()) {
      left = millisUntil(endNanos);
      work = turn(left);
    }
    if (work == 0 && waits.events() > 0) {
      work = waits.events() + turn(0); // what the bell was about
    }
    members.pollEnds();
    return work;
  }

  private long endAfter(long millis) {
    return nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, POLL_MILLIS_MAX));
  }

  private long millisUntil(long endNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - nanoClock.getAsLong() + 999_999));
  }

  /**
   * Runs what waits, ends the members and gives the selector back, unless a thread runs the loop,
   * which does it then. After a stop.
   */
  public void closeIfFree() {
    Thread current = Thread.currentThread();
    if (!owner.takeForAMoment(current)) {
      return;
    }
    boolean interrupted = Thread.interrupted(); // would close the files that ends and handlers use
    try {
      lastTurns();
      waits.close();
    } catch (IOException e) {
      LOG.warn("selector can't be closed", e);
    } finally {
      owner.leave(current);
      if (interrupted) {
        current.interrupt();
      }
    }
  }

  /** Nobody must wait for ever for what was asked of the loop before it was stopped. */
  private void lastTurns() {
    boolean membersTold = false;
    for (int i = 0; i < LAST_TURNS_MAX && !(membersTold && isIdle()); i++) {
      try {
        lookAfterFailure();
        tasks.run(runner);
        if (!membersTold) {
          membersTold = true;
          members.loopEnds();
        }
      } catch (Throwable e) {
        guard.failed(e);
      }
    }
  }

  private boolean isIdle() {
    return tasks.isEmpty() && guard.memoryFailure() == null;
  }

  /**
   * Does one turn.
   *
   * @param sleepMillisMax how long it may sleep; 0 neither to sleep nor to pause
   * @return the work found
   */
  private int turn(long sleepMillisMax) {
    lookAfterFailure();
    int work = tasks.run(runner) + members.serve(sleepMillisMax > 0);
    waits.countTurn(work);
    if (guard.memoryFailure() != null) {
      if (waits.isLookDue()) {
        waits.look();
      }
      return work; // the next turn looks after it; there must be no sleep before that
    }
    if (members.allRest()) {
      sleep(work > 0 && sleepMillisMax != LoopWaits.NO_LIMIT ? 0 : sleepMillisMax);
    } else if (waits.isLookDue()) {
      waits.look();
    } else if (work == 0 && sleepMillisMax > 0) {
      waits.pauseBriefly();
    }
    return work;
  }

  private void lookAfterFailure() {
    InternalError failure = guard.memoryFailure();
    if (failure != null) {
      if (!members.memoryFailed(failure)) {
        logUnexplained(failure);
      }
      guard.forget();
    }
  }

  private void logUnexplained(InternalError failure) {
    long nowNanos = nanoClock.getAsLong();
    if (unexplainedCount++ == 0 || nowNanos - unexplainedLoggedNanos >= LOG_INTERVAL_NANOS) {
      unexplainedLoggedNanos = nowNanos;
      LOG.error(
          "internal error of the JVM in an I/O thread, the {}. so far", unexplainedCount, failure);
    }
  }

  /**
   * Sleeps, unless there is something to do.
   *
   * @param millisMax 0 for a look that waits for nothing
   */
  private void sleep(long millisMax) {
    if (millisMax <= 0) {
      waits.look();
      return;
    }
    try {
      waits.announceSleep();
      // After the announcement: whoever adds a task now sees it and wakes the selector.
      waits.select(tasks.isEmpty() && !stopping && !woken ? millisMax : 0);
    } finally {
      waits.endSleep();
    }
    waits.runTimers();
  }
}
