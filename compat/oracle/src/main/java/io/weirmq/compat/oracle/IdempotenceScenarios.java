package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.produce;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;

/** InitProducerId without transactions, sequences of idempotent producers, DescribeProducers. */
final class IdempotenceScenarios {
  private IdempotenceScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("init-producer-id", IdempotenceScenarios::init),
        new Scenario("idempotence", IdempotenceScenarios::sequences),
        new Scenario("idempotence-window", IdempotenceScenarios::window),
        new Scenario("idempotence-epochs", IdempotenceScenarios::epochs),
        new Scenario("idempotence-wrap", IdempotenceScenarios::wrap),
        new Scenario("describe-producers", IdempotenceScenarios::describe));
  }

  private static InitProducerIdRequestData init() {
    return new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000);
  }

  private static long producerId(Session s) {
    InitProducerIdResponseData answer = s.quietly(() -> s.call("", 4, init()));
    return answer.producerId();
  }

  private static void init(Session s) {
    // The first block of ids may still have to come from the controller.
    s.until(
        "producer ids", () -> s.<InitProducerIdResponseData>call("", 4, init()).errorCode() == 0);
    for (int version : s.versions(ApiMessageType.INIT_PRODUCER_ID)) {
      if (version > 5) {
        continue; // not stable
      }
      s.call("new", version, init());
      s.call("one more", version, init());
      s.call("timeout 0", version, init().setTransactionTimeoutMs(0));
      s.call("empty transactional id", version, init().setTransactionalId(""));
      if (version >= 3) {
        s.call(
            "with an id and epoch of its own",
            version,
            init().setProducerId(4711).setProducerEpoch((short) 3));
        s.call("with an id only", version, init().setProducerId(4711));
        s.call("with an epoch only", version, init().setProducerEpoch((short) 3));
      }
    }
  }

  private static void sequences(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    for (int version : List.of(3, 9, 12, 13)) {
      long producer = producerId(s);
      String v = "";
      s.call(v + "0-1", version, produce(topic, id, 0, -1, batch(producer, 0, 0, "a", "b")));
      s.call(v + "2", version, produce(topic, id, 0, -1, batch(producer, 0, 2, "c")));
      s.call(v + "2 again", version, produce(topic, id, 0, -1, batch(producer, 0, 2, "c")));
      s.call(v + "0-1 again", version, produce(topic, id, 0, 1, batch(producer, 0, 0, "a", "b")));
      s.call(v + "gap", version, produce(topic, id, 0, -1, batch(producer, 0, 9, "z")));
      s.call(
          v + "part of an old one", version, produce(topic, id, 0, -1, batch(producer, 0, 1, "b")));
      s.call(v + "3 after all", version, produce(topic, id, 0, -1, batch(producer, 0, 3, "d")));
    }
    long unseen = producerId(s);
    s.call("unseen producer, sequence 5", 9, produce(topic, id, 0, -1, batch(unseen, 0, 5, "a")));
    s.call("then 6", 9, produce(topic, id, 0, -1, batch(unseen, 0, 6, "a")));
    s.call("then 5 again", 9, produce(topic, id, 0, -1, batch(unseen, 0, 5, "a")));
    s.call("an id nobody gave out", 9, produce(topic, id, 0, -1, batch(99_999_999, 0, 0, "a")));
    s.call(
        "producer id without a sequence",
        9,
        produce(topic, id, 0, -1, Batches.edited(batch(unseen, 0, 7, "a"), b -> b.putInt(53, -1))));
    s.call(
        "producer id without an epoch",
        9,
        produce(
            topic,
            id,
            0,
            -1,
            Batches.edited(batch(unseen, 0, 7, "a"), b -> b.putShort(51, (short) -1))));
    s.call("all of it", 12, Requests.fetch(topic, id, Requests.fetchPartition(0, 0)));
  }

  private static org.apache.kafka.common.record.internal.MemoryRecords batch(
      long producer, int epoch, int sequence, String... values) {
    return Batches.idempotent(producer, epoch, sequence, values);
  }

  /** The last five batches are known, the sixth is not. */
  private static void window(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    long producer = producerId(s);
    for (int i = 0; i < 8; i++) {
      s.call("batch " + i, 9, produce(topic, id, 0, -1, batch(producer, 0, i, "v" + i)));
    }
    for (int i = 7; i >= 0; i--) {
      s.call("again " + i, 9, produce(topic, id, 0, -1, batch(producer, 0, i, "v" + i)));
    }
    s.call("end", 5, Requests.listOffsets(topic, 0, -1));
  }

  private static void epochs(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    long producer = producerId(s);
    s.call("epoch 3", 9, produce(topic, id, 0, -1, batch(producer, 3, 0, "a")));
    s.call("older epoch", 9, produce(topic, id, 0, -1, batch(producer, 2, 1, "b")));
    s.call("older epoch, v13", 13, produce(topic, id, 0, -1, batch(producer, 2, 1, "b")));
    s.call("newer epoch, sequence 4", 9, produce(topic, id, 0, -1, batch(producer, 4, 4, "b")));
    s.call("newer epoch, sequence 0", 9, produce(topic, id, 0, -1, batch(producer, 4, 0, "b")));
    s.call(
        "batch of the older epoch again", 9, produce(topic, id, 0, -1, batch(producer, 3, 0, "a")));
    s.call("end", 5, Requests.listOffsets(topic, 0, -1));
  }

  private static void wrap(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    long producer = producerId(s);
    int max = Integer.MAX_VALUE;
    s.call(
        "up to the maximum", 9, produce(topic, id, 0, -1, batch(producer, 0, max - 1, "a", "b")));
    s.call("then 0", 9, produce(topic, id, 0, -1, batch(producer, 0, 0, "c")));
    s.call("0 again", 9, produce(topic, id, 0, -1, batch(producer, 0, 0, "c")));
    long other = producerId(s);
    s.call("start before it", 9, produce(topic, id, 0, -1, batch(other, 0, max, "a", "b", "c")));
    s.call("then 2", 9, produce(topic, id, 0, -1, batch(other, 0, 2, "d")));
    s.call("over it again", 9, produce(topic, id, 0, -1, batch(other, 0, max, "a", "b", "c")));
  }

  private static DescribeProducersRequestData describe(String topic, Integer... partitions) {
    return new DescribeProducersRequestData()
        .setTopics(
            List.of(new TopicRequest().setName(topic).setPartitionIndexes(List.of(partitions))));
  }

  private static void describe(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 2, Map.of());
    s.call("none yet", 0, describe(topic, 0, 1));
    long producer = producerId(s);
    Requests.append(s, topic, 0, batch(producer, 0, 0, "a", "b"));
    Requests.append(s, topic, 0, batch(producer, 0, 2, "c"));
    s.call("one", 0, describe(topic, 0, 1));
    s.call("unknown partition", 0, describe(topic, 9));
    s.call("unknown topic", 0, describe(s.name("none"), 0));
    s.call("illegal topic", 0, describe("a b", 0));
    s.call("end", 12, Requests.fetch(topic, id, Requests.fetchPartition(0, 0)));
  }
}
