package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeClusterRequest;
import io.weirmq.protocol.message.DescribeClusterResponse;
import io.weirmq.protocol.message.DescribeClusterResponse.DescribeClusterBroker;
import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.internal.admin.AuthorizedOperations;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Tells the cluster's id and brokers. Safe for use by several threads. */
public final class DescribeClusterHandler
    implements ApiHandler<DescribeClusterRequest, DescribeClusterResponse> {

  private static final short FIRST_VERSION_WITH_ENDPOINT_TYPE = 1;
  private static final byte BROKERS = 1;
  private static final byte CONTROLLERS = 2;

  private final MetadataStore store;

  public DescribeClusterHandler(MetadataStore store) {
    this.store = store;
  }

  @Override
  public CompletionStage<@Nullable DescribeClusterResponse> handle(
      RequestContext context, DescribeClusterRequest request) {
    return CompletableFuture.completedFuture(answer(context, request));
  }

  private DescribeClusterResponse answer(RequestContext context, DescribeClusterRequest request) {
    DescribeClusterResponse response = new DescribeClusterResponse();
    boolean typed = context.apiVersion() >= FIRST_VERSION_WITH_ENDPOINT_TYPE;
    byte type = typed ? request.endpointType() : BROKERS;
    if (type != BROKERS) {
      return response
          .setErrorCode(
              type == CONTROLLERS
                  ? ErrorCode.MISMATCHED_ENDPOINT_TYPE.code()
                  : ErrorCode.UNSUPPORTED_ENDPOINT_TYPE.code())
          .setErrorMessage(
              "Endpoint type %d was asked for; brokers are %d".formatted(type, BROKERS));
    }
    MetadataImage image = store.image();
    response.setClusterId(image.clusterId()).setControllerId(image.controllerId());
    for (BrokerMetadata broker : image.brokers().values()) {
      Optional<BrokerEndpoint> endpoint = broker.endpoint(context.advertisedListener());
      endpoint.ifPresent(address -> response.brokers().add(describe(broker, address)));
    }
    if (typed) {
      response.setEndpointType(BROKERS);
    }
    return response.setClusterAuthorizedOperations(
        request.includeClusterAuthorizedOperations()
            ? AuthorizedOperations.CLUSTER
            : AuthorizedOperations.NOT_ASKED);
  }

  private static DescribeClusterBroker describe(BrokerMetadata broker, BrokerEndpoint endpoint) {
    return new DescribeClusterBroker()
        .setBrokerId(broker.id())
        .setHost(endpoint.host())
        .setPort(endpoint.port())
        .setRack(broker.rack());
  }
}
