package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/** Finds the user that this process runs as, in the form that file owners and peers have. */
public final class OwnUser {

  /** On Linux its owner is the user whose rights the process has now. */
  private static final Path PROCESS = Path.of("/proc/self");

  private OwnUser() {}

  /**
   * Returns the user.
   *
   * @throws IOException where the system does not tell and no temporary file can be made
   */
  public static UserPrincipal find() throws IOException {
    if (Files.exists(PROCESS)) {
      return Files.getOwner(PROCESS);
    }
    Path probe = Files.createTempFile("weirmq", ".owner");
    try {
      return Files.getOwner(probe);
    } finally {
      Files.delete(probe);
    }
  }
}
