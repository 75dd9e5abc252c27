package io.weirmq.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EndpointTest {

  @Test
  void readsTheFormThatItWrites() {
    assertThat(Endpoint.parse("tcp://127.0.0.1:9092"))
        .isEqualTo(new Endpoint("tcp", "127.0.0.1", 9092));
    assertThat(Endpoint.parse("TCP://[::1]:0")).isEqualTo(new Endpoint("tcp", "::1", 0));
    assertThat(Endpoint.parse("tcp://:9092")).isEqualTo(new Endpoint("tcp", "", 9092));
    assertThat(new Endpoint("tcp", "::1", 9092)).hasToString("tcp://[::1]:9092");
    assertThat(Endpoint.tcp("localhost", 0).withPort(7)).hasToString("tcp://localhost:7");
  }

  @Test
  void readsPathsOfTransportsWithoutPorts() {
    assertThat(Endpoint.parse("shm:/run/weirmq")).isEqualTo(new Endpoint("shm", "/run/weirmq", 0));
    assertThat(Endpoint.parse("SHM:///run/weirmq"))
        .isEqualTo(Endpoint.ofPath("shm", "/run/weirmq"));
    assertThat(Endpoint.parse("shm:/with blank/and:colon").host())
        .isEqualTo("/with blank/and:colon");
    assertThat(Endpoint.parse("shm:///run/weirmq")).hasToString("shm:/run/weirmq");
    assertThat(Endpoint.parse("shm:/run/weirmq").isPath()).isTrue();
    assertThat(Endpoint.tcp("localhost", 1).isPath()).isFalse();
  }

  @Test
  void aPathHasNoPort() {
    Endpoint path = Endpoint.ofPath("shm", "/run/weirmq");

    assertThat(path.withPort(0)).isEqualTo(path);
    assertThatThrownBy(() -> path.withPort(9092))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("shm:/run/weirmq")
        .hasMessageContaining("9092");
    assertThatThrownBy(() -> Endpoint.ofPath("shm", "run"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("run");
    assertThatThrownBy(() -> Endpoint.ofPath("tcp", "/run"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tcp://host:port");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shm:",
        "shm:run",
        "shm",
        ":/run",
        "tcp:///run",
        "9092",
        "localhost:9092",
        "://h:1",
        "tcp://h",
        "tcp:/h:1",
        "tcp://h:",
        "tcp://h:x",
        "tcp://::1:9092",
        "tcp://h:70000",
        "tcp://h:-1"
      })
  void refusesOtherForms(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
