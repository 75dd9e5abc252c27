package io.weirmq.transport.shm;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;

/** The transport contract over shared memory, with threads that sleep. */
final class ShmContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    return new ShmTransportProvider().open(options);
  }

  @Override
  protected Endpoint endpoint() {
    return TestFolder.endpoint(TestFolder.fresh());
  }
}
