package io.weirmq.transport.shm;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;

/** The transport contract over shared memory, with threads that give no core back. */
final class BusySpinContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    return new ShmTransportProvider(ShmOptions.defaults().withWaitStrategy(WaitStrategy.BUSY_SPIN))
        .open(options);
  }

  @Override
  protected Endpoint endpoint() {
    return TestFolder.endpoint(TestFolder.fresh());
  }
}
