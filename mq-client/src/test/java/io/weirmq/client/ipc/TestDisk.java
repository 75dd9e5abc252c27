package io.weirmq.client.ipc;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The machine's files, where the segments of one partition can be full, and can be slow to be
 * forced.
 */
final class TestDisk {

  private static final CountDownLatch OPEN = new CountDownLatch(0);

  private final NioLogFileSystem files = new NioLogFileSystem();
  private final String folder;
  private final Semaphore forces = new Semaphore(0);
  private volatile boolean full;
  private volatile CountDownLatch hold = OPEN;

  /**
   * Makes it.
   *
   * @param folder name of the partition's folder
   */
  TestDisk(String folder) {
    this.folder = folder;
  }

  /** Takes no byte more from now on, or takes all again. */
  void full(boolean isFull) {
    full = isFull;
  }

  /** Lets forces wait until the result is counted down. */
  CountDownLatch holdForces() {
    CountDownLatch release = new CountDownLatch(1);
    hold = release;
    return release;
  }

  /** Waits until a force has begun that has not been counted. */
  void awaitForce() throws InterruptedException {
    if (!forces.tryAcquire(30, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing is forced");
    }
  }

  LogFileSystem files() {
    return proxy(
        LogFileSystem.class,
        files,
        (method, result) ->
            result instanceof LogFile file && isSegment(file.path())
                ? proxy(LogFile.class, file, (name, value) -> value)
                : result);
  }

  private boolean isSegment(Path file) {
    Path parent = file.getParent();
    return parent != null && parent.endsWith(folder) && file.toString().endsWith(".log");
  }

  private interface Outcome {
    @Nullable Object of(String method, @Nullable Object result);
  }

  private <T> T proxy(Class<T> type, T target, Outcome outcome) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              before(method);
              try {
                return outcome.of(method.getName(), method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            }));
  }

  private void before(Method method) throws IOException, InterruptedException {
    if (method.getName().startsWith("write") && full) {
      throw new IOException("No space left on device");
    }
    if (method.getName().equals("force")) {
      forces.release();
      hold.await();
    }
  }
}
