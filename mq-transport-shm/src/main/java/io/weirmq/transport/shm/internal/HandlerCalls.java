package io.weirmq.transport.shm.internal;

import io.weirmq.transport.BorrowingHandler;
import io.weirmq.transport.ConnectionHandler;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of a connection's handler. An exception out of any of them cuts the connection.
 *
 * <p>Where the peer of <i>another</i> connection has cut the file of its memory, the JVM reports
 * the fault some time later, in whatever code. So it is asked before the handler is called, once
 * per turn for frames and each time for what is rare, and handlers do not meet what happened in
 * turns before theirs. What remains is memory that the handler itself touches: it sends through
 * another connection whose file is cut at that moment. Where the error then ends the callback in
 * the middle, nobody knows what that has done of its frame. To go on would lose the frame in part,
 * to call again would repeat it in part; so this connection is cut too, as for any exception, and
 * its peer knows.
 *
 * <p>Confined to the connection's loop.
 */
final class HandlerCalls {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

  private final ShmConnection connection;
  private final ConnectionHandler.Factory handlers;
  private @Nullable ConnectionHandler handler;
  private @Nullable BorrowingHandler borrower;
  private boolean reportedWritable = true;

  HandlerCalls(ShmConnection connection, ConnectionHandler.Factory handlers) {
    this.connection = connection;
    this.handlers = handlers;
  }

  /**
   * Makes the handler and tells it of the connection.
   *
   * @return whether it has taken that without an exception
   */
  boolean open() {
    connection.takeForeignFaults();
    try {
      ConnectionHandler created = handlers.create(connection);
      handler = created;
      borrower = created instanceof BorrowingHandler each ? each : null;
      created.onOpen(connection);
      return true;
    } catch (Throwable e) {
      failed("onOpen", e);
      return false;
    }
  }

  /** Whether the handler takes frames that it only borrows. */
  boolean borrows() {
    return borrower != null;
  }

  /** Lends a frame to a handler that {@link #borrows}. */
  void lend(ByteBuffer content) {
    BorrowingHandler target = borrower;
    if (target == null || !connection.isOpen()) {
      return;
    }
    try {
      target.onContent(connection, content);
    } catch (Throwable e) {
      failed("onContent", e);
    }
  }

  /** Hands a frame over, or releases it where nobody wants it any more. */
  void deliver(ShmInboundFrame frame) {
    ConnectionHandler target = handler;
    if (target == null || !connection.isOpen()) {
      frame.release();
      return;
    }
    try {
      target.onFrame(connection, frame);
    } catch (Throwable e) {
      failed("onFrame", e);
    }
  }

  /** Tells that the watermark was passed, where that is still so. */
  void reportUnwritable() {
    if (reportedWritable && !connection.isWritable()) {
      report(false);
    }
  }

  /** Tells that sending may go on, and before that, where still unsaid, why it had to wait. */
  void reportWritable() {
    if (reportedWritable) {
      report(false);
    }
    report(true);
  }

  private void report(boolean nowWritable) {
    connection.takeForeignFaults();
    reportedWritable = nowWritable;
    ConnectionHandler target = handler;
    if (target == null || !connection.isOpen()) {
      return;
    }
    try {
      target.onWritabilityChanged(connection, nowWritable);
    } catch (Throwable e) {
      failed("onWritabilityChanged", e);
    }
  }

  /** Runs a task of the program in the place of a callback. */
  void run(Runnable task) {
    connection.takeForeignFaults();
    try {
      task.run();
    } catch (Throwable e) {
      failed("task", e);
    }
  }

  /** Tells of the end; what this throws is the caller's. */
  void closed(@Nullable Throwable cause) {
    connection.takeForeignFaults();
    ConnectionHandler target = handler;
    if (target != null) {
      target.onClosed(connection, cause);
    }
  }

  private void failed(String callback, Throwable cause) {
    LOG.warn(
        "{} failed, connection is cut, peer={}, endpoint={}",
        callback,
        connection.peer(),
        connection.endpoint(),
        cause);
    if (cause instanceof InternalError failure) {
      connection.interrupted(callback, failure);
    } else {
      connection.abort(cause);
    }
  }
}
