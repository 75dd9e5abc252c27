package io.weirmq.transport.netty;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transport contract over native epoll. */
@ExtendWith(LeakGuard.class)
final class EpollContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    return new NettyTransportProvider(NettyIo.EPOLL).open(options);
  }
}
