package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.client.kafka.internal.KafkaInternals;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.admin.ForwardingAdmin;
import org.apache.kafka.common.metrics.Metrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A client of Kafka whose network can't be replaced. */
@Timeout(120)
final class MisfitTest {

  /** Its network client has no selector. Fields are found by reflection. */
  static final class OtherAdmin extends ForwardingAdmin {

    final KafkaClient client =
        (KafkaClient)
            Proxy.newProxyInstance(
                KafkaClient.class.getClassLoader(),
                new Class<?>[] {KafkaClient.class},
                (proxy, method, arguments) -> null);

    final Metrics metrics = new Metrics();

    OtherAdmin(Map<String, Object> configs) {
      super(configs);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // which tells what a process holds
  void itLeavesNoTransportOpenThatWasOpenedForIt() throws Exception {
    Map<String, Object> config =
        Map.of("bootstrap.servers", "127.0.0.1:1", "shm.wait.strategy", "adaptive");
    long before = selectorCount();

    assertThatThrownBy(
            () ->
                LocalClients.<ForwardingAdmin>make(
                    config, OtherAdmin::new, KafkaInternals::ofAdmin))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not fit");

    assertThat(selectorCount()).isEqualTo(before);
  }

  private static long selectorCount() throws IOException {
    long count = 0;
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : (Iterable<Path>) descriptors::iterator) {
        try {
          if (Files.readSymbolicLink(each).toString().contains("eventpoll")) {
            count++;
          }
        } catch (NoSuchFileException e) {
          // closed meanwhile, as that of the listing itself
        }
      }
    }
    return count;
  }
}
