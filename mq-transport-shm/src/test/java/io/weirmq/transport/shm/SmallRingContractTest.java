package io.weirmq.transport.shm;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;

/** The transport contract over the smallest rings: nearly every frame goes in pieces and waits. */
final class SmallRingContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    ShmOptions small =
        ShmOptions.defaults().withRingBounds(ShmOptions.RING_BYTES_MIN, ShmOptions.RING_BYTES_MIN);
    return new ShmTransportProvider(small).open(options);
  }

  @Override
  protected Endpoint endpoint() {
    return TestFolder.endpoint(TestFolder.fresh());
  }
}
