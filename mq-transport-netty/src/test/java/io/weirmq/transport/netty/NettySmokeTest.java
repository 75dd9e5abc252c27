package io.weirmq.transport.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.FileSlice;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class NettySmokeTest {

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void echoesAFrameWithAFileSlice(NettyIo io) throws Exception {
    Path file = Files.write(folder.resolve("f"), "0123456789".getBytes(UTF_8));
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    try (FileChannel channel = FileChannel.open(file);
        Transport transport = new NettyTransportProvider(io).open(TransportOptions.defaults());
        Listener listener =
            transport.listen(
                Endpoint.tcp("127.0.0.1", 0),
                made ->
                    new Recorder(received) {
                      @Override
                      public void onFrame(Connection connection, InboundFrame frame) {
                        super.onFrame(connection, frame);
                        connection.send(
                            new OutboundFrame(
                                List.of(
                                    new OutboundPart.Bytes(ByteBuffer.wrap("<".getBytes(UTF_8))),
                                    new FileSlice(channel, 2, 5, () -> received.add("released")),
                                    new OutboundPart.Bytes(ByteBuffer.wrap(">".getBytes(UTF_8)))),
                                () -> {}));
                        connection.flush();
                      }
                    })) {
      Connection client =
          transport
              .connect(listener.endpoint(), new Recorder(received))
              .toCompletableFuture()
              .get(10, TimeUnit.SECONDS);

      client.send(OutboundFrame.of(ByteBuffer.wrap("hello".getBytes(UTF_8))));
      client.flush();

      assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("hello");
      assertThat(List.of(take(received), take(received)))
          .containsExactlyInAnyOrder("released", "<23456>");
    }
  }

  private static String take(BlockingQueue<String> queue) throws InterruptedException {
    return String.valueOf(queue.poll(10, TimeUnit.SECONDS));
  }

  private static class Recorder implements ConnectionHandler {

    private final BlockingQueue<String> received;

    Recorder(BlockingQueue<String> received) {
      this.received = received;
    }

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      received.add(UTF_8.decode(frame.buffer().duplicate()).toString());
      frame.release();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
  }
}
