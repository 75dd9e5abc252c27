package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** That each run of these tests has the version of kafka-clients that it is meant for. */
final class KafkaVersionsTest {

  @Test
  @EnabledIfSystemProperty(named = "kafka.expected.version", matches = ".+")
  void theClassPathHasTheVersionOfThisRun() throws Exception {
    Properties properties = new Properties();
    try (InputStream stream =
        KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      properties.load(stream);
    }

    assertThat(properties.getProperty("version"))
        .isEqualTo(System.getProperty("kafka.expected.version"));
  }
}
