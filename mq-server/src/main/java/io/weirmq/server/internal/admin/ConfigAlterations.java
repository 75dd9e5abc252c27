package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.metadata.MetadataChangeException;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.config.TopicConfigs;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Changes configurations of topics and brokers. Safe for use by several threads.
 *
 * <p>An edit is worked out from the newest image; where another change comes between, it is worked
 * out again.
 */
public final class ConfigAlterations {

  private static final int ATTEMPTS_MAX = 10;

  private final int brokerId;
  private final MetadataStore store;
  private final TopicConfigs configs;

  /** Makes the alterations of a broker. */
  public ConfigAlterations(int brokerId, MetadataStore store, TopicConfigs configs) {
    this.brokerId = brokerId;
    this.store = store;
    this.configs = configs;
  }

  /**
   * Changes the configurations of a resource.
   *
   * @param type see {@link ConfigResourceType}
   * @param name topic name, broker id, or empty for all brokers
   * @param edit what to change
   * @param validateOnly whether to check only
   * @return completes with the outcome
   */
  public CompletableFuture<AdminError> alter(
      byte type, String name, ConfigEdit edit, boolean validateOnly) {
    return attempt(type, name, edit, validateOnly, 1);
  }

  private CompletableFuture<AdminError> attempt(
      byte type, String name, ConfigEdit edit, boolean validateOnly, int attempt) {
    ConfigTarget target;
    Map<String, String> after;
    try {
      target = target(store.image(), type, name);
      after = ConfigEdit.apply(edit, target);
      target.check(after);
    } catch (RefusedException e) {
      return CompletableFuture.completedFuture(e.error());
    }
    if (validateOnly || after.equals(target.present())) {
      return CompletableFuture.completedFuture(AdminError.NONE);
    }
    return store
        .apply(target.change(after))
        .handle(
            (image, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(AdminError.NONE);
              }
              return isConflict(failure) && attempt < ATTEMPTS_MAX
                  ? attempt(type, name, edit, false, attempt + 1)
                  : CompletableFuture.completedFuture(AdminError.of(failure));
            })
        .thenCompose(Function.identity())
        .toCompletableFuture();
  }

  private static boolean isConflict(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof MetadataChangeException change
        && change.reason() == MetadataChangeException.Reason.CONFLICT;
  }

  private ConfigTarget target(MetadataImage image, byte type, String name) throws RefusedException {
    return switch (type) {
      case ConfigResourceType.TOPIC -> topic(image, name);
      case ConfigResourceType.BROKER ->
          new ConfigTarget.OfBroker(image, requireBroker(name), configs);
      case ConfigResourceType.BROKER_LOGGER ->
          throw new RefusedException(
              ErrorCode.INVALID_REQUEST, "Log levels can't be changed over the protocol.");
      default ->
          throw new RefusedException(
              ErrorCode.INVALID_REQUEST, "Unsupported resource type: " + type);
    };
  }

  private ConfigTarget topic(MetadataImage image, String name) throws RefusedException {
    if (name.isEmpty()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.");
    }
    TopicNames.check(name);
    return image
        .topic(name)
        .map(topic -> new ConfigTarget.OfTopic(image, topic, configs))
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                    "The topic '%s' does not exist.".formatted(name)));
  }

  /**
   * Returns the broker that a resource names; empty for all.
   *
   * @throws RefusedException where it names another broker, or none
   */
  public OptionalInt requireBroker(String name) throws RefusedException {
    if (name.isEmpty()) {
      return OptionalInt.empty();
    }
    if (!name.equals(Integer.toString(brokerId))) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          name.chars().allMatch(c -> c >= '0' && c <= '9')
              ? "Unexpected broker id, expected %d or empty string, but received %s"
                  .formatted(brokerId, name)
              : "Broker id must be an integer, but it is: " + name);
    }
    return OptionalInt.of(brokerId);
  }
}
