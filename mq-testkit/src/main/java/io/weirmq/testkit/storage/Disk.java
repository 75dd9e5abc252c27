package io.weirmq.testkit.storage;

import java.io.IOException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * What all files of a file system share: the lock, the power, faults, space and counts. Safe for
 * use by several threads; operations are done one at a time.
 */
final class Disk {

  /** The operation itself, done under the disk's lock; returns what is to be handed on. */
  @FunctionalInterface
  interface Work {

    long run() throws IOException;
  }

  /** As {@link Work}, for a write that may have to stop early. */
  @FunctionalInterface
  interface WriteWork {

    long run(int bytesAllowed) throws IOException;
  }

  private final InstantSource clock;
  private final Faults faults = new Faults();
  private final FileCounts counts = new FileCounts();
  private final Space space = new Space();
  private int openFiles;

  Disk(InstantSource clock) {
    this.clock = clock;
  }

  InstantSource clock() {
    return clock;
  }

  long nowMs() {
    return clock.millis();
  }

  Faults faults() {
    return faults;
  }

  FileCounts counts() {
    return counts;
  }

  Space space() {
    return space;
  }

  /** Does an operation, unless it is to fail. */
  long run(FileOperation operation, Work work) throws IOException {
    faults.awaitGates(operation);
    synchronized (this) {
      Faults.Failure failure = faults.begin(operation);
      if (failure != null) {
        throw failure.thrown();
      }
      long result = work.run();
      counts.add(operation, 0);
      return result;
    }
  }

  long read(FileOperation operation, Work work) throws IOException {
    faults.awaitGates(operation);
    synchronized (this) {
      Faults.Failure failure = faults.begin(operation);
      if (failure != null) {
        throw failure.thrown();
      }
      long result = work.run();
      counts.add(operation, Math.max(0, result));
      return result;
    }
  }

  long write(FileOperation operation, WriteWork work) throws IOException {
    faults.awaitGates(operation);
    synchronized (this) {
      Faults.Failure failure = faults.begin(operation);
      if (failure != null) {
        if (failure.bytesBefore() > 0) {
          work.run((int) Math.min(Integer.MAX_VALUE, failure.bytesBefore()));
        }
        throw failure.thrown();
      }
      long result = work.run(Integer.MAX_VALUE);
      counts.add(operation, result);
      if (result == 0) {
        throw new IOException("No space left on device: " + operation);
      }
      return result;
    }
  }

  /** Forces a file; where that fails, what it should have covered is in doubt. */
  void force(FileOperation operation, FileNode node, Work work) throws IOException {
    faults.awaitGates(operation);
    synchronized (this) {
      Faults.Failure failure = faults.begin(operation);
      if (failure != null) {
        node.failForce();
        throw failure.thrown();
      }
      work.run();
      counts.add(operation, 0);
    }
  }

  int fitting(FileNode node, int position, int count) {
    return space.fitting(node.seen().length(), position, count);
  }

  /** Changes the length of a file, perhaps. */
  void change(FileNode node, Runnable change) {
    int before = node.seen().length();
    change.run();
    space.take(node.seen().length() - before);
  }

  synchronized void opened(FileNode node) {
    node.opened();
    openFiles++;
  }

  synchronized void closed(FileNode node) {
    node.closed();
    openFiles--;
    releaseIfDead(node);
  }

  /** Notes that a file has lost its name. */
  void unlinked(@Nullable Node node) {
    if (node instanceof FileNode file) {
      file.unlinked();
      releaseIfDead(file);
    }
  }

  private void releaseIfDead(FileNode node) {
    if (!node.isAlive()) {
      space.take(-node.seen().length());
    }
  }

  synchronized int openFiles() {
    return openFiles;
  }
}
