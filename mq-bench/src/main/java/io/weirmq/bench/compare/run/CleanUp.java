package io.weirmq.bench.compare.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Processes and folders that must not outlive the driver. Safe for use by several threads: a
 * shutdown hook ends what the driver's own thread had no time to end.
 */
public final class CleanUp implements AutoCloseable {

  private static final long END_SECONDS = 5;

  private final Set<Process> processes = ConcurrentHashMap.newKeySet();
  private final Set<Path> folders = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Lets the JVM do this at its end, also when it is interrupted. */
  public void atShutdown() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::endAll, "clean-up"));
  }

  private void endAll() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("left behind: " + e.getMessage());
    }
  }

  /**
   * Takes care of a process from now on.
   *
   * @throws IOException where everything has been ended already; the process is killed then
   */
  void add(Process process) throws IOException {
    processes.add(process);
    // Set before the hook looks at the processes: either it sees this one, or we see that it is
    // over.
    if (closed) {
      process.destroyForcibly();
      throw over();
    }
  }

  private static IOException over() {
    return new IOException("the comparison has been ended");
  }

  /** Kills a process and waits until it is gone, a few seconds at most. */
  void end(Process process) throws IOException {
    process.destroyForcibly();
    boolean interrupted = Thread.interrupted();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("process " + process.pid() + " can't be killed");
      }
      processes.remove(process);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Makes a folder below a parent, readable by its owner only. */
  Path folder(Path parent) throws IOException {
    Path folder = Files.createTempDirectory(Files.createDirectories(parent), "weirmq-compare");
    folders.add(folder);
    if (closed) {
      remove(folder);
      throw over();
    }
    return folder;
  }

  /** Removes a folder of {@link #folder}; what another thread has just removed is fine. */
  void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      Files.walkFileTree(folder, new Removal());
    }
    folders.remove(folder);
  }

  /** Removes files, then the folders that held them. Stateless. */
  private static final class Removal extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      if (failure != null && !(failure instanceof NoSuchFileException)) {
        throw failure;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }

  /** Ends all processes, then removes all folders. */
  @Override
  public void close() throws IOException {
    closed = true;
    IOException first = null;
    for (Process process : processes) {
      process.destroyForcibly();
    }
    for (Process process : processes) {
      first = attempt(() -> end(process), first);
    }
    for (Path folder : folders) {
      first = attempt(() -> remove(folder), first);
    }
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable IOException attempt(Step step, @Nullable IOException earlier) {
    try {
      step.run();
      return earlier;
    } catch (IOException e) {
      if (earlier == null) {
        return e;
      }
      earlier.addSuppressed(e);
      return earlier;
    }
  }

  /** A step of the clean-up. */
  private interface Step {
    void run() throws IOException;
  }
}
