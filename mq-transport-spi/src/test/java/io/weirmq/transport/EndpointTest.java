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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
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
