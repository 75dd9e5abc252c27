package io.weirmq.server.internal.broker;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What was opened, to be closed in reverse order. Confined to one thread at a time (the one that
 * starts or closes the broker).
 */
public final class OpenParts implements AutoCloseable {

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Makes an empty stack. */
  public OpenParts() {}

  /** Takes a part over, to be closed before those that were added before. */
  public <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /**
   * Closes all parts, the last one first; a failure does not keep the others from being closed.
   *
   * @throws IOException where one of them failed: the first failure or one that has it as its
   *     cause, with the others suppressed in it
   */
  @Override
  public void close() throws IOException {
    Throwable first = closeAll();
    if (first instanceof IOException failure) {
      throw failure;
    } else if (first != null) {
      throw new IOException("not closed in good order: " + first, first);
    }
  }

  /** Closes all parts after a failure, which takes further ones as suppressed. */
  public void closeAfter(Throwable failure) {
    Throwable first = closeAll();
    if (first != null && first != failure) {
      failure.addSuppressed(first);
    }
  }

  private @Nullable Throwable closeAll() {
    Throwable first = null;
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception | Error e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }
}
