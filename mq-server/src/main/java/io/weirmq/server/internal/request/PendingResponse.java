package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.message.ResponseHeader;
import io.weirmq.transport.OutboundFrame;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that was taken in and whose response has not left yet.
 *
 * <p>Its place in {@link PendingResponses} is the place of its response. Confined to the
 * connection's I/O thread, but for {@link #accept}, which any thread may call once.
 */
final class PendingResponse<P extends ApiMessage>
    implements BiConsumer<@Nullable P, @Nullable Throwable> {

  private final PendingResponses responses;
  private final ApiTable.Entry<?, P> entry;
  private final RequestContext context;
  private final int requestBytes;
  private @Nullable CompletionStage<@Nullable P> stage;

  // Written by the completing thread, read by the I/O thread after the hand-over through
  // PendingResponses.completed().
  private @Nullable P response;
  private @Nullable Throwable failure;

  private boolean complete;

  PendingResponse(
      PendingResponses responses,
      ApiTable.Entry<?, P> entry,
      RequestContext context,
      int requestBytes) {
    this.responses = responses;
    this.entry = entry;
    this.context = context;
    this.requestBytes = requestBytes;
  }

  void await(CompletionStage<@Nullable P> answer) {
    stage = answer;
    answer.whenComplete(this);
  }

  @Override
  public void accept(@Nullable P result, @Nullable Throwable error) {
    response = result;
    failure = error;
    responses.completed(this);
  }

  /** The number of bytes of the request's frame. */
  int requestBytes() {
    return requestBytes;
  }

  /** Whether the response, or the lack of one, is known. */
  boolean isComplete() {
    return complete;
  }

  void markComplete() {
    complete = true;
    releaseFrame();
  }

  /** Lets the stage release the frame; once, when its completion was taken. */
  void releaseFrame() {
    if (stage instanceof FrameLease lease) {
      lease.releaseFrame();
    }
  }

  /** Returns what went wrong in the handler, or null. */
  @Nullable Throwable failure() {
    Throwable error = failure;
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }

  /** Returns the frame to send, or null where there is no response. */
  @Nullable OutboundFrame encode() {
    P body = response;
    if (body == null) {
      return null;
    }
    short headerVersion = entry.key().responseHeaderVersion(context.apiVersion());
    ProtocolWriter writer = new ProtocolWriter();
    new ResponseHeader().setCorrelationId(context.correlationId()).write(writer, headerVersion);
    body.write(writer, context.apiVersion());
    return writer.toFrame();
  }

  /** Releases what the response holds, as it is not going to be sent. */
  void discard() {
    P body = response;
    response = null;
    if (body != null) {
      entry.handler().discard(body);
    }
  }

  /** Expires a request that waits beyond its own time-out; see {@link Expiring}. */
  void expire(long nowNs) {
    if (!complete && stage instanceof Expiring expiring) {
      expiring.expire(nowNs);
    }
  }

  /** Tells the handler that nobody waits any more. */
  void cancel() {
    if (stage != null && !complete) {
      stage.toCompletableFuture().cancel(false);
    }
  }

  /** Whether the stage ended because of {@link #cancel}. */
  boolean isCancelled() {
    return failure() instanceof CancellationException;
  }

  /** Returns a description for logs: API, version, correlation id. */
  String describe() {
    return "%s v%d (correlation id %d, client id '%s')"
        .formatted(
            entry.key().apiName(),
            context.apiVersion(),
            context.correlationId(),
            context.clientId());
  }
}
