package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.ApiTable.AdvertisedApi;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.server.internal.request.VersionNegotiation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients which APIs are served, in which versions. Immutable.
 *
 * <p>APIs that Kafka does not have are told to clients of the broker's own user only: to no other
 * are they served.
 */
public final class ApiVersionsHandler
    implements ApiHandler<ApiVersionsRequest, ApiVersionsResponse>,
        VersionNegotiation<ApiVersionsResponse> {

  private static final short FIRST_VERSION_WITH_SOFTWARE = 3;

  private static final Pattern SOFTWARE =
      Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");

  private final List<AdvertisedApi> apis;

  /**
   * Makes the handler.
   *
   * @param apis what is told; copied
   */
  public ApiVersionsHandler(List<AdvertisedApi> apis) {
    this.apis = List.copyOf(apis);
  }

  @Override
  public CompletionStage<@Nullable ApiVersionsResponse> handle(
      RequestContext context, ApiVersionsRequest request) {
    boolean wellFormed =
        context.apiVersion() < FIRST_VERSION_WITH_SOFTWARE
            || (SOFTWARE.matcher(request.clientSoftwareName()).matches()
                && SOFTWARE.matcher(request.clientSoftwareVersion()).matches());
    return CompletableFuture.completedFuture(
        wellFormed
            ? response(ErrorCode.NONE, context.connection().isOfOwnUser())
            : new ApiVersionsResponse().setErrorCode(ErrorCode.INVALID_REQUEST.code()));
  }

  @Override
  public ApiVersionsResponse unsupportedVersion() {
    // A client that asks in a version that is not known asks again, and is told of our own APIs
    // then.
    return response(ErrorCode.UNSUPPORTED_VERSION, false);
  }

  private ApiVersionsResponse response(ErrorCode error, boolean withOwnApis) {
    ApiVersionsResponse response = new ApiVersionsResponse().setErrorCode(error.code());
    for (AdvertisedApi api : apis) {
      if (api.key().isOwn() && !withOwnApis) {
        continue;
      }
      response
          .apiKeys()
          .add(
              new ApiVersionsResponse.ApiVersion()
                  .setApiKey(api.key().id())
                  .setMinVersion(api.minVersion())
                  .setMaxVersion(api.maxVersion()));
    }
    return response;
  }
}
