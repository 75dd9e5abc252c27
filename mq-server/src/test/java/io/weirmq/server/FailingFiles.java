package io.weirmq.server;

import io.weirmq.storage.io.FilterLogFileSystem;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The system's files, where opening, or renaming to, certain names can be made to fail. */
final class FailingFiles extends FilterLogFileSystem {

  private volatile @Nullable Predicate<String> failing;
  private volatile @Nullable Predicate<String> blocking;
  private volatile @Nullable CountDownLatch release;
  private volatile @Nullable Error error;
  private volatile @Nullable String failedOn;

  FailingFiles() {
    super(new NioLogFileSystem());
  }

  /** From now on an error comes out of operations on files of certain names. */
  void failOn(Predicate<String> fileName, Error newError) {
    error = newError;
    failing = fileName;
  }

  /** From now on operations on files of certain names wait. */
  void blockOn(Predicate<String> fileName, CountDownLatch newRelease) {
    release = newRelease;
    blocking = fileName;
  }

  /** The thread on which the first failure happened, or null. */
  @Nullable String failedOn() {
    return failedOn;
  }

  private void check(Path path) {
    await(path);
    Predicate<String> names = failing;
    Error thrown = error;
    Path name = path.getFileName();
    if (names != null && thrown != null && name != null && names.test(name.toString())) {
      if (failedOn == null) {
        failedOn = Thread.currentThread().getName();
      }
      throw thrown;
    }
  }

  private void await(Path path) {
    Predicate<String> names = blocking;
    CountDownLatch latch = release;
    if (names != null && latch != null && names.test(path.toString())) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    check(file);
    return super.open(file, mode);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    check(to);
    super.rename(from, to);
  }
}
