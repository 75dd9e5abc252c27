package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Answers DirectRead: where in which file the records lie, for a reader on this host that opens the
 * file by itself. Safe for use by several threads.
 *
 * <p>The broker keeps nothing for the reader: no file, no range, no memory. What is granted lies
 * below the high watermark and was checked once as for a fetch; it is not cut off again, and a file
 * that is removed stays with whoever has it open.
 */
public final class DirectReadHandler implements ApiHandler<DirectReadRequest, DirectReadResponse> {

  /**
   * Bytes of one grant. A range is checked when it is first granted, on the I/O thread; 8 MiB take
   * a millisecond.
   */
  static final int GRANT_BYTES_MAX = 8 * 1024 * 1024;

  private final DirectReader reader;
  private final DelayedFetches waiting;

  /**
   * Makes the handler.
   *
   * @param failures told of what can't be read
   * @param offsets where the offsets of partitions are published that are read directly
   */
  public DirectReadHandler(
      PartitionLookup lookup,
      ReadFailures failures,
      PublishedOffsets offsets,
      DelayedFetches waiting) {
    this.reader = new DirectReader(lookup, failures, offsets);
    this.waiting = waiting;
  }

  @Override
  public CompletionStage<@Nullable DirectReadResponse> handle(
      RequestContext context, DirectReadRequest request) {
    DelayedDirectRead read = new DelayedDirectRead(request, reader, context.connection(), waiting);
    read.begin();
    return read;
  }
}
