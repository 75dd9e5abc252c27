package io.weirmq.server.internal.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds out as whom this process runs. Stateless. */
final class OwnUser {

  /** On Linux its owner is the user whose rights the process has now. */
  private static final Path PROCESS = Path.of("/proc/self");

  private OwnUser() {}

  /** Returns the user's name as the system tells it of peers; empty where it does not. */
  static Optional<String> find() {
    try {
      return Files.exists(PROCESS)
          ? Optional.of(Files.getOwner(PROCESS).getName())
          : Optional.empty();
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }
}
