package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.transport.InboundFrame;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler that goes on reading the received frame after it has returned, because the request's
 * records are slices of it. Safe for use by several threads.
 *
 * @param <Q> generated class of the request
 * @param <P> generated class of the response
 */
public interface FrameHandler<Q extends ApiMessage, P extends ApiMessage> extends ApiHandler<Q, P> {

  /**
   * Answers a request; see {@link ApiHandler#handle}.
   *
   * @param frame transferred: the handler releases it once, when nothing reads the records any
   *     more, also where it throws
   */
  CompletionStage<@Nullable P> handle(RequestContext context, Q request, InboundFrame frame);

  /** Not supported: this handler wants the frame. */
  @Override
  default CompletionStage<@Nullable P> handle(RequestContext context, Q request) {
    throw new UnsupportedOperationException("this handler needs the frame of the request");
  }
}
