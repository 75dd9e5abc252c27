package io.weirmq.server.internal.handler;

import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.config.ConfigException;
import io.weirmq.server.internal.admin.ConfigAlterations;
import io.weirmq.server.internal.admin.PartitionPlans;
import io.weirmq.server.internal.admin.TopicCreation;
import io.weirmq.server.internal.admin.TopicPlans;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.server.internal.request.StubClient;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.NioLogFileSystem;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A broker's metadata in a folder, changed on the calling thread, with one broker registered. */
final class AdminFixture {

  static final int SELF = 1;

  final BrokerConfig config;
  final LocalMetadataStore store;

  private AdminFixture(BrokerConfig config, LocalMetadataStore store) {
    this.config = config;
    this.store = store;
  }

  /** Opens the fixture with configurations as key, value, key, value. */
  static AdminFixture open(Path folder, String... configs) {
    Map<String, String> values = new HashMap<>(Map.of("node.id", Integer.toString(SELF)));
    for (int i = 0; i < configs.length; i += 2) {
      values.put(configs[i], configs[i + 1]);
    }
    try {
      BrokerConfig config = BrokerConfig.of(values);
      LocalMetadataStore store =
          LocalMetadataStore.open(
              folder.resolve("metadata"), new NioLogFileSystem(), Runnable::run, SELF);
      AdminFixture fixture = new AdminFixture(config, store);
      fixture.apply(
          new MetadataChange.RegisterBroker(
              new BrokerMetadata(
                  SELF,
                  "r1",
                  List.of(
                      new BrokerEndpoint("PLAINTEXT", "in.example", 9092),
                      new BrokerEndpoint("OUTSIDE", "out.example", 443)))));
      return fixture;
    } catch (ConfigException | StorageException e) {
      throw new AssertionError(e);
    }
  }

  MetadataImage image() {
    return store.image();
  }

  TopicMetadata topic(String name) {
    return image().topic(name).orElseThrow();
  }

  void apply(MetadataChange change) {
    store.apply(change).toCompletableFuture().join();
  }

  TopicPlans topicPlans() {
    return new TopicPlans(config.topics());
  }

  PartitionPlans partitionPlans() {
    return new PartitionPlans(config.topics());
  }

  TopicCreation creation() {
    return new TopicCreation(store, topicPlans(), config.groups());
  }

  ConfigAlterations alterations() {
    return new ConfigAlterations(SELF, store, config.topicConfigs());
  }

  static RequestContext version(int version) {
    return on("PLAINTEXT", version);
  }

  static RequestContext on(String listener, int version) {
    return new RequestContext((short) version, 5, "test", new StubClient(listener));
  }

  static <T> T join(CompletionStage<@Nullable T> stage) {
    T result = stage.toCompletableFuture().join();
    if (result == null) {
      throw new AssertionError("no response");
    }
    return result;
  }
}
