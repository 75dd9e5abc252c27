package io.weirmq.transport.shm.internal;

import static org.awaitility.Awaitility.await;

import io.weirmq.testkit.transport.RecordingHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * What this process holds that belongs to a folder, as the kernel tells; Linux only.
 *
 * @param files open files and sockets
 * @param mappings mappings of its files, of those without a name too
 */
record ProcessResources(long files, long mappings) {

  static ProcessResources count(Path folder) {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"));
        Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      return new ProcessResources(
          files.filter(file -> isOfInterest(file, folder)).count(),
          mappings.filter(line -> line.contains(folder.toString())).count());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOfInterest(Path file, Path folder) {
    try {
      String target = Files.readSymbolicLink(file).toString();
      return target.startsWith("socket:")
          || target.startsWith("anon_inode:")
          || target.startsWith(folder.toString());
    } catch (IOException e) {
      return false; // closed meanwhile, as the one that lists the folder itself
    }
  }

  /** Waits until no more is held than this, with the collector's help for the mappings. */
  @SuppressWarnings("CollectionUndefinedEquality")
  void awaitAgain(Path folder) {
    await("%s again".formatted(this))
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              System.gc();
              return count(folder).equals(this);
            });
  }
}
