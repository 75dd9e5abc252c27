package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

/** What a version of Kafka meets that has other internals. */
final class KafkaInternalsTest {

  @Test
  void aClientWithOtherInternalsIsRefusedWithWhatIsMissingAndWhatWouldFit() {
    Admin other =
        (Admin)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) -> null);

    assertThatThrownBy(() -> KafkaInternals.ofAdmin(other))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("kafka-clients 4.")
        .hasMessageContaining("no field of type org.apache.kafka.clients.KafkaClient")
        .hasMessageContaining(KafkaInternals.KNOWN_VERSIONS)
        .hasMessageContaining("transport=tcp");
  }
}
