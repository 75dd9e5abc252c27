package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SM-14 through a broker, with real processes of another user. */
final class OtherUsersTest {

  /** A group that needs no name, and that this process is not a member of. */
  private static final int GROUP = 54_322;

  @TempDir private Path folder;

  @BeforeEach
  void othersReachTheFolder() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
  }

  private Path scratch(String name) throws Exception {
    return Files.createDirectory(folder.resolve(name));
  }

  @Test
  void sm14_aMemberOfTheGroupIsServed_butTheBrokersFilesAreNotOpenToIt() throws Exception {
    assumeOtherUsers();
    Path shared = folder.resolve("e p");
    try (Broker broker = start(shared, Map.of("shm.group", Integer.toString(GROUP)))) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());

      assertThat(OtherUser.run(scratch("1"), GROUP, "use", shared.toString(), "" + GROUP))
          .isEqualTo("record 0 came back in %d bytes".formatted(61 + 6 + 15 + 1));
      assertThat(OtherUser.run(scratch("2"), GROUP, "read", shared.toString(), "" + GROUP))
          .startsWith("refused: ");
      assertThat(OtherUser.run(scratch("3"), OtherUser.ID, "use", shared.toString(), "" + GROUP))
          .startsWith("refused: ")
          .contains("Permission denied", "as user " + OtherUser.ID, "group " + GROUP);

      try (RawClient remote = RawClient.connect(broker.boundPort())) {
        assertThat(TestBroker.values(TestBroker.fetchOne(remote, TestBroker.fetch("t", 0, 0))))
            .containsExactly("of another user");
      }
    }
  }

  @Test
  void sm14_withoutAGroupNobodyElseGetsIn() throws Exception {
    assumeOtherUsers();
    Path shared = folder.resolve("e p");
    try (Broker broker = start(shared, Map.of())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());

      assertThat(OtherUser.run(scratch("1"), 0, "use", shared.toString(), "" + GROUP))
          .as("not by the broker's first group either")
          .startsWith("refused: ")
          .contains("Permission denied", "as user " + OtherUser.ID);
    }
  }

  /** The system refuses nothing to an administrator, who therefore has another user try. */
  @Test
  void sm14_saysSoWhereARuntimeFoldersParentIsClosedToItsUser() throws Exception {
    Path parent = Files.createDirectory(folder.resolve("closed"));
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("r-xr-xr-x"));
    Path wanted = parent.resolve("weirmq");
    boolean other = Files.isWritable(parent);
    if (other) {
      assumeOtherUsers();
    }

    assertThat(
            other
                ? OtherUser.run(scratch("1"), OtherUser.ID, "make", wanted.toString())
                : OtherUser.make(wanted))
        .isEqualTo(
            "refused: %s can't be made as user %s: access denied"
                .formatted(
                    wanted,
                    other ? OtherUser.ID : Files.getAttribute(Path.of("/proc/self"), "unix:uid")));
  }

  private Broker start(Path shared, Map<String, String> configs) throws Exception {
    return TestBroker.in(folder.resolve("data"))
        .set("listeners", "PLAINTEXT://127.0.0.1:0,SHM://" + shared)
        .set(configs)
        .start();
  }

  private static void assumeOtherUsers() throws Exception {
    assumeTrue(
        OtherUser.canBeStarted(),
        "only an administrator, with the command setpriv, can start processes of other users");
  }
}
