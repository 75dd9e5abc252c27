package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * SM-13: two processes clean a folder up and open it at the same time. A few rounds in the build;
 * {@code -Dshm.rounds=1000} makes it as many as the case asks for.
 */
final class TakeTogetherTest {

  private static final int ROUNDS = Integer.getInteger("shm.rounds", 20);

  private static final int DEAD_RINGS = 20;

  private final Path folder = TestFolder.fresh();

  /** What a killed listener leaves behind. */
  private void leaveBehind() throws IOException {
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
    }
    for (int i = 0; i < DEAD_RINGS; i++) {
      Files.write(folder.resolve("ring-%016x".formatted(i)), new byte[4096]);
    }
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES) // a thousand rounds take some of them
  void sm13_bothGetItOneAfterTheOther() throws Exception {
    try (ChildProcess one = ChildProcess.takeInRounds(folder);
        ChildProcess other = ChildProcess.takeInRounds(folder)) {
      one.awaitBegun();
      other.awaitBegun();
      for (int round = 0; round < ROUNDS; round++) {
        if (round > 0) {
          leaveBehind(); // in the first round the folder itself is made by both
        }

        one.tell();
        other.tell();

        String used = "took it, 100 bytes came back";
        assertThat(one.awaitLine()).as("round %d", round).isEqualTo(used);
        assertThat(other.awaitLine()).as("round %d", round).isEqualTo(used);
        assertThat(TestFolder.files(folder)).as("round %d", round).isEmpty();
      }
    }
  }
}
