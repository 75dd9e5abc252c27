package io.weirmq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("OP-10 what clients are told about listeners")
class AdvertisedListenersTest {

  @ParameterizedTest(name = "{0} advertised {1}, host name {2} -> {3}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // listeners | advertised.listeners | canonical name | told
        "PLAINTEXT://127.0.0.1:9092|-|box.example|PLAINTEXT 127.0.0.1:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:9092|-|box.example|PLAINTEXT 0.0.0.0:9092 -> box.example:9092",
        "PLAINTEXT://0.0.0.0:9092|-|box.example|PLAINTEXT 0.0.0.0:9092 -> box.example:9092",
        "PLAINTEXT://[::]:9092|-|box.example|PLAINTEXT 0.0.0.0:9092 -> box.example:9092",
        "PLAINTEXT://:9092|-|-|PLAINTEXT 0.0.0.0:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:9092|-|localhost|PLAINTEXT 0.0.0.0:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:9092|-|localhost.localdomain|PLAINTEXT 0.0.0.0:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:9092|-|0.0.0.0|PLAINTEXT 0.0.0.0:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:9092|-|nowhere.example|PLAINTEXT 0.0.0.0:9092 -> 127.0.0.1:9092",
        "PLAINTEXT://:0|-|box.example|PLAINTEXT 0.0.0.0:40000 -> box.example:40000",
        "PLAINTEXT://[::1]:0|-|box.example|PLAINTEXT [::1]:40000 -> [::1]:40000",
        "PLAINTEXT://:9092|PLAINTEXT://pub.example:19092|box.example|"
            + "PLAINTEXT 0.0.0.0:9092 -> pub.example:19092",
        "PLAINTEXT://127.0.0.1:0|PLAINTEXT://pub.example:0|-|"
            + "PLAINTEXT 127.0.0.1:40000 -> pub.example:40000",
        "plaintext://127.0.0.1:9092|PlainText://pub.example:1|-|"
            + "PLAINTEXT 127.0.0.1:9092 -> pub.example:1",
      })
  void op10_matrix(
      String listeners, @Nullable String advertised, @Nullable String hostName, String told)
      throws ConfigException {
    Map<String, String> values = new HashMap<>(Map.of("listeners", listeners));
    if (advertised != null) {
      values.put("advertised.listeners", advertised);
    }

    assertThat(resolve(values, hostName)).extracting(Object::toString).containsExactly(told);
  }

  @Test
  void op10_eachListenerIsOverriddenByItself() throws ConfigException {
    Map<String, String> values =
        Map.of(
            "listeners", "INSIDE://10.0.0.1:9092,OUTSIDE://:9093",
            "listener.security.protocol.map", "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
            "advertised.listeners", "OUTSIDE://pub.example:443");

    assertThat(resolve(values, "box.example"))
        .extracting(Object::toString)
        .containsExactly(
            "INSIDE 10.0.0.1:9092 -> 10.0.0.1:9092", "OUTSIDE 0.0.0.0:9093 -> pub.example:443");
  }

  @Test
  void op10_aGuessAndAnUnknownNameAreRemarkedUpon() throws ConfigException {
    assertThat(resolve(Map.of("listeners", "PLAINTEXT://:9092"), "box.example").get(0).remark())
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .contains("all interfaces", "advertised.listeners=PLAINTEXT://HOST:9092"));
    assertThat(
            resolve(
                    Map.of(
                        "listeners", "PLAINTEXT://:9092",
                        "advertised.listeners", "PLAINTEXT://nowhere.example:1"),
                    "box.example")
                .get(0)
                .remark())
        .hasValueSatisfying(text -> assertThat(text).contains("nowhere.example", "not resolve"));
    assertThat(resolve(Map.of("listeners", "PLAINTEXT://127.0.0.1:1"), null).get(0).remark())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      nullValues = "-",
      value = {
        "PLAINTEXT://a:1|PLAINTEXT://0.0.0.0:9092|wildcard address",
        "PLAINTEXT://a:1|PLAINTEXT://:9092|wildcard address",
        "PLAINTEXT://a:1|PLAINTEXT://[::]:9092|wildcard address",
        "PLAINTEXT://a:1|OTHER://b:1|OTHER is none of the listeners [PLAINTEXT]",
        "a:1|-|'a:1': expected NAME://host:port",
        "PLAINTEXT://a|-|expected NAME://host:port",
        "PLAINTEXT://::1:9092|-|expected NAME://host:port",
        "PLAINTEXT://a:65536|-|expected a port from 0 to 65535",
        "PLAINTEXT://a:-1|-|expected a port from 0 to 65535",
        "PLAINTEXT://a:1,plaintext://a:2|-|listener name PLAINTEXT occurs twice",
        "PLAINTEXT://a:1,SSL://a:2|-|listener SSL has protocol SSL; only PLAINTEXT and SHM are"
            + " served",
        "SHM://|-|none of [SHM] has a port",
        "PLAINTEXT://a:1,SHM://run|-|'SHM://run': expected SHM:///folder, or SHM://",
        "PLAINTEXT://a:1,SHM://b:2|-|'SHM://b:2': expected SHM:///folder",
        "PLAINTEXT://a:1,SHM:///x,SHM:///y|-|listener name SHM occurs twice",
        "PLAINTEXT://a:1,SHM:///x|SHM://b:1|SHM is shared memory, which clients find by the port",
        "PLAINTEXT:///x|-|'PLAINTEXT:///x': expected NAME://host:port",
        "MINE://a:1|-|listener MINE has no entry in listener.security.protocol.map",
      })
  void op10_wrongSetUpsStopTheStart(String listeners, @Nullable String advertised, String message) {
    Map<String, String> values = new HashMap<>(Map.of("listeners", listeners));
    if (advertised != null) {
      values.put("advertised.listeners", advertised);
    }

    assertThatThrownBy(() -> BrokerConfig.of(values))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("(program)");
  }

  @Test
  void portsOfListenersDiffer() {
    assertThatThrownBy(
            () ->
                BrokerConfig.of(
                    Map.of(
                        "listeners", "A://a:9092,B://a:9092",
                        "listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT",
                        "inter.broker.listener.name", "C")))
        .hasMessageContaining("port 9092 occurs twice")
        .hasMessageContaining("C is none of the listeners [A, B]");
  }

  private static List<AdvertisedListener> resolve(
      Map<String, String> values, @Nullable String hostName) throws ConfigException {
    return new AdvertisedListeners(new FixedNames(Optional.ofNullable(hostName)))
        .resolve(
            BrokerConfig.of(values).listeners(),
            name -> bound(values.getOrDefault("listeners", ""), name));
  }

  /** The port that is asked for, or 40000 where the system was to choose. */
  private static int bound(String listeners, String name) {
    for (String listener : listeners.split(",")) {
      if (listener.toUpperCase(java.util.Locale.ROOT).startsWith(name + ":")) {
        int port = Integer.parseInt(listener.substring(listener.lastIndexOf(':') + 1));
        return port == 0 ? 40_000 : port;
      }
    }
    throw new AssertionError(name);
  }

  private record FixedNames(Optional<String> canonicalName) implements HostNames {

    private static final Set<String> KNOWN = Set.of("box.example", "pub.example", "127.0.0.1");

    @Override
    public boolean resolves(String host) {
      return KNOWN.contains(host);
    }
  }
}
