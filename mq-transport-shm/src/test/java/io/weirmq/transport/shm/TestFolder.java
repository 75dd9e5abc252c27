package io.weirmq.transport.shm;

import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Folders to listen in, each of its own. They go with the JVM. Safe for use by several threads. */
public final class TestFolder {

  private static final Queue<Path> MADE = new ConcurrentLinkedQueue<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(TestFolder::deleteAll, "test-folders"));
  }

  private TestFolder() {}

  /** Returns a folder that does not exist yet, below one that does. */
  public static Path fresh() {
    return existing().resolve("e p"); // a blank, as SM-14 asks
  }

  /** Returns an empty folder of this user, closed to others. */
  public static Path existing() {
    try {
      Path made = Files.createTempDirectory("shm");
      MADE.add(made);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteAll() {
    for (Path folder : MADE) {
      try {
        delete(folder);
      } catch (IOException | UncheckedIOException e) {
        // No test can fail any more; whoever looks for what is left finds the reason here.
        System.err.println("a test's folder stays: " + folder);
        e.printStackTrace();
      }
    }
  }

  /** Links are removed, not followed. */
  private static void delete(Path folder) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> tree = Files.walk(folder)) {
      deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException e) {
      return; // a test has tidied up
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }

  /** Returns the endpoint of a folder. */
  public static Endpoint endpoint(Path folder) {
    return Endpoint.ofPath("shm", folder.toString());
  }

  /** Returns the names of the files in a folder, sorted. */
  public static List<String> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
