package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Answers Fetch: records of many partitions, as file ranges. Safe for use by several threads.
 *
 * <p>Sizes: partitions are served in order until the request's limit (at most the broker's own) is
 * reached; the first one with records gives its first batch whole, whatever the limits say, so that
 * every client gets on.
 */
public final class FetchHandler implements ApiHandler<FetchRequest, FetchResponse> {

  private static final byte READ_COMMITTED = 1;

  private final FetchSessions sessions;
  private final PartitionReader reader;
  private final DelayedFetches waiting;
  private final int fetchMaxBytes;

  /**
   * Makes the handler.
   *
   * @param failures told of what can't be read
   * @param fetchMaxBytes {@code fetch.max.bytes} of the broker: upper bound of the records in one
   *     response, bytes
   */
  public FetchHandler(
      FetchSessions sessions,
      PartitionLookup lookup,
      ReadFailures failures,
      DelayedFetches waiting,
      int fetchMaxBytes) {
    this.sessions = sessions;
    this.reader = new PartitionReader(lookup, failures);
    this.waiting = waiting;
    this.fetchMaxBytes = fetchMaxBytes;
  }

  @Override
  public CompletionStage<@Nullable FetchResponse> handle(
      RequestContext context, FetchRequest request) {
    int maxBytes = Math.max(0, Math.min(request.maxBytes(), fetchMaxBytes));
    FetchRules rules =
        new FetchRules(
            context.apiVersion(),
            request.isolationLevel() == READ_COMMITTED,
            // More than fits into the answer can't be waited for.
            Math.min(request.minBytes(), maxBytes),
            maxBytes,
            request.maxWaitMs());
    FetchSessions.Opened opened = sessions.open(request, rules.byTopicId());
    if (opened instanceof FetchSessions.Opened.Ready ready) {
      DelayedFetch fetch =
          new DelayedFetch(ready.context(), rules, reader, context.connection(), waiting);
      fetch.begin();
      return fetch;
    }
    FetchSessions.Opened.Failed failed = (FetchSessions.Opened.Failed) opened;
    return CompletableFuture.completedFuture(
        new FetchResponse().setErrorCode(failed.error().code()));
  }

  @Override
  public void discard(FetchResponse response) {
    FetchResults.release(response);
  }
}
