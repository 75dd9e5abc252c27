package io.weirmq.compat.oracle;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;

/** DescribeConfigs, AlterConfigs, IncrementalAlterConfigs. */
final class ConfigScenarios {
  private static final byte TOPIC = 2;
  private static final byte BROKER = 4;
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final byte APPEND = 2;
  private static final byte SUBTRACT = 3;

  private ConfigScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("describe-configs", ConfigScenarios::describe),
        new Scenario("describe-configs-broker", ConfigScenarios::describeBroker),
        new Scenario("alter-configs", ConfigScenarios::alter),
        new Scenario("incremental-alter-configs", ConfigScenarios::incremental),
        new Scenario("incremental-alter-lists", ConfigScenarios::lists));
  }

  private static DescribeConfigsRequestData describe(int type, String name, String... keys) {
    DescribeConfigsResource resource =
        new DescribeConfigsResource()
            .setResourceType((byte) type)
            .setResourceName(name)
            .setConfigurationKeys(keys.length == 0 ? null : List.of(keys));
    return new DescribeConfigsRequestData().setResources(List.of(resource));
  }

  private static void describe(Session s) {
    String topic = s.name("t");
    Requests.createTopic(
        s, topic, 1, Map.of("retention.ms", "12345", "cleanup.policy", "compact,delete"));
    for (int version : s.versions(ApiMessageType.DESCRIBE_CONFIGS)) {
      s.call("all", version, describe(TOPIC, topic));
      s.call("two", version, describe(TOPIC, topic, "retention.ms", "segment.bytes"));
      s.call("unknown key", version, describe(TOPIC, topic, "no.such.config"));
      DescribeConfigsRequestData none = describe(TOPIC, topic);
      none.resources().get(0).setConfigurationKeys(List.of());
      s.call("empty list of keys", version, none);
      s.call(
          "with synonyms",
          version,
          describe(TOPIC, topic, "retention.ms", "segment.bytes", "max.message.bytes")
              .setIncludeSynonyms(true));
      if (version >= 3) {
        s.call(
            "with documentation",
            version,
            describe(TOPIC, topic, "retention.ms").setIncludeDocumentation(true));
      }
      s.call("unknown topic", version, describe(TOPIC, s.name("none")));
      s.call("illegal topic", version, describe(TOPIC, "a b"));
      s.call("empty topic", version, describe(TOPIC, ""));
      s.call("unknown type", version, describe(77, "x"));
      s.call("no resources", version, new DescribeConfigsRequestData().setResources(List.of()));
    }
  }

  private static void describeBroker(Session s) {
    for (int version : s.versions(ApiMessageType.DESCRIBE_CONFIGS)) {
      s.call(
          "some",
          version,
          describe(
              BROKER, "1", "num.partitions", "log.retention.hours", "auto.create.topics.enable"));
      s.call(
          "some with synonyms",
          version,
          describe(BROKER, "1", "num.partitions", "log.segment.bytes").setIncludeSynonyms(true));
      s.call("unknown key", version, describe(BROKER, "1", "no.such.config"));
      s.call("another broker", version, describe(BROKER, "99"));
      s.call("no number", version, describe(BROKER, "one"));
      s.call("the cluster's default", version, describe(BROKER, ""));
    }
    s.call("everything", 4, describe(BROKER, "1"));
  }

  private static AlterConfigsRequestData alter(int type, String name, Map<String, String> values) {
    AlterConfigsRequestData.AlterConfigsResource resource =
        new AlterConfigsRequestData.AlterConfigsResource()
            .setResourceType((byte) type)
            .setResourceName(name);
    values.forEach(
        (key, value) ->
            resource
                .configs()
                .add(
                    new AlterableConfig()
                        .setName(key)
                        .setValue(value.equals("null") ? null : value)));
    AlterConfigsRequestData request = new AlterConfigsRequestData();
    request.resources().add(resource);
    return request;
  }

  /** Waits until a topic's config has a value (or its default, when that is expected). */
  private static void await(Session s, String topic, String key, String value) {
    s.until(
        key + "=" + value,
        () -> {
          DescribeConfigsResponseData answer = s.call("", 4, describe(TOPIC, topic, key));
          return value.equals(answer.results().get(0).configs().get(0).value());
        });
  }

  private static void alter(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 1, Map.of());
    for (int version : s.versions(ApiMessageType.ALTER_CONFIGS)) {
      s.call(
          "set two",
          version,
          alter(TOPIC, topic, Map.of("retention.ms", "1000", "segment.ms", "5000")));
      await(s, topic, "segment.ms", "5000");
      s.call("what is set", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.call("replaced by one", version, alter(TOPIC, topic, Map.of("retention.ms", "2000")));
      await(s, topic, "segment.ms", "604800000");
      s.call("what is set then", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.call(
          "dry",
          version,
          alter(TOPIC, topic, Map.of("retention.ms", "3000")).setValidateOnly(true));
      s.call(
          "dry and bad",
          version,
          alter(TOPIC, topic, Map.of("retention.ms", "x")).setValidateOnly(true));
      s.call("unknown key", version, alter(TOPIC, topic, Map.of("no.such.config", "1")));
      s.call("malformed", version, alter(TOPIC, topic, Map.of("retention.ms", "x")));
      s.call("out of range", version, alter(TOPIC, topic, Map.of("segment.bytes", "0")));
      s.call("null value", version, alter(TOPIC, topic, Map.of("retention.ms", "null")));
      s.call("unknown topic", version, alter(TOPIC, s.name("none"), Map.of("retention.ms", "1")));
      s.call("illegal topic", version, alter(TOPIC, "a b", Map.of("retention.ms", "1")));
      s.call("empty topic", version, alter(TOPIC, "", Map.of("retention.ms", "1")));
      s.call("unknown type", version, alter(77, "x", Map.of("a", "1")));
      s.call("no resources", version, new AlterConfigsRequestData());
      s.call("after the refusals", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.call("cleared", version, alter(TOPIC, topic, Map.of()));
      await(s, topic, "retention.ms", "604800000");
    }
  }

  private static IncrementalAlterConfigsRequestData change(
      int type, String name, String key, int operation, String value) {
    AlterConfigsResource resource =
        new AlterConfigsResource().setResourceType((byte) type).setResourceName(name);
    resource
        .configs()
        .add(
            new IncrementalAlterConfigsRequestData.AlterableConfig()
                .setName(key)
                .setConfigOperation((byte) operation)
                .setValue(value));
    IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
    request.resources().add(resource);
    return request;
  }

  private static void incremental(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 1, Map.of());
    for (int version : s.versions(ApiMessageType.INCREMENTAL_ALTER_CONFIGS)) {
      s.call("set", version, change(TOPIC, topic, "retention.ms", SET, "1000"));
      await(s, topic, "retention.ms", "1000");
      s.call("set another", version, change(TOPIC, topic, "segment.ms", SET, "5000"));
      await(s, topic, "segment.ms", "5000");
      s.call("both are set", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.call("delete", version, change(TOPIC, topic, "retention.ms", DELETE, null));
      await(s, topic, "retention.ms", "604800000");
      s.call("one is left", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.call("delete what is not set", version, change(TOPIC, topic, "retention.ms", DELETE, null));
      s.call("delete an unknown key", version, change(TOPIC, topic, "no.such", DELETE, null));
      s.call("unknown key", version, change(TOPIC, topic, "no.such", SET, "1"));
      s.call("malformed", version, change(TOPIC, topic, "retention.ms", SET, "x"));
      s.call("out of range", version, change(TOPIC, topic, "segment.bytes", SET, "-1"));
      s.call("null value", version, change(TOPIC, topic, "retention.ms", SET, null));
      s.call("unknown operation", version, change(TOPIC, topic, "retention.ms", 9, "1"));
      s.call("append to a number", version, change(TOPIC, topic, "retention.ms", APPEND, "1"));
      s.call("unknown topic", version, change(TOPIC, s.name("none"), "retention.ms", SET, "1"));
      s.call("unknown type", version, change(77, "x", "retention.ms", SET, "1"));
      s.call("no number for a broker", version, change(BROKER, "one", "retention.ms", SET, "1"));
      s.call("another broker", version, change(BROKER, "99", "log.retention.ms", SET, "1"));
      s.call("dry", version, change(TOPIC, topic, "retention.ms", SET, "7").setValidateOnly(true));
      IncrementalAlterConfigsRequestData twice = change(TOPIC, topic, "retention.ms", SET, "8");
      twice
          .resources()
          .iterator()
          .next()
          .configs()
          .add(
              new IncrementalAlterConfigsRequestData.AlterableConfig()
                  .setName("retention.ms")
                  .setConfigOperation(DELETE));
      s.call("the same key twice", version, twice);
      s.call("after the refusals", 4, describe(TOPIC, topic, "retention.ms", "segment.ms"));
      s.quietly(() -> s.call("", version, change(TOPIC, topic, "segment.ms", DELETE, null)));
      await(s, topic, "segment.ms", "604800000");
    }
  }

  private static void lists(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 1, Map.of());
    for (int version : s.versions(ApiMessageType.INCREMENTAL_ALTER_CONFIGS)) {
      s.call("append", version, change(TOPIC, topic, "cleanup.policy", APPEND, "compact"));
      await(s, topic, "cleanup.policy", "delete,compact");
      s.call(
          "append what is there",
          version,
          change(TOPIC, topic, "cleanup.policy", APPEND, "compact"));
      s.call("both", 4, describe(TOPIC, topic, "cleanup.policy"));
      s.call("subtract", version, change(TOPIC, topic, "cleanup.policy", SUBTRACT, "delete"));
      await(s, topic, "cleanup.policy", "compact");
      s.call("one", 4, describe(TOPIC, topic, "cleanup.policy"));
      s.call(
          "subtract what is not there",
          version,
          change(TOPIC, topic, "cleanup.policy", SUBTRACT, "delete"));
      s.call("append nonsense", version, change(TOPIC, topic, "cleanup.policy", APPEND, "burn"));
      s.call("append null", version, change(TOPIC, topic, "cleanup.policy", APPEND, null));
      s.call("after the refusals", 4, describe(TOPIC, topic, "cleanup.policy"));
      s.quietly(() -> s.call("", version, change(TOPIC, topic, "cleanup.policy", DELETE, null)));
      await(s, topic, "cleanup.policy", "delete");
    }
  }
}
