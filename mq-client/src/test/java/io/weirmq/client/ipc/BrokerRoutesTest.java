package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which hosts may cost a question to a name server. */
class BrokerRoutesTest {

  @TempDir Path folder;

  private boolean mayAsk(TransportMode mode, String host) {
    IpcClientOptions options =
        IpcClientOptions.of(Endpoint.tcp("127.0.0.1", 9092))
            .withRuntimeFolder(folder)
            .withTransport(mode);
    return new BrokerRoutes(options).mayAskNameServer(Endpoint.tcp(host, 9092));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST",
        "127.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
        "2001:DB8::7"
      })
  void addressesAndLocalhostAskNobody(String host) {
    assertThat(mayAsk(TransportMode.AUTO, host)).isFalse();
    assertThat(mayAsk(TransportMode.SHM, host)).isFalse();
  }

  /** The last four are no addresses, and are looked up like any name. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "broker-1",
        "broker.example.org",
        "beef",
        "1.2.3.256",
        "1.2.3",
        "1.2.3.4.",
        "x::1"
      })
  void namesMayAsk_butWhereOnlyTcpIsTaken(String host) {
    assertThat(mayAsk(TransportMode.AUTO, host)).isTrue();
    assertThat(mayAsk(TransportMode.SHM, host)).isTrue();
    assertThat(mayAsk(TransportMode.TCP, host)).isFalse();
  }

  @Test
  void aPathHasNoHost() {
    IpcClientOptions options = IpcClientOptions.of(Endpoint.ofPath("shm", "/run/weirmq/node"));
    BrokerRoutes routes = new BrokerRoutes(options);
    assertThat(routes.mayAskNameServer(Endpoint.ofPath("shm", "/run/weirmq/node"))).isFalse();
  }
}
