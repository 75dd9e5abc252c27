package io.weirmq.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * Where brokers of this host say how clients of the same host and user reach them without the
 * network.
 *
 * <p>A broker that has bound a TCP port and also listens on shared memory {@linkplain #publish
 * publishes} the second endpoint under the number of the first; a client that is told to connect to
 * that port of its own machine {@linkplain #find finds} it. All of it lies in one folder of the
 * user, {@code $XDG_RUNTIME_DIR/weirmq} where that variable names a folder of this user, else
 * {@code /dev/shm/weirmq-[uid]}:
 *
 * <pre>
 *   9092.endpoint        text, mode 600; see below
 *   node-9092/           the endpoint itself, where the broker chose the {@link #defaultEndpoint}
 *
 *   format=1                             version of this file; others are not read
 *   endpoint=shm:/dev/shm/weirmq-1000/node-9092
 *   network=net:[4026531833]             namespace of the port; missing where there are none
 *   address=127.0.0.1                    address of the port; missing where it is bound to all
 *   publication=[random]                 tells its publisher that the file is still its own
 * </pre>
 *
 * <p><b>Trust.</b> A folder or file that does not belong to the user of this process, or that
 * others may write to, is not read. Whoever reads it may be led to any endpoint of the same user,
 * no further.
 *
 * <p><b>Two brokers, one port number.</b> Containers can share {@code /dev/shm} and each have a
 * port 9092: a client is led only to the broker whose port lies in its own network namespace.
 * Brokers at the same port of different addresses write the same file: the last one is found, and
 * clients of the others stay with TCP.
 *
 * <p>A killed broker leaves its file behind. That is harmless: to connect fails at once, and the
 * client goes to the port. The next broker at that port replaces it, or {@linkplain #retract takes
 * it back} where it has nothing to publish.
 *
 * <p>Works where the system tells the user's number (Linux); elsewhere nothing is published and
 * nothing found. Safe for use by several threads.
 */
public final class LocalEndpoints {

  /** Larger files are not read: the longest path of a socket and the rest fit many times. */
  static final int FILE_BYTES_MAX = 4096;

  /** Permission bits by which others than the owner could write. */
  private static final int WRITABLE_BY_OTHERS = 0022;

  private static final int PERMISSION_BITS = 0777;

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final List<Path> folders;
  private final OptionalLong uid;
  private final LocalNetwork network;

  /**
   * Uses the given places.
   *
   * @param folders where to look, the first one also to write; at least one
   * @param uid number of the user that this process runs as; empty where the system has none
   * @param network what is known of this machine's network
   */
  LocalEndpoints(List<Path> folders, OptionalLong uid, LocalNetwork network) {
    this.folders = List.copyOf(folders);
    this.uid = uid;
    this.network = network;
  }

  /**
   * Returns the places of the user that this process runs as. Looks at the environment variable
   * {@code XDG_RUNTIME_DIR}, which is left aside where it names no folder of this user: a program
   * that changed its user keeps the variable of the old one.
   */
  public static LocalEndpoints ofSystem() {
    OptionalLong uid = UnixFile.ownUid();
    Path shared = SHARED_MEMORY.resolve(uid.isPresent() ? "weirmq-" + uid.getAsLong() : "weirmq");
    String variable = System.getenv("XDG_RUNTIME_DIR");
    boolean own =
        variable != null
            && variable.startsWith("/")
            && uid.isPresent()
            && UnixFile.isFolderOf(Path.of(variable), uid.getAsLong());
    // A broker that was started by the system and a client in a login session differ in the
    // variable; therefore a client looks in both places.
    List<Path> folders = own ? List.of(Path.of(variable, "weirmq"), shared) : List.of(shared);
    return new LocalEndpoints(folders, uid, new SystemNetwork());
  }

  /**
   * Returns a place of its own, for brokers and clients that are to see nobody but each other, in
   * tests for instance.
   *
   * @param runtimeFolder absolute; its parent exists
   */
  public static LocalEndpoints in(Path runtimeFolder) {
    return new LocalEndpoints(List.of(runtimeFolder), UnixFile.ownUid(), new SystemNetwork());
  }

  /** The folder in which endpoints are published; it need not exist. */
  public Path runtimeFolder() {
    return folders.get(0);
  }

  /**
   * Makes the folder in which endpoints are published, closed to others, where it is missing; for
   * what else a broker shares with local clients.
   *
   * @return {@link #runtimeFolder()}
   * @throws IOException where it can't be made or belongs to others, or the system does not tell
   *     the user's number; the message names path and user
   */
  public Path createRuntimeFolder() throws IOException {
    if (uid.isEmpty()) {
      throw new IOException("the system does not tell the user of this process");
    }
    UnixFile.requireOwnFolder(runtimeFolder(), uid.getAsLong());
    return runtimeFolder();
  }

  /**
   * Returns where a broker listens on shared memory if it is not told where.
   *
   * @param port its first TCP port, as bound
   */
  public Endpoint defaultEndpoint(int port) {
    return Endpoint.ofPath("shm", runtimeFolder().resolve("node-" + port).toString());
  }

  /**
   * Publishes an endpoint of a broker whose port is bound to all addresses; see {@link
   * #publish(String, int, Endpoint)}.
   */
  public Publication publish(int port, Endpoint endpoint) throws IOException {
    return publish("", port, endpoint);
  }

  /**
   * Lets clients of this user and host find an endpoint. Replaces what is published for the port.
   * Does nothing where the system does not tell the user's number.
   *
   * @param address the address, or a name of it, to which the port is bound; empty for all
   * @param port a TCP port that the same broker has bound
   * @param endpoint a path, with a listener behind it
   * @return to be closed when the endpoint goes
   * @throws IOException where the folder can't be made or belongs to others, or the file can't be
   *     written, or there is no such address; the message names it, and the user where the system
   *     refuses
   * @throws IllegalArgumentException where the endpoint is no path, or has a control character
   */
  public Publication publish(String address, int port, Endpoint endpoint) throws IOException {
    EndpointFile content =
        new EndpointFile(
            endpoint,
            network.identity(),
            address.isEmpty() ? List.of() : network.resolve(address),
            UUID.randomUUID().toString());
    Path file = file(runtimeFolder(), port);
    if (uid.isEmpty()) {
      return new Publication(file, () -> {});
    }
    UnixFile.requireOwnFolder(runtimeFolder(), uid.getAsLong());
    try {
      write(file, content.toText());
    } catch (IOException e) {
      throw FileFailure.of(file, "can't be written", uid.getAsLong(), e);
    }
    return new Publication(file, () -> removeIfOwn(file, content));
  }

  /**
   * Removes what a broker that is no more has left published for a port, so that clients are not
   * led past the present one. That it is no more is proved by the port, which it had bound and now
   * the caller has: what is of another network namespace, or of other addresses, stays. So does
   * what can't be read.
   *
   * @param address the address, or a name of it, to which the port is bound; empty for all
   * @param port a TCP port that the caller has bound, and publishes nothing for
   * @throws IOException where the file can't be removed, or there is no such address
   */
  public void retract(String address, int port) throws IOException {
    Path file = file(runtimeFolder(), port);
    if (uid.isEmpty() || !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<InetAddress> bound = address.isEmpty() ? List.of() : network.resolve(address);
    EndpointFile content;
    try {
      content = readOwn(runtimeFolder(), file);
    } catch (IOException | UncheckedIOException e) {
      return; // clients don't read it either
    }
    if (content.network().equals(network.identity()) && content.meets(bound)) {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Returns the endpoint that a broker has published for a port of this machine. Reads a small
   * file; where there is one, the host's name is resolved too, which can ask a name server. Not to
   * be called where blocking is forbidden.
   *
   * @param host name or address that a client was told to connect to
   * @param port and the port
   * @return empty in all other cases, for which {@link #lookup} gives the reason
   */
  public Optional<Endpoint> find(String host, int port) {
    return lookup(host, port).endpoint();
  }

  /** Returns what {@link #find} does, with the reason. */
  public Lookup lookup(String host, int port) {
    if (uid.isEmpty()) {
      return Lookup.nothing("the system does not tell the user of this process");
    }
    StringBuilder reasons = new StringBuilder();
    for (Path folder : folders) {
      Path file = file(folder, port);
      try {
        return Lookup.found(read(folder, file, host, port), file);
      } catch (NoSuchFileException e) {
        addReason(reasons, "nothing is published at " + file);
      } catch (IOException | UncheckedIOException e) {
        addReason(reasons, file + " is not used: " + FileFailure.reason(e));
      }
    }
    return Lookup.nothing(reasons.toString());
  }

  private Endpoint read(Path folder, Path file, String host, int port) throws IOException {
    EndpointFile content = readOwn(folder, file);
    if (!content.network().equals(network.identity())) {
      throw new IOException(
          "it is of network namespace '%s', this process is in '%s'"
              .formatted(content.network().orElse(""), network.identity().orElse("")));
    }
    try {
      content.requireServes(network.resolve(host), network, host, port);
    } catch (UnknownHostException e) {
      throw new IOException("host '" + host + "' is not known", e);
    }
    return content.endpoint();
  }

  private EndpointFile readOwn(Path folder, Path file) throws IOException {
    requireOwn(UnixFile.read(folder), "folder " + folder, UnixFile.Kind.FOLDER);
    requireOwn(UnixFile.read(file), "it", UnixFile.Kind.FILE);
    ByteBuffer bytes = ByteBuffer.allocate(FILE_BYTES_MAX + 1);
    try (FileChannel channel =
        FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      int read;
      do {
        read = channel.read(bytes);
      } while (read >= 0 && bytes.hasRemaining());
    }
    if (!bytes.hasRemaining()) {
      throw new IOException("it has more than " + FILE_BYTES_MAX + " bytes");
    }
    return EndpointFile.parse(StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString());
  }

  private void requireOwn(UnixFile found, String what, UnixFile.Kind kind) throws IOException {
    if (found.kind() != kind) {
      throw new IOException(what + " is no " + kind.text() + " (links are not followed)");
    }
    if (found.uid() != uid.getAsLong()) {
      throw new IOException(
          "%s belongs to user %d, this process runs as %d"
              .formatted(what, found.uid(), uid.getAsLong()));
    }
    if ((found.mode() & WRITABLE_BY_OTHERS) != 0) {
      throw new IOException(
          "%s can be written by others (mode %o)".formatted(what, found.mode() & PERMISSION_BITS));
    }
  }

  private void removeIfOwn(Path file, EndpointFile content) throws IOException {
    try {
      if (readOwn(runtimeFolder(), file).publication().equals(content.publication())) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      return; // somebody has tidied up
    }
  }

  private static void write(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      removeAfter(e, fresh);
      throw e;
    }
  }

  private static void removeAfter(IOException failure, Path fresh) {
    try {
      Files.deleteIfExists(fresh);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private static Path file(Path folder, int port) {
    return folder.resolve(port + ".endpoint");
  }

  private static void addReason(StringBuilder reasons, String reason) {
    reasons.append(reasons.isEmpty() ? "" : "; ").append(reason);
  }

  /**
   * What was found for a host and port. Immutable.
   *
   * @param endpoint where to connect to without the network, or empty
   * @param reason why it is so, for a log
   */
  public record Lookup(Optional<Endpoint> endpoint, String reason) {

    private static Lookup found(Endpoint endpoint, Path file) {
      return new Lookup(Optional.of(endpoint), "published at " + file);
    }

    private static Lookup nothing(String reason) {
      return new Lookup(Optional.empty(), reason);
    }
  }

  /** A published endpoint, until it is closed. Safe for use by several threads. */
  public static final class Publication implements AutoCloseable {

    private final Path file;
    private final Removal removal;

    private Publication(Path file, Removal removal) {
      this.file = file;
      this.removal = removal;
    }

    /** The file that says it; it does not exist where the system does not tell users. */
    public Path file() {
      return file;
    }

    /**
     * Removes the file, unless another broker has replaced it. The folder stays. Closing again does
     * nothing.
     *
     * @throws IOException where it can't be removed
     */
    @Override
    public void close() throws IOException {
      removal.run();
    }
  }

  private interface Removal {
    void run() throws IOException;
  }
}
