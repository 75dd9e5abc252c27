package io.weirmq.transport.shm.internal.loop;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a loop does between two turns: it pauses for a moment, has a look at the sockets and timers,
 * or sleeps in the selector until one of them, or whoever wakes it, has something for it.
 *
 * <p>Who brings work to a loop that may sleep, and the loop itself, take the same steps in opposite
 * order, so that one of them sees the other:
 *
 * <pre>
 *   who brings work          the loop
 *   1. puts it there         1. announceSleep
 *   2. wakeIfAsleep          2. looks whether there is some
 *                            3. select, to sleep where there was none
 *                            4. endSleep
 * </pre>
 *
 * <p>{@link #wakeIfAsleep}, {@link #wakeSelector}, {@link #isAsleep} and {@link #sleepCount} are
 * for any thread, all else for the thread of the loop.
 */
final class LoopWaits {

  private static final Logger LOG = LoggerFactory.getLogger(LoopWaits.class);

  /** How long a sleep may last where only a task, a socket or a timer ends it. */
  static final long NO_LIMIT = Long.MAX_VALUE;

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

  private final Selector selector;
  private final Timers timers;
  private final WaitStrategy waitStrategy;
  private final TaskGuard guard;
  private volatile boolean asleep;
  private volatile long sleepCount;
  private long sleeps;
  private int quietTurns;
  private int turnsSinceSelect;

  /** Whether the thread was interrupted since the poll has begun, or since it runs the loop. */
  private boolean interrupted;

  /** Sockets that were ready and timers that ran, since {@link #beginPoll}. */
  private int events;

  /**
   * Creates the waits of one loop.
   *
   * @param selector transferred: {@link #close} closes it
   * @param guard runs the timers, and those who hear of sockets
   */
  LoopWaits(Selector selector, LongSupplier nanoClock, WaitStrategy waitStrategy, TaskGuard guard) {
    this.selector = selector;
    this.timers = new Timers(nanoClock);
    this.waitStrategy = waitStrategy;
    this.guard = guard;
  }

  /** Wakes the loop where it sleeps or is about to; after what it is to see was put there. */
  void wakeIfAsleep() {
    if (asleep) {
      selector.wakeup();
    }
  }

  /** Wakes the loop, or else has its next sleep end at once. */
  void wakeSelector() {
    selector.wakeup();
  }

  /** Whether the loop is blocked in its selector, or about to be. */
  boolean isAsleep() {
    return asleep;
  }

  /** How often the loop has gone to sleep. */
  long sleepCount() {
    return sleepCount;
  }

  /** Runs a task after a time. */
  Timer schedule(long delayNanos, Runnable task) {
    return timers.schedule(delayNanos, task);
  }

  /** Watches a channel. Not to be called by {@link SocketEvents#ready}. */
  SelectionKey register(SelectableChannel channel, int interest, SocketEvents events)
      throws IOException {
    SelectionKey earlier = channel.keyFor(selector);
    if (earlier != null && !earlier.isValid()) {
      look(); // a selector takes a channel anew once it has dropped the cancelled key
    }
    return channel.register(selector, interest, events);
  }

  /** Counts a turn that has found some work, or none. */
  void countTurn(int work) {
    quietTurns = work > 0 ? 0 : quietTurns + 1;
    turnsSinceSelect += 1 + work / WORK_PER_TURN;
  }

  /** Whether it is time for a look at the sockets, though members are awake. */
  boolean isLookDue() {
    return turnsSinceSelect >= TURNS_PER_SELECT;
  }

  /** Pauses after a turn without work. */
  @SuppressWarnings("ThreadPriorityCheck") // to yield is what this strategy is
  void pauseBriefly() {
    if (spins()) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  /** Whether the pause after the last turn spins, and does not yield. */
  boolean spins() {
    return switch (waitStrategy) {
      case ADAPTIVE -> quietTurns <= SPIN_TURNS_MAX;
      case YIELDING -> false;
      case BUSY_SPIN -> true;
    };
  }

  /** Looks at the sockets and timers; takes closed channels out of the selector. */
  void look() {
    turnsSinceSelect = 0;
    try {
      selector.selectNow(this::dispatch);
    } catch (IOException e) {
      LOG.error("select failed", e);
    }
    runTimers();
  }

  /** Lets other threads know that the loop may sleep; {@link #endSleep} has to follow. */
  void announceSleep() {
    turnsSinceSelect = 0;
    asleep = true;
  }

  /**
   * Waits for the sockets, no longer than until the next timer. After {@link #announceSleep}.
   *
   * @param millisMax 0 for a look that waits for nothing
   */
  void select(long millisMax) {
    try {
      if (millisMax > 0) {
        sleepCount = ++sleeps;
        long untilTimer = timers.millisUntilNext();
        long millis = untilTimer == 0 ? millisMax : Math.min(millisMax, untilTimer);
        selector.select(this::dispatch, millis == NO_LIMIT ? 0 : millis);
      } else {
        selector.selectNow(this::dispatch);
      }
    } catch (IOException e) {
      endSleep(); // what logs may use a file, which an interrupt would close
      LOG.error("select failed", e);
    }
  }

  /** The loop does not sleep any more. */
  void endSleep() {
    asleep = false;
    takeInterrupt(); // which may have ended the select
  }

  /** Runs the timers that are due. */
  void runTimers() {
    guard.run(this::runDueTimers);
  }

  private void runDueTimers() {
    events += timers.runDue();
  }

  private void dispatch(SelectionKey key) {
    if (key.isValid()) {
      events++;
      takeInterrupt(); // within the select that it has ended
      guard.run(((SocketEvents) key.attachment())::ready);
    }
  }

  /** Sockets that were ready and timers that ran, since {@link #beginPoll}. */
  int events() {
    return events;
  }

  /** Forgets events and quiet turns of the poll before: the first turns of each one spin. */
  void beginPoll() {
    events = 0;
    quietTurns = 0;
  }

  /**
   * Keeps an interrupt for the end of the poll. It ends the poll, but a file that is used with it
   * set would be closed. The sockets would not, for none of them blocks.
   *
   * @return whether there was one in this poll
   */
  boolean takeInterrupt() {
    if (Thread.interrupted()) {
      interrupted = true;
    }
    return interrupted;
  }

  /** Whether there was an interrupt since {@link #forgetInterrupt}, as far as one was taken. */
  boolean wasInterrupted() {
    return interrupted;
  }

  void forgetInterrupt() {
    interrupted = false;
  }

  /** Gives the selector back. */
  void close() throws IOException {
    selector.close();
  }
}
