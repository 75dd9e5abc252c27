package io.weirmq.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class FileFailureTest {

  private static final Path PATH = Path.of("/run/user/1000/weirmq");

  @Test
  void sm14_namesWhatFailedThePathTheUserAndTheReason() {
    assertThat(message(new AccessDeniedException(PATH.toString())))
        .isEqualTo("/run/user/1000/weirmq can't be made as user 1001: access denied");
    assertThat(message(new NoSuchFileException(PATH.toString())))
        .isEqualTo("/run/user/1000/weirmq can't be made as user 1001: no such file or folder");
    assertThat(message(new FileSystemException(PATH.toString(), null, "Read-only file system")))
        .isEqualTo("/run/user/1000/weirmq can't be made as user 1001: Read-only file system");
    assertThat(message(new FileSystemLoopException(PATH.toString())))
        .isEqualTo("/run/user/1000/weirmq can't be made as user 1001: FileSystemLoopException");
  }

  @Test
  void namesAnotherPathThatTheSystemRefused() {
    assertThat(message(new AccessDeniedException("/run/user/1000/weirmq.new")))
        .endsWith(" as user 1001: /run/user/1000/weirmq.new: access denied");
  }

  @Test
  void hasAReasonForAllOthers() {
    assertThat(message(new IOException("disk on fire"))).endsWith(" as user 1001: disk on fire");
    assertThat(message(new IOException())).endsWith(" as user 1001: java.io.IOException");
  }

  private static String message(IOException cause) {
    IOException failure = FileFailure.of(PATH, "can't be made", 1001, cause);
    assertThat(failure).hasCause(cause);
    return Objects.requireNonNull(failure.getMessage());
  }
}
