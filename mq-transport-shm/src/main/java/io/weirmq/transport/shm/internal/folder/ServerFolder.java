package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a listener, which has it alone.
 *
 * <pre>
 *   lock                locked by the system as long as the owner lives; empty, but for the
 *                       moment in which its owner removes it
 *   socket              where peers connect
 *   ring-[16 digits]    a connection's memory, for the moments until both sides have mapped it
 * </pre>
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Whoever holds this object holds the lock, and nobody answered at the socket when it was
 *       taken: the system says who is alive, never a process number or the age of a file.
 *   <li>What lay there from a dead owner was removed before the socket was bound, so that no peer
 *       can be using it.
 * </ul>
 *
 * <p>Confined to one thread at a time.
 */
public final class ServerFolder {

  private static final Logger LOG = LoggerFactory.getLogger(ServerFolder.class);

  /** How often the lock is tried on a file that another owner was removing just then. */
  private static final int LOCK_ATTEMPTS = 5;

  /** Connections that the system may hold ready for us to accept. */
  private static final int BACKLOG = 1024;

  private final Path path;
  private final FileChannel lock;
  private final ServerSocketChannel server;
  private final FolderAccess access;
  private final RandomGenerator random;

  /** Which files are ours, whatever has their names by now. */
  private final Object lockKey;

  private final Object socketKey;

  private ServerFolder(
      Path path,
      FileChannel lock,
      ServerSocketChannel server,
      FolderAccess access,
      RandomGenerator random)
      throws IOException {
    this.access = access;
    this.path = path;
    this.lock = lock;
    this.server = server;
    this.random = random;
    this.lockKey = key(path.resolve(FolderNames.LOCK));
    this.socketKey = key(path.resolve(FolderNames.SOCKET));
  }

  /**
   * Takes a folder and binds its socket. The folder is made where it is missing, open to those who
   * have access.
   *
   * @param access who may use it; nobody but this process's user may own it
   * @param random gives the names of ring files; has to be secret where a group has access
   * @throws IOException where somebody listens there, or the folder is open to others, or can't be
   *     used; the message names path and user
   */
  public static ServerFolder open(Path path, FolderAccess access, RandomGenerator random)
      throws IOException {
    create(path, access.self());
    try {
      return take(path, access, random);
    } catch (FileSystemException e) { // often has a path for a message and nothing else
      throw new IOException(
          "folder %s can't be used as user %s: %s".formatted(path, access.self().getName(), e), e);
    }
  }

  private static ServerFolder take(Path path, FolderAccess access, RandomGenerator random)
      throws IOException {
    access.takeFolder(path);
    // Before the lock file is opened: closing any descriptor of it would drop a lock that another
    // listener of this very process holds.
    requireNobodyAnswers(path);
    FileChannel lock = lock(path);
    ServerSocketChannel server = null;
    try {
      requireNobodyAnswers(path);
      removeLeftovers(path, access.self());
      server = bind(path, access);
      return new ServerFolder(path, lock, server, access, random);
    } catch (IOException | RuntimeException e) {
      closeQuietly(server, e);
      closeQuietly(lock, e);
      throw e;
    }
  }

  /** The bound socket, non-blocking. */
  public ServerSocketChannel server() {
    return server;
  }

  /** Makes a ring file, as {@link RingFile#create} says. */
  public RingFile newRing(RingSizes sizes) throws IOException {
    String name = FolderNames.RING_PREFIX + "%016x".formatted(random.nextLong());
    return RingFile.create(path, name, sizes, access);
  }

  /**
   * Whether peers that come now find the socket: false where it was removed, as with its folder.
   * From any thread; a call into the system.
   */
  public boolean isNamed() {
    try {
      return isOurs(FolderNames.SOCKET, socketKey);
    } catch (IOException e) {
      LOG.debug("the socket in {} can't be looked at", path, e);
      return true; // which nothing speaks against
    }
  }

  private boolean isOurs(String name, Object key) throws IOException {
    try {
      return key(path.resolve(name)).equals(key);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static Object key(Path file) throws IOException {
    Object key =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    if (key == null) {
      throw new IOException("the file system of " + file + " has no file numbers");
    }
    return key;
  }

  /**
   * Gives the folder free and leaves nothing of its own in it; where the memory is full, the empty
   * lock file, as after a kill. The caller has taken the socket out of its selector and closed it.
   *
   * @throws IOException where a file can't be removed
   */
  public void close() throws IOException {
    try (lock) {
      if (isOurs(FolderNames.SOCKET, socketKey)) {
        Files.deleteIfExists(path.resolve(FolderNames.SOCKET));
      }
      // Whoever has opened this file meanwhile gets its lock when we are gone, and sees by the byte
      // that the file has lost its name: the lock of a file that others can't find keeps nobody
      // out.
      if (isOurs(FolderNames.LOCK, lockKey) && markLock()) {
        Files.deleteIfExists(path.resolve(FolderNames.LOCK));
      }
    }
  }

  private boolean markLock() {
    try {
      return lock.write(ByteBuffer.allocate(1), 0) == 1;
    } catch (IOException e) {
      LOG.info("{} stays in {}: {}", FolderNames.LOCK, path, e.getMessage());
      return false;
    }
  }

  private static void create(Path path, UserPrincipal self) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    FileAttribute<?> permissions =
        PosixFilePermissions.asFileAttribute(FolderAccess.newFolderMode());
    try {
      Path parent = path.getParent();
      if (parent != null && !Files.exists(parent)) {
        Files.createDirectories(parent, permissions);
      }
      Files.createDirectory(path, permissions);
    } catch (FileAlreadyExistsException e) {
      // Somebody was faster; the checks that follow tell whether it may be used.
      LOG.debug("folder {} was made by another process", path, e);
    } catch (IOException e) {
      throw new IOException(
          "folder %s can't be made as user %s: %s".formatted(path, self.getName(), e), e);
    }
  }

  /** The system refuses a connect to a socket whose process is gone, in every pid namespace. */
  private static void requireNobodyAnswers(Path path) throws IOException {
    if (!Files.exists(path.resolve(FolderNames.SOCKET), LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      boolean queued = LocalConnect.connect(probe, path);
      LOG.debug("somebody answers at the socket in {}, queued={}", path, queued);
    } catch (ConnectException e) {
      LOG.debug("nobody answers at the socket in {}", path, e);
      return;
    } catch (IOException e) {
      if (!Files.exists(path.resolve(FolderNames.SOCKET), LinkOption.NOFOLLOW_LINKS)) {
        return; // its owner has just closed it
      }
      throw e;
    }
    throw new IOException("folder " + path + " is in use: somebody answers at its socket");
  }

  private static FileChannel lock(Path path) throws IOException {
    for (int attempt = 1; ; attempt++) {
      FileChannel channel = tryLock(path);
      try {
        if (channel.size() == 0) {
          return channel;
        }
        if (attempt == LOCK_ATTEMPTS) {
          // Its owner was killed between the byte and the removal, or it comes from elsewhere.
          channel.truncate(0);
          return channel;
        }
        channel.close();
      } catch (IOException e) {
        closeQuietly(channel, e);
        throw e;
      }
    }
  }

  private static FileChannel tryLock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve(FolderNames.LOCK),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(FolderAccess.newFileMode()));
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
      throw new IOException("folder " + path + " is in use: another process has locked it");
    } catch (OverlappingFileLockException e) {
      IOException failure = new IOException("folder " + path + " is in use by this process", e);
      closeQuietly(channel, failure);
      throw failure;
    } catch (IOException e) {
      closeQuietly(channel, e);
      throw e;
    }
  }

  /** Removes what only a listener makes; the folder may be one that its user has other use for. */
  private static void removeLeftovers(Path path, UserPrincipal self) throws IOException {
    int count = 0;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(path, file -> isLeftover(file, self))) {
      for (Path file : files) {
        if (Files.deleteIfExists(file)) {
          count++;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (count > 0) {
      LOG.info("removed {} files of a dead listener from {}", count, path);
    }
  }

  private static boolean isLeftover(Path file, UserPrincipal self) throws IOException {
    String name = file.getFileName().toString();
    boolean isSocket = name.equals(FolderNames.SOCKET);
    if (!isSocket && !FolderNames.isRing(name)) {
      return false;
    }
    PosixFileAttributes found =
        Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    boolean isOurs =
        found.owner().equals(self) && (isSocket ? found.isOther() : found.isRegularFile());
    if (isSocket && !isOurs) {
      throw new IOException(
          "%s is no socket of user %s; expected one, or none, in the folder of a listener"
              .formatted(file, self.getName()));
    }
    return isOurs;
  }

  private static ServerSocketChannel bind(Path path, FolderAccess access) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.configureBlocking(false);
      server.bind(FolderNames.socket(path), BACKLOG);
      Path socket = path.resolve(FolderNames.SOCKET);
      Files.setPosixFilePermissions(socket, FolderAccess.newFileMode());
      access.share(socket);
      return server;
    } catch (IOException | RuntimeException e) {
      closeQuietly(server, e);
      throw e;
    }
  }

  private static void closeQuietly(@Nullable AutoCloseable resource, Exception reason) {
    if (resource != null) {
      try {
        resource.close();
      } catch (Exception e) {
        reason.addSuppressed(e);
      }
    }
  }
}
