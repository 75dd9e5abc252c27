package io.weirmq.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SM-14 with real processes of another user. */
final class GroupAccessTest {

  /** A group that needs no name, and that this process is not a member of. */
  private static final int GROUP = 54_322;

  private static final int NO_GROUP = 0;

  private final Path folder = TestFolder.fresh();

  @BeforeEach
  void othersReachTheFolder() throws Exception {
    assumeTrue(
        OtherUser.canBeStarted(),
        "only an administrator, with the command setpriv, can start processes of other users");
    Files.setPosixFilePermissions(folder.getParent(), PosixFilePermissions.fromString("rwx--x--x"));
  }

  @Test
  void sm14_byDefaultAnotherUserIsRefused() throws Exception {
    try (Transport transport = open(ShmOptions.defaults());
        Listener listener = listen(transport);
        OtherUser other = OtherUser.start(GROUP, NO_GROUP, "connect", folder, "")) {
      assertThat(other.awaitLine())
          .contains("refused, ", "cannot connect to " + TestFolder.endpoint(folder))
          .contains("Permission denied")
          .contains("as user " + OtherUser.ID)
          .contains("folder " + folder + " belongs to user " + ownUser())
          .contains("with mode rwx------");
      assertThat(listener.counters().accepted()).isZero();
    }
  }

  @Test
  void sm14_membersOfTheGroupAreAdmittedByAnyOfTheirGroups() throws Exception {
    try (Transport transport = open(withGroup());
        Listener listener = listen(transport)) {
      assertThat(modeAndGroup(folder)).isEqualTo("rwx--x--- " + GROUP);
      assertThat(modeAndGroup(folder.resolve("socket"))).isEqualTo("rw-rw---- " + GROUP);
      assertThat(modeAndGroup(folder.resolve("lock"))).startsWith("rw------- ");
      try (OtherUser byFirst =
          OtherUser.start(GROUP, NO_GROUP, "connect", folder, Integer.toString(GROUP))) {
        assertThat(byFirst.awaitLine()).isEqualTo("admitted, 300000 bytes came back");
      }
      try (OtherUser byFurther =
          OtherUser.start(OtherUser.ID, GROUP, "connect", folder, Integer.toString(GROUP))) {
        assertThat(byFurther.awaitLine()).isEqualTo("admitted, 300000 bytes came back");
      }
      assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
      assertThat(listener.counters().accepted()).isEqualTo(2);
    }
  }

  @Test
  void sm14_whoIsNotInTheGroupIsRefused() throws Exception {
    try (Transport transport = open(withGroup());
        Listener listener = listen(transport);
        OtherUser other =
            OtherUser.start(OtherUser.ID, NO_GROUP, "connect", folder, Integer.toString(GROUP))) {
      assertThat(other.awaitLine())
          .contains("refused, ", "cannot connect to " + TestFolder.endpoint(folder))
          .contains("Permission denied")
          .contains("as user " + OtherUser.ID)
          .contains("group " + GROUP + ", with mode rwx--x---");
      assertThat(listener.counters().accepted()).isZero();
    }
  }

  @Test
  void sm14_aListenerOfAnotherUserIsBelievedOnlyWhereItsFolderIsTheGroups() throws Exception {
    Files.setPosixFilePermissions(folder.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
    try (OtherUser other =
            OtherUser.start(OtherUser.ID, GROUP, "listen", folder, Integer.toString(GROUP));
        Transport member = open(withGroup());
        Transport outsider = open(ShmOptions.defaults())) {
      assertThat(other.awaitLine()).isEqualTo("listens");

      RecordingHandler handler = new RecordingHandler();
      Connection connection = connect(member, handler);
      connection.send(OutboundFrame.of(ByteBuffer.allocate(1_000)));
      connection.flush();
      assertThat(handler.awaitFrame()).hasSize(1_000);
      assertThatThrownBy(() -> connect(outsider, new RecordingHandler()))
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessageContaining(
              "the other side runs as user %d; only %s is admitted"
                  .formatted(OtherUser.ID, ownUser()))
          .hasMessageContaining(folder.toString());

      // Whoever can write to the folder could have put the socket there.
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx-wx---"));
      assertThatThrownBy(() -> connect(member, new RecordingHandler()))
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the listener runs as user " + OtherUser.ID)
          .hasMessageContaining("with mode rwx-wx---; expected that user, group " + GROUP);
    }
  }

  private static ShmOptions withGroup() {
    return ShmOptions.defaults().withGroup(Integer.toString(GROUP));
  }

  private static Transport open(ShmOptions options) {
    return new ShmTransportProvider(options).open(TransportOptions.defaults());
  }

  private Listener listen(Transport transport) throws IOException {
    return transport.listen(
        TestFolder.endpoint(folder),
        made ->
            new RecordingHandler() {
              @Override
              protected void received(Connection connection, byte[] content) {
                connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                connection.flush();
              }
            });
  }

  private Connection connect(Transport transport, RecordingHandler handler) throws Exception {
    return transport
        .connect(TestFolder.endpoint(folder), handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private static String modeAndGroup(Path path) throws IOException {
    PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
    return PosixFilePermissions.toString(found.permissions()) + " " + found.group().getName();
  }

  private String ownUser() throws IOException {
    return Files.getOwner(folder.getParent()).getName();
  }
}
