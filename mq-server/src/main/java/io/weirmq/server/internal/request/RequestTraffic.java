package io.weirmq.server.internal.request;

import java.util.concurrent.atomic.LongAdder;

/**
 * Requests and responses of one listener since the broker's start. Written by I/O threads, once per
 * request and response. Safe for use by several threads.
 */
public final class RequestTraffic {

  private final LongAdder requests = new LongAdder();
  private final LongAdder requestBytes = new LongAdder();
  private final LongAdder responses = new LongAdder();
  private final LongAdder responseBytes = new LongAdder();
  private final LongAdder inFlight = new LongAdder();

  void begun(int bytes) {
    requests.increment();
    requestBytes.add(bytes);
    inFlight.increment();
  }

  void sent(long bytes) {
    responses.increment();
    responseBytes.add(bytes);
  }

  /** Requests were answered, or nobody waits for their answers any more. */
  void ended(int count) {
    inFlight.add(-count);
  }

  /** Requests that were begun. */
  public long requestCount() {
    return requests.sum();
  }

  /** Their bytes, without the length prefixes. */
  public long requestByteCount() {
    return requestBytes.sum();
  }

  /** Responses that were handed to the transport. */
  public long responseCount() {
    return responses.sum();
  }

  /** Their bytes, without the length prefixes. */
  public long responseByteCount() {
    return responseBytes.sum();
  }

  /** Requests that are not answered yet, those that wait for records as well. */
  public long inFlightCount() {
    return inFlight.sum();
  }
}
