package io.weirmq.bench.peers.kafka;

import io.weirmq.bench.compare.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * The topic of a turn, whatever client uses it. Settings, each of which may be missing: {@code
 * partitions} (1), {@code partition} (0) of a link, {@code pollMs} (100) a receiver waits at a
 * time. Stateless.
 */
public final class Topics {

  /** Its name. */
  public static final String NAME = "compare";

  private static final String POLL_MS = "100";

  private Topics() {}

  /** Makes the topic; only the link of the first partition does. Setting: {@code bootstrap}. */
  public static void create(Settings settings) throws ExecutionException, InterruptedException {
    if (partition(settings) != 0) {
      return;
    }
    int partitions = Integer.parseInt(settings.find("partitions").orElse("1"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.text("bootstrap")))) {
      admin.createTopics(List.of(new NewTopic(NAME, partitions, (short) 1))).all().get();
    }
  }

  /** The partition of a link. */
  public static int partition(Settings settings) {
    return Integer.parseInt(settings.find("partition").orElse("0"));
  }

  /** How long a receiver waits at a time. */
  public static Duration pollTimeout(Settings settings) {
    return Duration.ofMillis(Long.parseLong(settings.find("pollMs").orElse(POLL_MS)));
  }
}
