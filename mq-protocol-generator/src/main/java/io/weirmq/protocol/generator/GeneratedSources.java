package io.weirmq.protocol.generator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of generated sources. A file is written only where its content changes, and files that
 * are generated no more are deleted, so that a compiler sees changes where there are some.
 *
 * <p>Confined to one thread.
 */
final class GeneratedSources {

  private final Path root;
  private final Set<Path> current = new HashSet<>();
  private int writtenCount;

  GeneratedSources(Path root) {
    this.root = root;
  }

  /** Puts a class into the folder. */
  void put(String packageName, String className, String source) throws IOException {
    Path file = root.resolve(packageName.replace('.', '/')).resolve(className + ".java");
    current.add(file);
    byte[] content = source.getBytes(StandardCharsets.UTF_8);
    if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), content)) {
      return;
    }
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    writtenCount++;
  }

  /** Deletes the sources that were not put since this object was made. */
  void deleteOthers() throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    List<Path> stale;
    try (Stream<Path> files = Files.walk(root)) {
      stale =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !current.contains(file))
              .toList();
    }
    for (Path file : stale) {
      Files.delete(file);
    }
  }

  /** How many files were new or changed. */
  int writtenCount() {
    return writtenCount;
  }
}
