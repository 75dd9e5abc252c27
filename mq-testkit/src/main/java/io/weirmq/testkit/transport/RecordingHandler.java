package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A handler that records what it is told, and checks the callback rules: one callback at a time,
 * {@code onOpen} first, {@code onClosed} last and once. Safe for use by several threads.
 *
 * <p>Frames are copied and released in {@code onFrame}. Tests that must act inside a callback
 * override {@link #opened}, {@link #received}, {@link #writability} or {@link #closed}.
 */
public class RecordingHandler implements ConnectionHandler {

  /** How long a test waits for what must happen; generous, as only a failing test waits so long. */
  public static final long WAIT_SECONDS = 20;

  private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
  private final List<Boolean> writabilities = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Connection> open = new CompletableFuture<>();
  private final CompletableFuture<ClosedEvent> closed = new CompletableFuture<>();
  private final AtomicBoolean inCallback = new AtomicBoolean();
  private final AtomicInteger frameCount = new AtomicInteger();
  private volatile @Nullable Thread callbackThread;

  private record ClosedEvent(@Nullable Throwable cause) {}

  /** Makes one that pauses reading in {@code onOpen}: no frame comes before a test resumes it. */
  public static RecordingHandler pausedAtOpen() {
    return new RecordingHandler() {
      @Override
      protected void opened(Connection connection) {
        connection.pauseReading();
      }
    };
  }

  /** Called in {@code onOpen}. */
  protected void opened(Connection connection) {}

  /** Called in {@code onFrame} with a copy of the content, before a test can take it. */
  protected void received(Connection connection, byte[] content) {}

  /** Called in {@code onWritabilityChanged}. */
  protected void writability(Connection connection, boolean writable) {}

  /** Called in {@code onClosed}. */
  protected void closed(Connection connection, @Nullable Throwable cause) {}

  @Override
  public final void onOpen(Connection connection) {
    enter("onOpen");
    try {
      check(!open.isDone(), "onOpen called twice");
      opened(connection);
    } finally {
      leave();
      open.complete(connection);
    }
  }

  @Override
  public final void onFrame(Connection connection, InboundFrame frame) {
    enter("onFrame");
    byte[] content = new byte[frame.buffer().remaining()];
    frame.buffer().get(content);
    frame.release();
    frameCount.incrementAndGet();
    try {
      received(connection, content);
    } finally {
      leave();
      // Last, so that a test that has seen the frame also sees what the callback did.
      frames.add(content);
    }
  }

  @Override
  public final void onWritabilityChanged(Connection connection, boolean writable) {
    enter("onWritabilityChanged");
    try {
      boolean before = writabilities.isEmpty() || writabilities.get(writabilities.size() - 1);
      check(before != writable, "writability reported as " + writable + " twice");
      writabilities.add(writable);
      writability(connection, writable);
    } finally {
      leave();
    }
  }

  @Override
  public final void onClosed(Connection connection, @Nullable Throwable cause) {
    enter("onClosed");
    try {
      check(!closed.isDone(), "onClosed called twice");
      closed(connection, cause);
    } finally {
      leave();
      closed.complete(new ClosedEvent(cause));
    }
  }

  /** Waits for {@code onOpen} and returns its connection. */
  public final Connection awaitOpen() {
    return await(open, "onOpen");
  }

  /** Waits for the next frame and returns its content. */
  public final byte[] awaitFrame() {
    try {
      byte[] content = frames.poll(WAIT_SECONDS, TimeUnit.SECONDS);
      assertThat(content)
          .as(
              "frame within %d s after %d frames; ended: %s",
              WAIT_SECONDS, frameCount(), isClosed())
          .isNotNull();
      return content;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for a frame", e);
    }
  }

  /** Waits for so many frames and returns their contents in order. */
  public final List<byte[]> awaitFrames(int count) {
    List<byte[]> contents = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      contents.add(awaitFrame());
    }
    return contents;
  }

  /**
   * Waits for {@code onClosed}.
   *
   * @return its cause
   */
  public final @Nullable Throwable awaitClosed() {
    return await(closed, "onClosed").cause();
  }

  /** Whether {@code onClosed} has been called. */
  public final boolean isClosed() {
    return closed.isDone();
  }

  /** Whether {@code onOpen} has been called. */
  public final boolean isOpened() {
    return open.isDone();
  }

  /** Frames received so far, taken by a test or not. */
  public final int frameCount() {
    return frameCount.get();
  }

  /** The writability changes so far. */
  public final List<Boolean> writabilities() {
    return List.copyOf(writabilities);
  }

  /** The thread of the last callback, or null before the first. */
  public final @Nullable Thread callbackThread() {
    return callbackThread;
  }

  /** Whether a callback is under way. */
  public final boolean isInCallback() {
    return inCallback.get();
  }

  /** Fails where a callback rule has been broken. */
  public final void assertRulesKept() {
    assertThat(violations).as("broken callback rules").isEmpty();
  }

  private void enter(String callback) {
    check(inCallback.compareAndSet(false, true), callback + " called inside another callback");
    check(callback.equals("onOpen") || open.isDone(), callback + " called before onOpen");
    check(!closed.isDone(), callback + " called after onClosed");
    callbackThread = Thread.currentThread();
  }

  private void leave() {
    inCallback.set(false);
  }

  private void check(boolean kept, String violation) {
    if (!kept) {
      violations.add(violation);
    }
  }

  private static <T> T await(CompletableFuture<T> future, String what) {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no " + what + " within " + WAIT_SECONDS + " s", e);
    } catch (ExecutionException | InterruptedException e) {
      throw new AssertionError("no " + what, e);
    }
  }
}
