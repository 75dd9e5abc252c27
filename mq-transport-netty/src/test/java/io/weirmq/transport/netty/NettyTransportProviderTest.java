package io.weirmq.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProvider;
import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NettyTransportProviderTest {

  @Test
  void isFoundForTcp() {
    List<TransportProvider> found =
        ServiceLoader.load(TransportProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(provider -> provider.schemes().contains("tcp"))
            .toList();

    assertThat(found).singleElement().isInstanceOf(NettyTransportProvider.class);
  }

  @Test
  void picksEpollOnLinux() {
    assertThat(NettyIo.preferred())
        .isEqualTo(System.getProperty("os.name").startsWith("Linux") ? NettyIo.EPOLL : NettyIo.NIO);
  }

  @Test
  void listensOnAllInterfacesAndConnectsByName() throws Exception {
    try (Transport transport = new NettyTransportProvider().open(TransportOptions.defaults());
        Listener listener = transport.listen(Endpoint.tcp("", 0), made -> new RecordingHandler())) {
      Endpoint byName = Endpoint.tcp("localhost", listener.endpoint().port());
      Connection connection =
          transport
              .connect(byName, new RecordingHandler())
              .toCompletableFuture()
              .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);

      assertThat(connection.endpoint()).isEqualTo(byName);
      assertThat(connection.peer().port()).isEqualTo(listener.endpoint().port());
    }
  }

  @Test
  void startsNoThreadBeforeItIsUsedAndLeavesNoneBehind() throws Exception {
    TransportOptions named = TransportOptions.defaults().withIoThreads(3, "left-behind-test");
    Transport transport = new NettyTransportProvider().open(named);
    assertThat(threadsNamed("left-behind-test")).isZero();
    Listener listener =
        transport.listen(Endpoint.tcp("127.0.0.1", 0), made -> new RecordingHandler());
    for (int i = 0; i < 6; i++) {
      transport
          .connect(listener.endpoint(), new RecordingHandler())
          .toCompletableFuture()
          .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    }
    assertThat(threadsNamed("left-behind-test")).isEqualTo(4);

    transport.close();

    assertThat(threadsNamed("left-behind-test")).isZero();
    try (Transport next = new NettyTransportProvider().open(named);
        Listener again = next.listen(listener.endpoint(), made -> new RecordingHandler())) {
      assertThat(again.endpoint()).isEqualTo(listener.endpoint());
    } catch (IOException e) {
      throw new AssertionError("the port is still taken", e);
    }
  }

  private static long threadsNamed(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }
}
