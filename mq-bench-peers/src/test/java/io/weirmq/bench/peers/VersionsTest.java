package io.weirmq.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.AeronVersion;
import io.netty.util.Version;
import io.weirmq.bench.compare.Contestant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.openhft.chronicle.queue.ChronicleQueue;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.zeromq.ZMQ;

/** What reports call a peer is what is on the class path. */
class VersionsTest {

  @Test
  void librariesAreWhatTheyAreCalled() throws Exception {
    assertThat(Versions.of("aeron")).isEqualTo(AeronVersion.VERSION);
    assertThat(Versions.of("kafka")).isEqualTo(AppInfoParser.getVersion());
    assertThat(Version.identify().values())
        .extracting(Version::artifactVersion)
        .containsOnly(Versions.of("netty"));
    // These two don't tell at run time what they are.
    assertThat(jarOf(ZMQ.class)).isEqualTo("jeromq-%s.jar".formatted(Versions.of("jeromq")));
    assertThat(jarOf(ChronicleQueue.class))
        .isEqualTo("chronicle-queue-%s.jar".formatted(Versions.of("chronicle-queue")));
  }

  private static String jarOf(Class<?> type) throws Exception {
    Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    return String.valueOf(jar.getFileName());
  }

  @Test
  void kafkasServerHasTheVersionOfItsClients() throws Exception {
    assertThat(Files.readString(Path.of("../compat/pom.xml")))
        .contains("<kafka.version>" + Versions.of("kafka") + "</kafka.version>");
  }

  @Test
  void titlesNameThem() {
    List<String> titles =
        new PeerContestants().contestants().stream().map(Contestant::title).toList();

    assertThat(titles)
        .contains(
            "Aeron IPC " + Versions.of("aeron") + ", spin",
            "Netty " + Versions.of("netty") + " TCP alone",
            "JeroMQ " + Versions.of("jeromq") + ", PAIR over TCP",
            "Aeron Archive " + Versions.of("aeron") + ", recorded IPC",
            "Chronicle Queue " + Versions.of("chronicle-queue"),
            "Kafka " + Versions.of("kafka") + " broker and clients, TCP");
  }

  @Test
  void anUnknownLibraryIsRefused() {
    assertThatThrownBy(() -> Versions.of("rabbit"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no version of 'rabbit'");
  }
}
