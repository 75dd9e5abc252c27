package io.weirmq.storage.check;

import java.nio.file.Path;

/**
 * Something wrong in a file. Immutable.
 *
 * @param file the file
 * @param position byte position in the file
 * @param problem what is wrong: expected and found
 */
public record Finding(Path file, long position, String problem) {

  @Override
  public String toString() {
    return "%s at position %d: %s".formatted(file, position, problem);
  }
}
