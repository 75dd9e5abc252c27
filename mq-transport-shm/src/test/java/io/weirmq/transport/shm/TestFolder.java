package io.weirmq.transport.shm;

import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Folders to listen in, each of its own. */
public final class TestFolder {

  private TestFolder() {}

  /** Returns a folder that does not exist yet, below one that does. */
  public static Path fresh() {
    try {
      return Files.createTempDirectory("shm").resolve("e p"); // a blank, as SM-14 asks
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
