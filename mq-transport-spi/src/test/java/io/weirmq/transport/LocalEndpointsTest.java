package io.weirmq.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalEndpointsTest {

  private static final int PORT = 9092;
  private static final Endpoint ENDPOINT = Endpoint.parse("shm:/run/my broker=1/node-9092");

  @TempDir private Path temp;
  private final FakeNetwork network = new FakeNetwork();
  private OptionalLong uid = OptionalLong.empty();
  private Path folder = Path.of("");
  private LocalEndpoints endpoints = LocalEndpoints.ofSystem();

  @BeforeEach
  void createEndpoints() {
    uid = UnixFile.ownUid();
    assumeTrue(uid.isPresent(), "only where the system tells users");
    folder = temp.resolve("weirmq");
    endpoints = new LocalEndpoints(List.of(folder), uid, network);
  }

  @Test
  void findsWhatIsPublishedUntilItIsClosed() throws IOException {
    assertThat(endpoints.find("localhost", PORT)).isEmpty();

    try (LocalEndpoints.Publication publication = endpoints.publish(PORT, ENDPOINT)) {
      assertThat(publication.file()).isEqualTo(folder.resolve("9092.endpoint"));
      assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
      assertThat(endpoints.find("192.0.2.1", PORT)).contains(ENDPOINT);
      assertThat(endpoints.find("localhost", PORT + 1)).isEmpty();
    }

    assertThat(endpoints.find("localhost", PORT)).isEmpty();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void writesForThisUserAloneAndNothingElse() throws IOException {
    try (LocalEndpoints.Publication publication = endpoints.publish(PORT, ENDPOINT)) {
      assertThat(permissions(folder)).isEqualTo("rwx------");
      assertThat(permissions(publication.file())).isEqualTo("rw-------");
      assertThat(folder).isDirectoryContaining("glob:**/9092.endpoint");
      assertThat(Files.readAllLines(publication.file()))
          .startsWith("format=1", "endpoint=shm:/run/my broker=1/node-9092", "network=net:[1]")
          .hasSize(4);
    }
  }

  @Test
  void closesItsOwnFolderToOthers() throws IOException {
    Files.createDirectory(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

    endpoints.publish(PORT, ENDPOINT).close();

    assertThat(permissions(folder)).isEqualTo("rwx------");
  }

  @Test
  void leavesThePublicationOfAnotherBrokerAlone() throws IOException {
    LocalEndpoints.Publication first = endpoints.publish(PORT, Endpoint.parse("shm:/first"));
    LocalEndpoints.Publication second = endpoints.publish(PORT, ENDPOINT);

    first.close();

    assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
    second.close();
    second.close();
    assertThat(endpoints.find("localhost", PORT)).isEmpty();
  }

  @Test
  void replacesWhatAKilledBrokerHasLeft() throws IOException {
    endpoints.publish(PORT, Endpoint.parse("shm:/killed"));
    Files.writeString(folder.resolve("9092.endpoint.new"), "killed while it wrote this");

    endpoints.publish(PORT, ENDPOINT);

    assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
    assertThat(folder.resolve("9092.endpoint.new")).doesNotExist();
  }

  @Test
  void takesBackWhatAKilledBrokerHasLeftForAPortThatIsAnothers() throws IOException {
    endpoints.retract("127.0.0.1", PORT);

    endpoints.publish("127.0.0.1", PORT, ENDPOINT);
    endpoints.retract("192.0.2.1", PORT);
    endpoints.retract("127.0.0.1", PORT + 1);
    network.identity = Optional.of("net:[2]");
    endpoints.retract("127.0.0.1", PORT);
    network.identity = Optional.of("net:[1]");
    assertThat(endpoints.find("127.0.0.1", PORT)).as("may be alive").contains(ENDPOINT);
    endpoints.retract("127.0.0.1", PORT);
    assertThat(folder).isEmptyDirectory();

    endpoints.publish("127.0.0.1", PORT, ENDPOINT);
    endpoints.retract("", PORT);
    endpoints.publish(PORT, ENDPOINT);
    endpoints.retract("127.0.0.1", PORT);
    assertThat(folder).as("nobody else can be bound there").isEmptyDirectory();
  }

  @Test
  void aFileThatCanNotBeWrittenLeavesNothing() throws IOException {
    Path inTheWay = Files.createDirectories(folder.resolve("9092.endpoint").resolve("full"));

    assertThatThrownBy(() -> endpoints.publish(PORT, ENDPOINT)).isInstanceOf(IOException.class);

    assertThat(folder.resolve("9092.endpoint.new")).doesNotExist();
    assertThat(inTheWay).exists();
  }

  @Test
  void staysAwayFromOtherHosts() throws IOException {
    endpoints.publish(PORT, ENDPOINT);

    assertThat(endpoints.lookup("broker-2", PORT).reason())
        .contains("broker-2", "192.0.2.99", "no address of this machine");
    assertThat(endpoints.find("broker-2", PORT)).isEmpty();
    assertThat(endpoints.lookup("nowhere", PORT).reason()).contains("nowhere", "not known");
    assertThat(endpoints.find("half-mine", PORT))
        .as("a name that also stands for another machine")
        .isEmpty();
  }

  @Test
  void asksNoNameServerWhereNothingIsPublished() {
    assertThat(endpoints.lookup("nowhere", PORT).reason()).contains("nothing is published");
    assertThat(network.resolved).isZero();
  }

  @Test
  void keepsBrokersAtOneNumberOfTwoAddressesApart() throws IOException {
    endpoints.publish("127.0.0.1", PORT, ENDPOINT);

    assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
    assertThat(endpoints.find("127.0.0.1", PORT)).contains(ENDPOINT);
    assertThat(endpoints.find("192.0.2.1", PORT)).isEmpty();
    assertThat(endpoints.lookup("192.0.2.1", PORT).reason()).contains("bound to", "127.0.0.1");
  }

  @Test
  void staysInsideItsNetworkNamespace() throws IOException {
    endpoints.publish(PORT, ENDPOINT);

    network.identity = Optional.of("net:[2]");
    assertThat(endpoints.find("localhost", PORT)).isEmpty();
    assertThat(endpoints.lookup("localhost", PORT).reason()).contains("net:[1]", "net:[2]");
    network.identity = Optional.empty();
    assertThat(endpoints.find("localhost", PORT)).isEmpty();
  }

  @Test
  void worksWhereThereAreNoNetworkNamespaces() throws IOException {
    network.identity = Optional.empty();

    endpoints.publish(PORT, ENDPOINT);

    assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
  }

  @Test
  void ignoresFilesThatOthersMayWrite() throws IOException {
    LocalEndpoints.Publication publication = endpoints.publish(PORT, ENDPOINT);

    Files.setPosixFilePermissions(publication.file(), PosixFilePermissions.fromString("rw-rw----"));

    assertThat(endpoints.find("localhost", PORT)).isEmpty();
    assertThat(endpoints.lookup("localhost", PORT).reason()).contains("by others (mode 660)");
  }

  @Test
  void ignoresFoldersThatOthersMayWrite() throws IOException {
    endpoints.publish(PORT, ENDPOINT);

    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx----w-"));

    assertThat(endpoints.find("localhost", PORT)).isEmpty();
    assertThat(endpoints.lookup("localhost", PORT).reason())
        .contains("folder " + folder + " can be written by others (mode 702)");
  }

  @Test
  void ignoresAndRefusesFoldersOfAnotherUser() throws IOException {
    endpoints.publish(PORT, ENDPOINT);
    long other = uid.getAsLong() + 1;
    LocalEndpoints ofOther = new LocalEndpoints(List.of(folder), OptionalLong.of(other), network);

    assertThat(ofOther.find("localhost", PORT)).isEmpty();
    assertThat(ofOther.lookup("localhost", PORT).reason())
        .contains("belongs to user " + uid.getAsLong(), "runs as " + other);
    assertThatThrownBy(() -> ofOther.publish(PORT, ENDPOINT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder.toString())
        .hasMessageContaining("not a folder of user " + other);
  }

  @Test
  void sm14_saysWhatFailsWhereAndAsWhom() throws IOException {
    Path below = folder.resolve("below");
    LocalEndpoints nowhere = new LocalEndpoints(List.of(below), uid, network);
    String user = " as user " + uid.getAsLong() + ": ";

    assertThatThrownBy(nowhere::createRuntimeFolder)
        .isInstanceOf(IOException.class)
        .hasMessage(below + " can't be made" + user + "no such file or folder");
    assertThatThrownBy(() -> nowhere.publish(PORT, ENDPOINT))
        .isInstanceOf(IOException.class)
        .hasMessage(below + " can't be made" + user + "no such file or folder");
    Path inTheWay = folder.resolve("9092.endpoint.new");
    Files.createDirectories(inTheWay.resolve("full"));
    assertThatThrownBy(() -> endpoints.publish(PORT, ENDPOINT))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(folder.resolve("9092.endpoint") + " can't be written" + user)
        .hasMessageEndingWith(inTheWay + ": DirectoryNotEmptyException");
  }

  @Test
  void followsNoLinks() throws IOException {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    new LocalEndpoints(List.of(elsewhere), uid, network).publish(PORT, ENDPOINT);

    Files.createSymbolicLink(folder, elsewhere);
    assertThat(endpoints.lookup("localhost", PORT).reason()).contains("is no folder");
    Files.delete(folder);
    Files.createDirectory(folder);
    Files.createSymbolicLink(folder.resolve("9092.endpoint"), elsewhere.resolve("9092.endpoint"));
    assertThat(endpoints.lookup("localhost", PORT).reason()).contains("is no regular file");
  }

  @Test
  void ignoresWhatItCanNotRead() throws IOException {
    Path file = endpoints.publish(PORT, ENDPOINT).file();
    String good = Files.readString(file);

    Map<String, String> reasonOfContent =
        Map.of(
            "",
            "no line format=",
            good.replace("format=1", "format=2"),
            "format '2', expected '1'",
            good.replace("endpoint=", "end="),
            "no line endpoint=",
            good.replace("publication=", "p="),
            "no line publication=",
            good.replace("shm:/run", "shm:run"),
            "not of the form",
            good.replaceFirst("shm:.*", "tcp://10.0.0.1:9092"),
            "is no path",
            good + "format=1\n",
            "line 5 gives 'format' again",
            good + "nonsense\n",
            "line 5 is not of the form",
            good + "address=broker.example.com\n",
            "'broker.example.com' is no address",
            good + "x=" + "y".repeat(LocalEndpoints.FILE_BYTES_MAX),
            "more than 4096 bytes");
    reasonOfContent.forEach(
        (content, reason) -> {
          writeString(file, content);
          assertThat(endpoints.find("localhost", PORT)).isEmpty();
          assertThat(endpoints.lookup("localhost", PORT).reason()).contains(reason);
        });
    writeString(file, good + "added.by.a.later.version=1\n");
    assertThat(endpoints.find("localhost", PORT)).contains(ENDPOINT);
    Files.write(file, new byte[] {'f', (byte) 0xff, '='});
    assertThat(endpoints.find("localhost", PORT)).isEmpty();
  }

  @Test
  void refusesToPublishWhatIsNoPathOrWouldBreakTheFile() {
    assertThatThrownBy(() -> endpoints.publish(PORT, Endpoint.tcp("localhost", PORT)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no path");
    assertThatThrownBy(() -> endpoints.publish(PORT, Endpoint.ofPath("shm", "/a\nendpoint=b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("control character");
    assertThat(folder).doesNotExist();
  }

  @Test
  void looksInFurtherFoldersToo() throws IOException {
    Path second = temp.resolve("second");
    new LocalEndpoints(List.of(second), uid, network).publish(PORT, ENDPOINT);
    LocalEndpoints both = new LocalEndpoints(List.of(folder, second), uid, network);

    assertThat(both.runtimeFolder()).isEqualTo(folder);
    assertThat(both.find("localhost", PORT)).contains(ENDPOINT);
    assertThat(both.lookup("localhost", 1).reason()).contains(folder.toString(), second.toString());
  }

  @Test
  void doesNothingWhereTheSystemDoesNotTellUsers() throws IOException {
    LocalEndpoints unknown = new LocalEndpoints(List.of(folder), OptionalLong.empty(), network);

    try (LocalEndpoints.Publication publication = unknown.publish(PORT, ENDPOINT)) {
      assertThat(publication.file()).doesNotExist();
      assertThat(folder).doesNotExist();
      assertThat(unknown.lookup("localhost", PORT).endpoint()).isEmpty();
      assertThat(unknown.lookup("localhost", PORT).reason()).contains("does not tell the user");
    }
  }

  @Test
  void choosesAFolderForEachPort() {
    assertThat(endpoints.defaultEndpoint(1234))
        .isEqualTo(Endpoint.ofPath("shm", folder + "/node-1234"));
  }

  @Test
  void knowsThisSystem() throws IOException {
    LocalEndpoints system = LocalEndpoints.ofSystem();
    SystemNetwork systemNetwork = new SystemNetwork();

    assertThat(system.runtimeFolder()).isAbsolute();
    assertThat(system.runtimeFolder().getFileName().toString()).startsWith("weirmq");
    assertThat(systemNetwork.identity()).get().asString().startsWith("net:[");
    assertThat(systemNetwork.isOwn(InetAddress.getLoopbackAddress())).isTrue();
    assertThat(systemNetwork.isOwn(InetAddress.getByName("192.0.2.1")))
        .as("an address that is reserved for documentation")
        .isFalse();
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void writeString(Path file, String content) {
    try {
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A machine with the addresses 127.0.0.1, ::1 and 192.0.2.1 and a small host table. */
  private static final class FakeNetwork implements LocalNetwork {

    private static final Map<String, List<String>> HOSTS =
        Map.of(
            "localhost", List.of("127.0.0.1", "::1"),
            "127.0.0.1", List.of("127.0.0.1"),
            "192.0.2.1", List.of("192.0.2.1"),
            "broker-2", List.of("192.0.2.99"),
            "half-mine", List.of("192.0.2.1", "192.0.2.99"));

    private Optional<String> identity = Optional.of("net:[1]");
    private int resolved;

    @Override
    public Optional<String> identity() {
      return identity;
    }

    @Override
    public List<InetAddress> resolve(String host) throws UnknownHostException {
      resolved++;
      List<String> known = HOSTS.get(host);
      if (known == null) {
        throw new UnknownHostException(host);
      }
      InetAddress[] addresses = new InetAddress[known.size()];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = InetAddress.getByName(known.get(i));
      }
      return List.of(addresses);
    }

    @Override
    public boolean isOwn(InetAddress address) {
      return address.isLoopbackAddress() || address.getHostAddress().equals("192.0.2.1");
    }
  }
}
