package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.server.internal.admin.ProducerIds;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives idempotent producers an id of their own. Safe for use by several threads.
 *
 * <p>There are no transactions: a request with a transactional id is answered with {@code
 * UNSUPPORTED_VERSION}. That ends a transactional producer at once, and what its user reads ("the
 * version of the API is not supported") is true; a code that is retried would leave it hanging, an
 * authorization error would send its user to the wrong place.
 */
public final class InitProducerIdHandler
    implements ApiHandler<InitProducerIdRequest, InitProducerIdResponse> {

  private static final Logger LOG = LoggerFactory.getLogger(InitProducerIdHandler.class);

  private static final long NO_PRODUCER_ID = -1;
  private static final short NO_PRODUCER_EPOCH = -1;
  private static final short FIRST_EPOCH = 0;

  private final ProducerIds ids;

  public InitProducerIdHandler(ProducerIds ids) {
    this.ids = ids;
  }

  @Override
  public CompletionStage<@Nullable InitProducerIdResponse> handle(
      RequestContext context, InitProducerIdRequest request) {
    ErrorCode refusal = refusal(context, request);
    if (refusal != ErrorCode.NONE) {
      return CompletableFuture.completedFuture(failed(refusal));
    }
    return ids.next()
        .handle(
            (id, failure) -> {
              if (failure == null) {
                return new InitProducerIdResponse().setProducerId(id).setProducerEpoch(FIRST_EPOCH);
              }
              LOG.error("no producer id for {}", context.peer(), failure);
              // Retried by every client: the disk may have room again.
              return failed(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
            });
  }

  private static ErrorCode refusal(RequestContext context, InitProducerIdRequest request) {
    String transactionalId = request.transactionalId();
    if (transactionalId != null && transactionalId.isEmpty()) {
      return ErrorCode.INVALID_REQUEST;
    }
    boolean hasId = request.producerId() != NO_PRODUCER_ID;
    boolean hasEpoch = request.producerEpoch() != NO_PRODUCER_EPOCH;
    if (hasId != hasEpoch) {
      return ErrorCode.INVALID_REQUEST;
    }
    if (transactionalId != null) {
      LOG.warn(
          "{} asks for transactions as '{}'; this version has none",
          context.peer(),
          transactionalId);
      return ErrorCode.UNSUPPORTED_VERSION;
    }
    return ErrorCode.NONE;
  }

  private static InitProducerIdResponse failed(ErrorCode error) {
    return new InitProducerIdResponse()
        .setErrorCode(error.code())
        .setProducerId(NO_PRODUCER_ID)
        .setProducerEpoch(NO_PRODUCER_EPOCH);
  }
}
