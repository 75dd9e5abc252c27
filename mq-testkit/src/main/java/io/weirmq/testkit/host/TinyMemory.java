package io.weirmq.testkit.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system in memory of 1 MiB, which only an administrator can mount. Immutable.
 *
 * @param path where it is mounted
 */
public record TinyMemory(Path path) implements AutoCloseable {

  /**
   * Mounts one in a new folder below another; aborts the test where that is not allowed.
   *
   * @throws IOException where the folder can't be made
   */
  public static TinyMemory mount(Path parent) throws IOException {
    Path path = Files.createDirectory(parent.resolve("tiny"));
    Assumptions.assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", path.toString()),
        "only an administrator can mount");
    return new TinyMemory(path);
  }

  @Override
  public void close() {
    // Lazy, as mappings stay until the collector finds them.
    Assertions.assertTrue(succeeds("umount", "--lazy", path.toString()), "umount");
  }

  private static boolean succeeds(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command here
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
