package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.produce;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Produce without a producer id: good batches, and every way in which a batch can be bad. */
final class ProduceScenarios {
  private static final long DAY_MS = 86_400_000;

  /** Above the version that carries names, a topic is told by its id. */
  private static final int FIRST_BY_ID = 13;

  private static final Map<String, Compression> CODECS = codecs();

  private ProduceScenarios() {}

  private static Map<String, Compression> codecs() {
    Map<String, Compression> codecs = new LinkedHashMap<>();
    codecs.put("gzip", Compression.gzip().build());
    codecs.put("snappy", Compression.snappy().build());
    codecs.put("lz4", Compression.lz4().build());
    codecs.put("zstd", Compression.zstd().build());
    return codecs;
  }

  static List<Scenario> all() {
    return List.of(
        new Scenario("produce", ProduceScenarios::good),
        new Scenario("produce-addresses", ProduceScenarios::addresses),
        new Scenario("produce-bad-batch", ProduceScenarios::badBatches),
        new Scenario("produce-compression", ProduceScenarios::compression),
        new Scenario("produce-recompress", ProduceScenarios::recompression),
        new Scenario("produce-limits", ProduceScenarios::limits),
        new Scenario("produce-append-time", ProduceScenarios::appendTime),
        new Scenario("produce-says-append-time", ProduceScenarios::saysAppendTime),
        new Scenario("produce-compacted", ProduceScenarios::compacted),
        new Scenario("produce-no-answer", ProduceScenarios::noAnswer));
  }

  private static List<Integer> versions(Session s) {
    // Versions below 3 are advertised for the sake of old clients, not served.
    return s.versions(ApiMessageType.PRODUCE).stream().filter(version -> version >= 3).toList();
  }

  /** Everything that the partition holds, to see what a bad request has left behind. */
  private static void readBack(Session s, String label, String topic, Uuid id) {
    s.call(label, 12, Requests.fetch(topic, id, Requests.fetchPartition(0, 0)));
  }

  private static void good(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 2, Map.of());
    for (int version : versions(s)) {
      for (int acks : new int[] {1, -1}) {
        s.call("acks " + acks, version, produce(topic, id, 0, acks, Batches.plain("a", "b")));
      }
      s.call("acks 2", version, produce(topic, id, 0, 2, Batches.plain("a")));
      s.call("acks -2", version, produce(topic, id, 0, -2, Batches.plain("a")));
      ProduceRequestData both = produce(topic, id, 0, -1, Batches.plain("x"));
      both.topicData()
          .iterator()
          .next()
          .setPartitionData(
              List.of(
                  new PartitionProduceData().setIndex(1).setRecords(Batches.plain("y")),
                  new PartitionProduceData().setIndex(0).setRecords(Batches.plain("x")),
                  new PartitionProduceData().setIndex(7).setRecords(Batches.plain("z"))));
      s.call("two good partitions and an unknown one", version, both);
      s.call("no topics", version, new ProduceRequestData().setAcks((short) 1).setTimeoutMs(1000));
    }
    readBack(s, "all of it", topic, id);
  }

  private static void addresses(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    MemoryRecords batch = Batches.plain("a");
    for (int version : versions(s)) {
      s.call("partition 5 of 1", version, produce(topic, id, 5, 1, batch));
      s.call("partition -1", version, produce(topic, id, -1, 1, batch));
      if (version < FIRST_BY_ID) {
        s.call("unknown topic", version, produce(s.name("none"), id, 0, 1, batch));
        s.call("illegal topic", version, produce("a b", id, 0, 1, batch));
        s.call("empty topic name", version, produce("", id, 0, 1, batch));
        s.call("internal topic", version, produce("__consumer_offsets", id, 0, 1, batch));
      } else {
        s.call("unknown topic id", version, produce("", new Uuid(7, 7), 0, 1, batch));
        s.call("zero topic id", version, produce("", Uuid.ZERO_UUID, 0, 1, batch));
      }
    }
    ProduceRequestData good = produce(topic, id, 0, -1, batch);
    good.topicData()
        .add(
            new TopicProduceData()
                .setName(s.name("none"))
                .setPartitionData(
                    List.of(new PartitionProduceData().setIndex(0).setRecords(batch))));
    s.call("a good topic and an unknown one", 9, good);
  }

  private static void badBatches(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    Map<String, MemoryRecords> bad = new LinkedHashMap<>();
    bad.put("null", null);
    bad.put("no bytes", Batches.empty());
    bad.put("wrong checksum", Batches.badCrc());
    bad.put("magic 0", Batches.magic(0));
    bad.put("magic 1", Batches.magic(1));
    bad.put("magic 3", Batches.magic(3));
    bad.put("length 1 too long", Batches.length(1));
    bad.put("length 1 too short", Batches.length(-1));
    bad.put("length 0", Batches.edited(Batches.plain("a"), b -> b.putInt(8, 0)));
    bad.put("length -1", Batches.edited(Batches.plain("a"), b -> b.putInt(8, -1)));
    bad.put("length 2 GiB", Batches.edited(Batches.plain("a"), b -> b.putInt(8, 0x7fffffff)));
    bad.put("one byte missing", Batches.truncated(1));
    bad.put("many bytes missing", Batches.truncated(20));
    bad.put("60 bytes only", Batches.prefix(60));
    bad.put("61 bytes only", Batches.prefix(61));
    bad.put("11 bytes only", Batches.prefix(11));
    bad.put("count too large", Batches.count(3));
    bad.put("count too small", Batches.count(1));
    bad.put("count 0", Batches.count(0));
    bad.put("count -1", Batches.count(-1));
    bad.put("count huge", Batches.count(0x7fffffff));
    bad.put("last offset delta too large", Batches.lastOffsetDelta(5));
    bad.put("last offset delta too small", Batches.lastOffsetDelta(0));
    bad.put("last offset delta negative", Batches.lastOffsetDelta(-1));
    bad.put("base offset 5", Batches.baseOffset(5));
    bad.put("two batches", Batches.two("a", "b"));
    bad.put("control batch", Batches.attributes(0x20));
    bad.put("codec 5", Batches.attributes(0x05));
    bad.put("codec 7", Batches.attributes(0x07));
    bad.put("record length negative", Batches.brokenRecord(0, 0x01));
    bad.put("record length too long", Batches.brokenRecord(0, 0x7e));
    bad.put("key length too long", Batches.brokenRecord(4, 0x7e));
    for (int version : versions(s)) {
      for (Map.Entry<String, MemoryRecords> entry : bad.entrySet()) {
        boolean sample = version == 3 || version == 7 || version == 11 || version >= 13;
        if (sample) {
          s.call(entry.getKey(), version, produce(topic, id, 0, -1, entry.getValue()));
        }
      }
    }
    s.call(
        "a max timestamp that is too late",
        9,
        produce(topic, id, 0, -1, Batches.maxTimestamp(Batches.TIME_MS + 5_000)));
    s.call(
        "a max timestamp that is too early",
        9,
        produce(topic, id, 0, -1, Batches.maxTimestamp(Batches.TIME_MS - 5_000)));
    readBack(s, "what is left of it", topic, id);
  }

  private static void compression(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    String text = "some text that repeats itself ".repeat(20);
    for (int version : versions(s)) {
      CODECS.forEach(
          (name, codec) -> {
            s.call(name, version, produce(topic, id, 0, -1, Batches.compressed(codec, text, "b")));
            if (version == 6 || version == 7 || version >= 12) {
              s.call(
                  name + " with a broken body",
                  version,
                  produce(topic, id, 0, -1, Batches.brokenBody(codec)));
            }
          });
    }
    readBack(s, "all of it", topic, id);
    for (int version : s.versions(ApiMessageType.FETCH)) {
      s.call("read by version", version, Requests.fetch(topic, id, Requests.fetchPartition(0, 0)));
    }
  }

  /** Topics with a codec of their own: what comes out is compared, not its bytes. */
  private static void recompression(Session s) {
    for (String codec : List.of("uncompressed", "gzip", "snappy", "lz4", "zstd")) {
      String topic = s.name(codec);
      Requests.createTopic(s, topic, 1, Map.of("compression.type", codec));
      s.call("plain in", 9, produce(topic, Uuid.ZERO_UUID, 0, -1, Batches.plain("a", "b")));
      MemoryRecords zstd = Batches.compressed(CODECS.get("zstd"), "c", "d");
      s.call("zstd in", 9, produce(topic, Uuid.ZERO_UUID, 0, -1, zstd));
      s.call("offsets after " + codec, 5, Requests.listOffsets(topic, 0, -1));
      s.call("by time after " + codec, 5, Requests.listOffsets(topic, 0, Batches.TIME_MS + 1));
    }
  }

  private static void limits(Session s) {
    String topic = s.name("small");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of("max.message.bytes", "1000"));
    String segments = s.name("segments");
    Uuid segmentsId =
        Requests.createTopic(
            s, segments, 1, Map.of("segment.bytes", "1048576", "max.message.bytes", "4000000"));
    String times = s.name("times");
    Uuid timesId =
        Requests.createTopic(
            s,
            times,
            1,
            Map.of(
                "message.timestamp.before.max.ms",
                Long.toString(100 * DAY_MS),
                "message.timestamp.after.max.ms",
                "60000"));
    long nowMs = System.currentTimeMillis();
    for (int version : List.of(3, 7, 9, 13)) {
      s.call("fits", version, produce(topic, id, 0, -1, Batches.plain("x".repeat(900))));
      s.call("too large", version, produce(topic, id, 0, -1, Batches.plain("x".repeat(1000))));
      s.call(
          "larger than a segment",
          version,
          produce(segments, segmentsId, 0, -1, Batches.plain("x".repeat(1_100_000))));
      s.call(
          "too late",
          version,
          produce(times, timesId, 0, -1, Batches.at(nowMs + 10 * DAY_MS, "a")));
      s.call(
          "too early",
          version,
          produce(times, timesId, 0, -1, Batches.at(nowMs - 300 * DAY_MS, "a")));
    }
    String plain = s.name("plain");
    Uuid plainId = Requests.createTopic(s, plain, 1, Map.of());
    s.call(
        "two hours ahead of the clock",
        9,
        produce(plain, plainId, 0, -1, Batches.at(nowMs + DAY_MS / 12, "a")));
    s.call("timestamp -1", 9, produce(plain, plainId, 0, -1, Batches.at(-1, "a")));
    s.call("timestamp 0", 9, produce(plain, plainId, 0, -1, Batches.at(0, "a")));
  }

  private static void appendTime(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of("message.timestamp.type", "LogAppendTime"));
    for (int version : versions(s)) {
      s.call("good", version, produce(topic, id, 0, -1, Batches.plain("a", "b")));
    }
    s.call(
        "compressed",
        9,
        produce(topic, id, 0, -1, Batches.compressed(CODECS.get("gzip"), "a", "b")));
    s.call("says append time", 9, produce(topic, id, 0, -1, Batches.attributes(0x08)));
    readBack(s, "all of it", topic, id);
  }

  /** A client claims append time on a topic of create time. */
  private static void saysAppendTime(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    for (int version : List.of(3, 9, 13)) {
      s.call("claim", version, produce(topic, id, 0, -1, Batches.attributes(0x08)));
    }
  }

  private static void compacted(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of("cleanup.policy", "compact"));
    for (int version : versions(s)) {
      s.call("with keys", version, produce(topic, id, 0, -1, Batches.plain("a", "b")));
      s.call("without a key", version, produce(topic, id, 0, -1, Batches.keyless("a")));
    }
    readBack(s, "all of it", topic, id);
  }

  private static void noAnswer(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of("max.message.bytes", "1000"));
    for (int version : versions(s)) {
      s.oneWay("good", version, produce(topic, id, 0, 0, Batches.plain("a")));
      s.oneWay("unknown partition", version, produce(topic, id, 4, 0, Batches.plain("a")));
      s.oneWay("too large", version, produce(topic, id, 0, 0, Batches.plain("x".repeat(2000))));
    }
    readBack(s, "all of it", topic, id);
  }
}
