package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeConfigsRequest;
import io.weirmq.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import io.weirmq.protocol.message.DescribeConfigsResponse;
import io.weirmq.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import io.weirmq.protocol.message.DescribeConfigsResponse.DescribeConfigsResult;
import io.weirmq.protocol.message.DescribeConfigsResponse.DescribeConfigsSynonym;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.ConfigEntry;
import io.weirmq.server.config.TopicConfigs;
import io.weirmq.server.config.UpdateMode;
import io.weirmq.server.internal.admin.ConfigAlterations;
import io.weirmq.server.internal.admin.ConfigResourceType;
import io.weirmq.server.internal.admin.RefusedException;
import io.weirmq.server.internal.admin.TopicNames;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells configurations of topics and brokers, every known key with its source. Safe for use by
 * several threads.
 */
public final class DescribeConfigsHandler
    implements ApiHandler<DescribeConfigsRequest, DescribeConfigsResponse> {

  private static final short FIRST_VERSION_WITH_DOCS = 3;

  private final MetadataStore store;
  private final TopicConfigs configs;
  private final ConfigAlterations alterations;

  public DescribeConfigsHandler(
      MetadataStore store, TopicConfigs configs, ConfigAlterations alterations) {
    this.store = store;
    this.configs = configs;
    this.alterations = alterations;
  }

  @Override
  public CompletionStage<@Nullable DescribeConfigsResponse> handle(
      RequestContext context, DescribeConfigsRequest request) {
    MetadataImage image = store.image();
    DescribeConfigsResponse response = new DescribeConfigsResponse();
    for (DescribeConfigsResource resource : request.resources()) {
      response.results().add(describe(context.apiVersion(), image, request, resource));
    }
    return CompletableFuture.completedFuture(response);
  }

  private DescribeConfigsResult describe(
      short version,
      MetadataImage image,
      DescribeConfigsRequest request,
      DescribeConfigsResource resource) {
    DescribeConfigsResult result =
        new DescribeConfigsResult()
            .setResourceType(resource.resourceType())
            .setResourceName(resource.resourceName());
    try {
      List<String> keys = resource.configurationKeys();
      for (ConfigEntry entry : entries(image, resource)) {
        if (keys == null || keys.isEmpty() || keys.contains(entry.key().name())) {
          result.configs().add(config(version, request, resource.resourceType(), entry));
        }
      }
    } catch (RefusedException e) {
      result.setErrorCode(e.error().code().code()).setErrorMessage(e.error().message());
    }
    return result;
  }

  private List<ConfigEntry> entries(MetadataImage image, DescribeConfigsResource resource)
      throws RefusedException {
    String name = resource.resourceName();
    return switch (resource.resourceType()) {
      case ConfigResourceType.TOPIC -> configs.describeTopic(image, topic(image, name).configs());
      case ConfigResourceType.BROKER ->
          alterations.requireBroker(name).isPresent()
              ? configs.describeBroker(image)
              : configs.describeBrokerDefaults(image);
      case ConfigResourceType.BROKER_LOGGER -> loggers(name);
      case ConfigResourceType.GROUP -> groupConfigs(name);
      default ->
          throw new RefusedException(
              ErrorCode.INVALID_REQUEST, "Unsupported resource type: " + resource.resourceType());
    };
  }

  private static TopicMetadata topic(MetadataImage image, String name) throws RefusedException {
    TopicNames.check(name);
    return image
        .topic(name)
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.text()));
  }

  /** Levels of loggers belong to the program that embeds the broker; none are told. */
  private List<ConfigEntry> loggers(String name) throws RefusedException {
    if (alterations.requireBroker(name).isEmpty()) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, "Broker id must not be empty");
    }
    return List.of();
  }

  /** Groups of the classic protocol have no configurations. */
  private static List<ConfigEntry> groupConfigs(String name) throws RefusedException {
    if (name.isEmpty()) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, "Group name must not be empty");
    }
    return List.of();
  }

  private static DescribeConfigsResourceResult config(
      short version, DescribeConfigsRequest request, byte resourceType, ConfigEntry entry) {
    boolean readOnly =
        resourceType == ConfigResourceType.BROKER
            && entry.key().updateMode() == UpdateMode.READ_ONLY;
    DescribeConfigsResourceResult result =
        new DescribeConfigsResourceResult()
            .setName(entry.key().name())
            .setValue(entry.value().orElse(null))
            .setReadOnly(readOnly)
            .setConfigSource(entry.source().wireId())
            .setIsSensitive(entry.key().isSensitive());
    if (request.includeSynonyms()) {
      result.setSynonyms(entry.synonyms().stream().map(DescribeConfigsHandler::synonym).toList());
    }
    if (version >= FIRST_VERSION_WITH_DOCS) {
      result.setConfigType(entry.key().type().wireId());
      result.setDocumentation(request.includeDocumentation() ? entry.key().doc() : null);
    }
    return result;
  }

  private static DescribeConfigsSynonym synonym(ConfigEntry.Synonym synonym) {
    return new DescribeConfigsSynonym()
        .setName(synonym.name())
        .setValue(synonym.value().orElse(null))
        .setSource(synonym.source().wireId());
  }
}
