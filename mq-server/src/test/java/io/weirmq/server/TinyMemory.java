package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A file system in memory of 1 MiB, which only an administrator can mount. */
record TinyMemory(Path path) implements AutoCloseable {

  static TinyMemory mount(Path parent) throws IOException {
    Path path = Files.createDirectory(parent.resolve("tiny"));
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", path.toString()),
        "only an administrator can mount");
    return new TinyMemory(path);
  }

  @Override
  public void close() {
    // Lazy, as mappings stay until the collector finds them.
    assertThat(succeeds("umount", "--lazy", path.toString())).as("umount").isTrue();
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
