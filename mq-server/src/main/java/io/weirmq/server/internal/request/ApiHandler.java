package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiMessage;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one API. Safe for use by several threads.
 *
 * <p>A handler runs on the I/O thread of the connection that sent the request, in request order,
 * and never blocks: what may block (a file that is fsynced, a lock held by someone else) is handed
 * to an executor that the handler got in its constructor. Which versions a handler serves is
 * written in the registration table, not here.
 *
 * <p><b>Errors.</b> What a client did wrong is an error code in the response. A thrown exception,
 * or a stage that completes with one, is a fault of ours: it is logged with its stack and the
 * connection is closed.
 *
 * @param <Q> generated class of the request
 * @param <P> generated class of the response
 */
@FunctionalInterface
public interface ApiHandler<Q extends ApiMessage, P extends ApiMessage> {

  /**
   * Answers a request.
   *
   * <p>The stage may complete at once or later, on any thread. Responses leave the connection in
   * request order whatever the order of completion. Where the connection is closed before, the
   * stage is cancelled, so that a waiting handler can drop what it holds; a result that comes too
   * late goes to {@link #discard}.
   *
   * @param context who asks, and in which version
   * @param request transferred; its {@code records} fields are slices of the received frame and are
   *     valid until this method returns, unless this is a {@link FrameHandler}. All other fields
   *     are copies
   * @return completes with the response, or with null where the request has no response
   */
  CompletionStage<@Nullable P> handle(RequestContext context, Q request);

  /**
   * Releases what a response holds that is not going to be sent; file slices for instance.
   *
   * @param response transferred
   */
  default void discard(P response) {}
}
