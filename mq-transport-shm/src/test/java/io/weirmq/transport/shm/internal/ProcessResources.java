package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.testkit.transport.RecordingHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    String target = target(file);
    return target.startsWith("socket:")
        || target.startsWith("anon_inode:")
        || target.startsWith(folder.toString());
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile, as the one that lists the folder itself
    }
  }

  /** What is open, for messages. */
  private static List<String> open(Path folder) {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files
          .filter(file -> isOfInterest(file, folder))
          .map(ProcessResources::target)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until no more is held than this, with the collector's help for the mappings. */
  void awaitAgain(Path folder) {
    await("release of what was held")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              System.gc();
              ProcessResources now = count(folder);
              // Not equal: a socket that was just closed may have been in the first count.
              assertThat(now.files()).as("open files: %s", open(folder)).isLessThanOrEqualTo(files);
              assertThat(now.mappings()).as("mappings").isEqualTo(mappings);
            });
  }
}
