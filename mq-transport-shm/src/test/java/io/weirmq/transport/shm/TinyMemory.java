package io.weirmq.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A file system in memory of 1 MiB, which only an administrator can mount. Stateless. */
public final class TinyMemory {

  /** What fills it, in bytes, whatever is in it. */
  public static final int BALLAST_BYTES = 1024 * 1024;

  /** What is done on it. */
  public interface Body {
    /** Does it in a folder that is all of the file system. */
    void run(Path path) throws Exception;
  }

  private TinyMemory() {}

  /** Runs something on a new one; skips the test where none can be mounted. */
  public static void run(Body body) throws Exception {
    Path mount = TestFolder.existing();
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", mount.toString()),
        "only an administrator can mount");
    try {
      body.run(mount);
    } finally {
      // Lazy, as mappings stay until the collector finds them.
      assertThat(succeeds("umount", "--lazy", mount.toString())).as("umount").isTrue();
    }
  }

  /** Whether there is such a command, and it ends without a failure. */
  public static boolean succeeds(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command here
    }
  }
}
