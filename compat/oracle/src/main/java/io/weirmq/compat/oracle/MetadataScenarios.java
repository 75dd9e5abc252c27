package io.weirmq.compat.oracle;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;

/** ApiVersions, Metadata, DescribeCluster. */
final class MetadataScenarios {
  private static final Uuid UNKNOWN_ID = new Uuid(0x1234567890abcdefL, 0x1234567890abcdefL);

  private MetadataScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("api-versions", MetadataScenarios::apiVersions),
        new Scenario("metadata", MetadataScenarios::metadata),
        new Scenario("metadata-by-id", MetadataScenarios::metadataById),
        new Scenario("metadata-auto-create", MetadataScenarios::autoCreate),
        new Scenario("describe-cluster", MetadataScenarios::describeCluster));
  }

  private static ApiVersionsRequestData software(String name, String version) {
    return new ApiVersionsRequestData()
        .setClientSoftwareName(name)
        .setClientSoftwareVersion(version);
  }

  private static void apiVersions(Session s) {
    for (int version : s.versions(ApiMessageType.API_VERSIONS)) {
      s.call("good", version, software("oracle", "1.0"));
    }
    s.call("no software name", 3, software("", "1.0"));
    s.call("no software version", 3, software("oracle", ""));
    s.call("illegal software name", 3, software("-oracle-", "1.0"));
    s.call("illegal software version", 3, software("oracle", "1 0"));
    s.call("one letter", 3, software("o", "1"));
  }

  private static MetadataRequestData topics(String... names) {
    return new MetadataRequestData()
        .setAllowAutoTopicCreation(false)
        .setTopics(
            java.util.Arrays.stream(names)
                .map(name -> new MetadataRequestTopic().setName(name))
                .toList());
  }

  private static void metadata(Session s) {
    Requests.createTopic(s, s.name("one"), 1, Map.of());
    Requests.createTopic(s, s.name("three"), 3, Map.of());
    for (int version : s.versions(ApiMessageType.METADATA)) {
      if (version >= 1) {
        s.call("no topics", version, topics());
        s.call("all topics", version, new MetadataRequestData().setTopics(null));
      } else {
        s.call("empty list means all", version, topics());
      }
      s.call("two topics", version, topics(s.name("one"), s.name("three")));
      if (version >= 4) {
        s.call("unknown topic", version, topics(s.name("none")));
        s.call("known and unknown", version, topics(s.name("none"), s.name("one")));
        s.call("illegal names", version, topics("a b", "..", ".", "", "x".repeat(250)));
        s.call("twice the same", version, topics(s.name("one"), s.name("one")));
      }
      if (version >= 8) {
        s.call(
            "authorized operations of topics",
            version,
            topics(s.name("one")).setIncludeTopicAuthorizedOperations(true));
      }
      if (version >= 8 && version <= 10) {
        s.call(
            "authorized operations of the cluster",
            version,
            topics(s.name("one")).setIncludeClusterAuthorizedOperations(true));
      }
    }
  }

  private static MetadataRequestData byId(String name, Uuid... ids) {
    return new MetadataRequestData()
        .setAllowAutoTopicCreation(false)
        .setTopics(
            java.util.Arrays.stream(ids)
                .map(id -> new MetadataRequestTopic().setName(name).setTopicId(id))
                .toList());
  }

  private static void metadataById(Session s) {
    Uuid id = Requests.createTopic(s, s.name("one"), 1, Map.of());
    for (int version : s.versions(ApiMessageType.METADATA)) {
      if (version >= 10) {
        s.call("by id", version, byId(null, id));
        s.call("by unknown id", version, byId(null, UNKNOWN_ID));
        s.call("by zero id", version, byId(null, Uuid.ZERO_UUID));
        s.call("by id and name", version, byId(s.name("one"), id));
        s.call("known and unknown id", version, byId(null, id, UNKNOWN_ID));
      }
    }
  }

  private static void autoCreate(Session s) {
    for (int version : s.versions(ApiMessageType.METADATA)) {
      String topic = s.name("auto-" + version);
      s.call("first", version, topics(topic).setAllowAutoTopicCreation(true));
      Requests.awaitTopic(s, topic, 1);
      s.call("then", version, topics(topic).setAllowAutoTopicCreation(true));
    }
    s.call("illegal name", 12, topics("no good").setAllowAutoTopicCreation(true));
  }

  private static void describeCluster(Session s) {
    for (int version : s.versions(ApiMessageType.DESCRIBE_CLUSTER)) {
      s.call("plain", version, new DescribeClusterRequestData());
      s.call(
          "with operations",
          version,
          new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true));
      if (version >= 1) {
        s.call(
            "controllers from a broker",
            version,
            new DescribeClusterRequestData().setEndpointType((byte) 2));
        s.call(
            "unknown kind of endpoint",
            version,
            new DescribeClusterRequestData().setEndpointType((byte) 9));
      }
    }
  }
}
