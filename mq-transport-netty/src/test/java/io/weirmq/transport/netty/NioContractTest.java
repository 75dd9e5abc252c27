package io.weirmq.transport.netty;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transport contract over Java's selectors. */
@ExtendWith(LeakGuard.class)
final class NioContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    return new NettyTransportProvider(NettyIo.NIO).open(options);
  }
}
