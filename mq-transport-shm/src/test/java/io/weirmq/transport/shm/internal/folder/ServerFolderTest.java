package io.weirmq.transport.shm.internal.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ServerFolderTest {

  private static final RingSizes SIZES = new RingSizes(4096, 8192);

  private static ServerFolder open(Path path) throws IOException {
    return ServerFolder.open(path, FolderAccess.ownerOnly(OwnUser.find()), new Random(1));
  }

  /** Closes a folder as the acceptor does. */
  private static void close(ServerFolder folder) throws IOException {
    folder.server().close();
    folder.close();
  }

  /** What a killed listener leaves behind: everything but the lock. */
  private static void leaveBehind(Path path, String... names) throws IOException {
    Files.createDirectory(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(FolderNames.socket(path));
    }
    for (String name : names) {
      Files.write(path.resolve(name), new byte[100]);
    }
  }

  @Test
  void sm03_removesWhatADeadListenerHasLeft() throws Exception {
    Path path = TestFolder.fresh();
    leaveBehind(path, "lock", "ring-0123456789abcdef", "of-somebody-else");
    assertThat(TestFolder.files(path)).contains("socket");

    ServerFolder folder = open(path);

    assertThat(TestFolder.files(path)).containsExactly("lock", "of-somebody-else", "socket");
    close(folder);
  }

  @Test
  void removesNothingThatNoListenerMakes() throws Exception {
    Path path = TestFolder.fresh();
    leaveBehind(path, "ring-finger.txt", "ring-0123456789ABCDEF", "ring-0123456789abcdef0");
    Files.createDirectory(path.resolve("ring-1111111111111111"));
    Files.createSymbolicLink(path.resolve("ring-2222222222222222"), path.resolve("lock"));

    ServerFolder folder = open(path);

    assertThat(TestFolder.files(path))
        .containsExactly(
            "lock",
            "ring-0123456789ABCDEF",
            "ring-0123456789abcdef0",
            "ring-1111111111111111",
            "ring-2222222222222222",
            "ring-finger.txt",
            "socket");
    close(folder);
  }

  @Test
  void refusesAFolderWhereTheSocketIsAFile() throws Exception {
    Path path = TestFolder.fresh();
    leaveBehind(path);
    Files.delete(path.resolve("socket"));
    Files.writeString(path.resolve("socket"), "a text of somebody");

    assertThatThrownBy(() -> open(path))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.resolve("socket") + " is no socket of user ");

    assertThat(path.resolve("socket")).hasContent("a text of somebody");
  }

  @Test
  void sm04_canBeTakenAgainAtOnceTwentyTimes() throws Exception {
    Path path = TestFolder.fresh();
    for (int i = 0; i < 20; i++) {
      ServerFolder folder = open(path);
      assertThatThrownBy(() -> open(path)).isInstanceOf(IOException.class);
      close(folder);
    }
  }

  @Test
  void leavesNothingInTheFolder() throws Exception {
    Path path = TestFolder.fresh();

    close(open(path));

    assertThat(TestFolder.files(path)).isEmpty();
  }

  @Test
  void removesNothingOfAnotherThatHasTheFolderByNow() throws Exception {
    Path path = TestFolder.fresh();
    ServerFolder first = open(path);
    assertThat(first.isNamed()).isTrue();
    Files.move(path, path.resolveSibling("moved"));
    assertThat(first.isNamed()).isFalse();
    ServerFolder second = open(path);
    assertThat(first.isNamed()).isFalse();

    close(first);

    assertThat(TestFolder.files(path)).containsExactly("lock", "socket");
    assertThat(second.isNamed()).isTrue();
    close(second);
    assertThat(path).isEmptyDirectory();
  }

  @Test
  void sm04_takesALockWhoseOwnerWasKilledWhileItRemovedIt() throws Exception {
    Path path = TestFolder.fresh();
    leaveBehind(path, "lock");

    ServerFolder folder = open(path);

    assertThat(Files.size(path.resolve("lock"))).isZero();
    assertThatThrownBy(() -> open(path)).hasMessageContaining("is in use");
    close(folder);
  }

  @Test
  void sm06_aListenerThatAnswersIsNeverRobbed() throws Exception {
    Path path = TestFolder.fresh();
    ServerFolder folder = open(path);
    // The lock file may be lost, with whatever cleans folders; the answering socket is proof
    // enough.
    Files.delete(path.resolve("lock"));

    assertThatThrownBy(() -> open(path))
        .isInstanceOf(IOException.class)
        .hasMessage("folder " + path + " is in use: somebody answers at its socket");

    assertThat(TestFolder.files(path)).containsExactly("socket");
    close(folder);
  }

  @Test
  void sm06_aListenerWithALockIsNeverRobbed() throws Exception {
    Path path = TestFolder.fresh();
    ServerFolder folder = open(path);
    Files.delete(path.resolve("socket"));

    assertThatThrownBy(() -> open(path))
        .isInstanceOf(IOException.class)
        .hasMessage("folder " + path + " is in use by this process");
    close(folder);
  }

  @Test
  void sm13_ofSeveralAtOnceExactlyOneGetsIt() throws Exception {
    Path path = TestFolder.fresh();
    for (int round = 0; round < 50; round++) {
      int count = 4;
      CountDownLatch start = new CountDownLatch(1);
      AtomicInteger open = new AtomicInteger();
      List<ServerFolder> taken = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Thread thread =
            new Thread(
                () -> {
                  try {
                    start.await();
                    ServerFolder folder = open(path);
                    open.incrementAndGet();
                    synchronized (taken) {
                      taken.add(folder);
                    }
                  } catch (IOException e) {
                    assertThat(e).hasMessageContaining("in use");
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
        threads.add(thread);
        thread.start();
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(20));
      }
      assertThat(open).as("round %d", round).hasValue(1);
      close(taken.get(0));
    }
  }

  @Test
  void sm14_refusesAFolderThatIsOpenToOthers() throws Exception {
    Path path = TestFolder.existing();
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x---"));

    assertThatThrownBy(() -> open(path))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining("user " + OwnUser.find().getName())
        .hasMessageContaining("rwxr-x---")
        .hasMessageContaining("chmod 700");
    assertThat(TestFolder.files(path)).isEmpty();
  }

  @Test
  void sm14_opensAFolderAndItsFilesToAGroupAndNoFurther() throws Exception {
    Path path = TestFolder.fresh();
    close(open(path)); // made for its owner alone, which the next listener changes
    String group = groupOf(path);
    FolderAccess access = FolderAccess.of(OwnUser.find(), group);
    ServerFolder folder = ServerFolder.open(path, access, new Random(1));

    RingFile ring = folder.newRing(SIZES);

    assertThat(mode(path)).isEqualTo("rwx--x---");
    assertThat(mode(path.resolve("lock"))).isEqualTo("rw-------");
    assertThat(mode(path.resolve("socket"))).isEqualTo("rw-rw----");
    assertThat(mode(path.resolve(ring.name()))).isEqualTo("rw-rw----");
    assertThat(groupOf(path.resolve(ring.name()))).isEqualTo(group);
    close(folder);
    assertThatThrownBy(() -> open(path))
        .as("for its owner alone again")
        .hasMessageContaining("open to others (rwx--x---)")
        .hasMessageContaining("chmod 700");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwx---"));
    assertThatThrownBy(() -> ServerFolder.open(path, access, new Random(1)))
        .as("members could take the socket's place")
        .hasMessageContaining("open to others (rwxrwx---)")
        .hasMessageContaining("chmod 710");
  }

  @Test
  void sm14_namesAGroupThatIsNotKnown() {
    assertThatThrownBy(() -> FolderAccess.of(OwnUser.find(), "no-such-group"))
        .isInstanceOf(IOException.class)
        .hasMessage("group 'no-such-group' is not known to this system");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String groupOf(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class).group().getName();
  }

  @Test
  void sm14_refusesAFolderOfAnotherUser() throws Exception {
    Path path = TestFolder.existing();
    UserPrincipal other =
        path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("4242");

    assertThatThrownBy(() -> ServerFolder.open(path, FolderAccess.ownerOnly(other), new Random(1)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "folder %s belongs to user %s; this process runs as 4242"
                .formatted(path, OwnUser.find().getName()));
    assertThat(TestFolder.files(path)).isEmpty();
  }

  @Test
  void sm14_refusesLinksAndFiles() throws Exception {
    Path parent = TestFolder.existing();
    Path target = Files.createDirectory(parent.resolve("target"));
    Path link = Files.createSymbolicLink(parent.resolve("link"), target);
    Path file = Files.createFile(parent.resolve("file"));

    assertThatThrownBy(() -> open(link))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(link + " is not a folder");
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file + " is not a folder");
    assertThatThrownBy(() -> open(file.resolve("below")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.resolve("below").toString())
        .hasMessageContaining("as user " + OwnUser.find().getName());
  }

  @Test
  void sm14_namesPathAndUserWhereAFileCanNotBeMade() throws Exception {
    Path path = TestFolder.existing();
    Path lock = Files.createDirectory(path.resolve("lock"));

    assertThatThrownBy(() -> open(path))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "folder %s can't be used as user %s: ".formatted(path, OwnUser.find().getName()))
        .hasMessageContaining("FileSystemException: " + lock);
  }

  @Test
  void makesRingFilesForItsUserAlone() throws Exception {
    Path path = TestFolder.fresh();
    ServerFolder folder = open(path);

    RingFile ring = folder.newRing(SIZES);

    Path file = path.resolve(ring.name());
    assertThat(ring.name()).matches("ring-[0-9a-f]{16}");
    assertThat(Files.size(file)).isEqualTo(2 * 512 + 4096 + 8192);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    RingFile atPeer = RingFile.open(path, ring.name(), SIZES);
    ring.memory().put(1_000, (byte) 7);
    assertThat(atPeer.memory().get(1_000)).isEqualTo((byte) 7);
    ring.unlink();
    assertThat(TestFolder.files(path)).containsExactly("lock", "socket");
    ring.memory().put(1_001, (byte) 8);
    assertThat(atPeer.memory().get(1_001)).isEqualTo((byte) 8);
    close(folder);
  }

  @Test
  void mapsNothingButWhatWasGranted() throws Exception {
    Path path = TestFolder.fresh();
    ServerFolder folder = open(path);
    String name = folder.newRing(SIZES).name();

    assertThatThrownBy(() -> RingFile.open(path, "../" + name, SIZES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'../" + name + "'");
    assertThatThrownBy(() -> RingFile.open(path, name, new RingSizes(8192, 8192)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has 13312 bytes; expected 17408");
    assertThatThrownBy(() -> RingFile.open(path, "ring-0000000000000000", SIZES))
        .isInstanceOf(IOException.class);
    Files.createSymbolicLink(path.resolve("ring-1111111111111111"), path.resolve(name));
    assertThatThrownBy(() -> RingFile.open(path, "ring-1111111111111111", SIZES))
        .isInstanceOf(IOException.class);
    close(folder);
  }
}
