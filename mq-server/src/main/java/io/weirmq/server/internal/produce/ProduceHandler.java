package io.weirmq.server.internal.produce;

import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.FrameHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.transport.InboundFrame;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Answers Produce. Safe for use by several threads. */
public final class ProduceHandler implements FrameHandler<ProduceRequest, ProduceResponse> {

  private final PartitionLookup lookup;
  private final LongSupplier nanoClock;

  /**
   * Makes the handler.
   *
   * @param nanoClock monotonic clock, nanoseconds
   */
  public ProduceHandler(PartitionLookup lookup, LongSupplier nanoClock) {
    this.lookup = lookup;
    this.nanoClock = nanoClock;
  }

  @Override
  public CompletionStage<@Nullable ProduceResponse> handle(
      RequestContext context, ProduceRequest request, InboundFrame frame) {
    ProduceOperation operation =
        new ProduceOperation(context, request, frame, lookup, nanoClock.getAsLong());
    try {
      operation.submit();
    } catch (RuntimeException | Error e) {
      operation.releaseFrame(); // the caller gets no stage to do it with
      throw e;
    }
    return operation;
  }
}
