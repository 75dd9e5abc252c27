package io.weirmq.transport.netty;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;

/** The transport contract over native epoll. */
final class EpollContractTest extends TransportContract {

  @Override
  protected Transport open(TransportOptions options) {
    return new NettyTransportProvider(NettyIo.EPOLL).open(options);
  }
}
