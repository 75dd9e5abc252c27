package io.weirmq.bench.peers;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import java.util.List;

/** Between processes of one host: raw messages, durable topics, clients at rest. Stateless. */
public final class IpcSuite implements Suite {

  /** Messages that nobody keeps. */
  static final String TRANSPORT = "transport";

  /** Messages of a topic or log that outlives its processes. */
  static final String DURABLE = "durable";

  /** Kafka's own clients, over one transport or another. */
  static final String KAFKA_OVER = "kafka-over";

  /** Clients of a broker at rest. */
  static final String IDLE = "idle";

  private static final int SMALL = 100;
  private static final int LARGE = 1024;
  private static final long PER_SECOND = 100_000;

  /** What Kafka's clients sustain over either transport. */
  private static final long KAFKA_PER_SECOND = 20_000;

  private static final long WAKE_UPS_PER_SECOND = 50;

  /** Made by the service loader. */
  public IpcSuite() {}

  @Override
  public String name() {
    return "ipc";
  }

  @Override
  public String description() {
    return "Messages between processes of one host: transports alone, durable topics, Kafka's clients, clients at rest.";
  }

  @Override
  public List<Scenario> scenarios() {
    return List.of(
        unpaced(
            "rtt-100",
            "Round trip of 100 B, one in flight",
            TRANSPORT,
            MeasureKind.ROUND_TRIP,
            SMALL),
        unpaced("raw-100", "One way, 100 B", TRANSPORT, MeasureKind.THROUGHPUT, SMALL),
        unpaced("raw-1k", "One way, 1 KiB", TRANSPORT, MeasureKind.THROUGHPUT, LARGE),
        new Scenario(
            "raw-paced-100",
            "One way, 100 B at 100,000/s, a sender that sleeps between: what it costs",
            TRANSPORT,
            MeasureKind.LATENCY,
            SMALL,
            PER_SECOND,
            Pacing.PARK),
        new Scenario(
            "durable-latency-100",
            "Durable topic, 100 B at 100,000/s",
            DURABLE,
            MeasureKind.LATENCY,
            SMALL,
            PER_SECOND,
            Pacing.YIELD),
        unpaced("durable-100", "Durable topic, 100 B", DURABLE, MeasureKind.THROUGHPUT, SMALL),
        unpaced("durable-1k", "Durable topic, 1 KiB", DURABLE, MeasureKind.THROUGHPUT, LARGE),
        new Scenario(
            "kafka-over-latency-100",
            "Kafka's clients, 100 B at 20,000/s",
            KAFKA_OVER,
            MeasureKind.LATENCY,
            SMALL,
            KAFKA_PER_SECOND,
            Pacing.PARK),
        unpaced(
            "kafka-over-100", "Kafka's clients, 100 B", KAFKA_OVER, MeasureKind.THROUGHPUT, SMALL),
        unpaced(
            "kafka-over-1k", "Kafka's clients, 1 KiB", KAFKA_OVER, MeasureKind.THROUGHPUT, LARGE),
        new Scenario(
            "idle-20",
            "20 clients at rest, one of which is woken every 20 ms afterwards",
            IDLE,
            MeasureKind.IDLE,
            SMALL,
            WAKE_UPS_PER_SECOND,
            Pacing.PARK));
  }

  private static Scenario unpaced(
      String id, String title, String category, MeasureKind kind, int messageBytes) {
    return new Scenario(id, title, category, kind, messageBytes, 0, Pacing.NONE);
  }
}
