package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigType.BOOLEAN;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LIST;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.ConfigType.SHORT;
import static io.weirmq.server.config.ConfigType.STRING;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys of Kafka that this broker does not have: those that tune Kafka's insides are accepted
 * without effect, those that ask for something that is not there stop the start.
 */
final class ForeignKeys {

  private static final Map<String, String> REFUSED_PREFIXES = refusedPrefixes();

  private ForeignKeys() {}

  /** Returns why a key of Kafka is refused; empty where it is none of those. */
  static Optional<String> refusal(String name) {
    return REFUSED_PREFIXES.entrySet().stream()
        .filter(entry -> name.equals(entry.getKey()) || isBelow(name, entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static boolean isBelow(String name, String prefix) {
    return prefix.endsWith(".") && name.startsWith(prefix);
  }

  private static Map<String, String> refusedPrefixes() {
    Map<String, String> refused = new LinkedHashMap<>();
    String raft = "there is no KRaft quorum here: a broker keeps its metadata itself";
    refused.put("process.roles", raft);
    refused.put("controller.", raft);
    refused.put("metadata.", raft);
    refused.put("initial.broker.registration.timeout.ms", raft);
    String zookeeper = "clusters over ZooKeeper are not part of this version";
    refused.put("zookeeper.", zookeeper);
    String tls = "TLS is not part of this version";
    refused.put("ssl.", tls);
    String sasl = "SASL is not part of this version";
    refused.put("sasl.", sasl);
    refused.put("connections.max.reauth.ms", sasl);
    String security = "authorization is not part of this version";
    refused.put("authorizer.class.name", security);
    refused.put("super.users", security);
    refused.put("allow.everyone.if.no.acl.found", security);
    refused.put("principal.builder.class", security);
    refused.put("delegation.token.", "delegation tokens are not part of this version");
    refused.put("remote.", "tiered storage is not part of this broker");
    refused.put("log.local.retention.", "tiered storage is not part of this broker");
    refused.put("group.share.", "share groups are not part of this version");
    refused.put("share.", "share groups are not part of this version");
    refused.put("group.streams.", "streams groups are not part of this version");
    refused.put("group.consumer.", "the consumer group protocol is not part of this version");
    String classes = "classes can't be plugged in here";
    refused.put("create.topic.policy.class.name", classes);
    refused.put("alter.config.policy.class.name", classes);
    refused.put("client.quota.callback.class", classes);
    refused.put("replica.selector.class", classes);
    refused.put("config.providers", classes);
    refused.put("security.providers", classes);
    refused.put("metric.reporters", classes);
    refused.put("kafka.metrics.reporters", classes);
    refused.put("max.connections.per.ip.overrides", "overrides per address are not supported");
    refused.put("early.start.listeners", "all listeners start together");
    refused.put("cordoned.log.dirs", "data folders can't be cordoned off");
    return refused;
  }

  /** Keys that are accepted and change nothing. */
  static List<ConfigKey> withoutEffect() {
    return List.of(
        ConfigKey.withoutEffect("num.io.threads", INT, "8"),
        ConfigKey.withoutEffect("background.threads", INT, "10"),
        ConfigKey.withoutEffect("queued.max.requests", INT, "500"),
        ConfigKey.withoutEffect("queued.max.request.bytes", LONG, "-1"),
        ConfigKey.withoutEffect("request.timeout.ms", INT, "30000"),
        ConfigKey.withoutEffect("socket.send.buffer.bytes", INT, "102400"),
        ConfigKey.withoutEffect("socket.receive.buffer.bytes", INT, "102400"),
        ConfigKey.withoutEffect("socket.listen.backlog.size", INT, "50"),
        ConfigKey.withoutEffect("max.connection.creation.rate", INT, "2147483647"),
        ConfigKey.withoutEffect("connection.failed.authentication.delay.ms", INT, "100"),
        ConfigKey.withoutEffect("max.request.partition.size.limit", INT, "2000"),
        ConfigKey.withoutEffect("fetch.purgatory.purge.interval.requests", INT, "1000"),
        ConfigKey.withoutEffect("producer.purgatory.purge.interval.requests", INT, "1000"),
        ConfigKey.withoutEffect("delete.records.purgatory.purge.interval.requests", INT, "1"),
        ConfigKey.withoutEffect("group.coordinator.threads", INT, "4"),
        ConfigKey.withoutEffect("group.coordinator.background.threads", INT, "2"),
        ConfigKey.withoutEffect("group.coordinator.append.linger.ms", INT, "-1"),
        ConfigKey.withoutEffect("group.coordinator.rebalance.protocols", LIST, "classic"),
        ConfigKey.withoutEffect("controlled.shutdown.enable", BOOLEAN, "true"),
        ConfigKey.withoutEffect("auto.leader.rebalance.enable", BOOLEAN, "true"),
        ConfigKey.withoutEffect("leader.imbalance.check.interval.seconds", LONG, "300"),
        ConfigKey.withoutEffect("broker.heartbeat.interval.ms", INT, "2000"),
        ConfigKey.withoutEffect("broker.session.timeout.ms", INT, "9000"),
        ConfigKey.withoutEffect("num.replica.fetchers", INT, "1"),
        ConfigKey.withoutEffect("replica.lag.time.max.ms", LONG, "30000"),
        ConfigKey.withoutEffect("replica.fetch.min.bytes", INT, "1"),
        ConfigKey.withoutEffect("replica.fetch.max.bytes", INT, "1048576"),
        ConfigKey.withoutEffect("replica.fetch.response.max.bytes", INT, "10485760"),
        ConfigKey.withoutEffect("replica.fetch.wait.max.ms", INT, "500"),
        ConfigKey.withoutEffect("replica.fetch.backoff.ms", INT, "1000"),
        ConfigKey.withoutEffect("replica.socket.timeout.ms", INT, "30000"),
        ConfigKey.withoutEffect("replica.socket.receive.buffer.bytes", INT, "65536"),
        ConfigKey.withoutEffect("log.dir.failure.timeout.ms", LONG, "30000"),
        ConfigKey.withoutEffect("compression.gzip.level", INT, "-1"),
        ConfigKey.withoutEffect("compression.lz4.level", INT, "9"),
        ConfigKey.withoutEffect("compression.zstd.level", INT, "3"),
        ConfigKey.withoutEffect("transaction.max.timeout.ms", INT, "900000"),
        ConfigKey.withoutEffect("transaction.state.log.load.buffer.size", INT, "5242880"),
        ConfigKey.withoutEffect("transaction.state.log.min.isr", INT, "2"),
        ConfigKey.withoutEffect("transaction.state.log.num.partitions", INT, "50"),
        ConfigKey.withoutEffect("transaction.state.log.replication.factor", SHORT, "3"),
        ConfigKey.withoutEffect("transaction.state.log.segment.bytes", INT, "104857600"),
        ConfigKey.withoutEffect("transactional.id.expiration.ms", INT, "604800000"),
        ConfigKey.withoutEffect("metrics.num.samples", INT, "2"),
        ConfigKey.withoutEffect("metrics.sample.window.ms", LONG, "30000"),
        ConfigKey.withoutEffect("metrics.recording.level", STRING, "INFO"));
  }
}
