package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.weirmq.testkit.transport.FrameLedger;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.LeakGuard;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A connection on a channel without a socket: each byte and each write under the test's hand. */
@ExtendWith(LeakGuard.class)
final class EmbeddedConnectionTest {

  private final List<byte[]> received = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final FrameLedger ledger = new FrameLedger();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @AfterEach
  void closeChannel() {
    channel.finishAndReleaseAll();
    ledger.awaitAllReleasedOnce();
  }

  @Test
  void nt04_answersTheSameForEverySplit() {
    byte[] stream = stream(0, 3, 1, 20, 0, 2);
    open(new Recorder());
    List<byte[]> expected = null;
    for (int first = 0; first <= stream.length; first++) {
      for (int second = first; second <= stream.length; second += 3) {
        received.clear();
        write(stream, 0, first);
        write(stream, first, second);
        write(stream, second, stream.length);
        if (expected == null) {
          expected = List.copyOf(received);
        }
        assertThat(received).as("cuts at %d and %d", first, second).hasSize(6);
        for (int i = 0; i < 6; i++) {
          assertThat(received.get(i)).isEqualTo(expected.get(i));
        }
      }
    }
  }

  @Test
  void keepsFramesThatArriveWhileItIsPaused() {
    Connection connection =
        open(
            new Recorder() {
              @Override
              public void onFrame(Connection from, InboundFrame frame) {
                super.onFrame(from, frame);
                from.pauseReading();
              }
            });
    byte[] stream = stream(1, 2, 3, 4);

    write(stream, 0, stream.length);
    assertThat(received).hasSize(1);
    assertThat(channel.config().isAutoRead()).isFalse();
    for (int count = 2; count <= 4; count++) {
      connection.resumeReading();
      assertThat(received).as("resume delivers nothing inside its call").hasSize(count - 1);
      channel.runPendingTasks();
      assertThat(received).hasSize(count);
    }
    connection.resumeReading();
    channel.runPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void writesManySmallFramesAsOnePiece() {
    Connection connection = open(new Recorder());

    for (int i = 0; i < 100; i++) {
      connection.send(ledger.frame(new byte[] {(byte) i, 7}));
      connection.flush();
    }
    assertThat(channel.outboundMessages()).as("before the event loop runs").isEmpty();
    channel.runPendingTasks();

    assertThat(ledger.releasedCount()).as("copied frames are released at once").isEqualTo(100);
    ByteBuf written = channel.readOutbound();
    assertThat(channel.outboundMessages()).isEmpty();
    for (int i = 0; i < 100; i++) {
      assertThat(written.readInt()).isEqualTo(2);
      assertThat(written.readByte()).isEqualTo((byte) i);
      assertThat(written.readByte()).isEqualTo((byte) 7);
    }
    assertThat(written.isReadable()).isFalse();
    written.release();
  }

  @Test
  void writesLargeBuffersInPlaceAndFilesAsRegions(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("f"), new byte[1_000]);
    ByteBuffer large = ByteBuffer.allocateDirect(100_000);
    try (FileChannel fileChannel = FileChannel.open(file)) {
      Connection connection = open(new Recorder());
      connection.send(
          ledger.frame(
              List.of(
                  new OutboundPart.Bytes(ByteBuffer.wrap(new byte[] {1})),
                  new OutboundPart.Bytes(large),
                  ledger.slice(fileChannel, 10, 500),
                  new OutboundPart.Bytes(ByteBuffer.wrap(new byte[] {2})))));
      connection.flush();
      channel.runPendingTasks();

      ByteBuf head = channel.readOutbound();
      assertThat(head.readInt()).isEqualTo(1 + 100_000 + 500 + 1);
      assertThat(head.readableBytes()).isEqualTo(1);
      head.release();
      ByteBuf body = channel.readOutbound();
      large.put(5, (byte) 99);
      assertThat(body.getByte(5)).as("same memory").isEqualTo((byte) 99);
      body.release();
      FileRegion region = channel.readOutbound();
      assertThat(region.position()).isEqualTo(10);
      assertThat(region.count()).isEqualTo(500);
      region.release();
      assertThat(fileChannel.isOpen()).as("file after the region's release").isTrue();
      ByteBuf tail = channel.readOutbound();
      assertThat(tail.readByte()).isEqualTo((byte) 2);
      tail.release();
    }
  }

  @Test
  void cutsTheConnectionWhereABufferChangedAfterItWasSent() {
    Connection connection = open(new Recorder());
    ByteBuffer content = ByteBuffer.allocate(10);

    connection.send(ledger.frame(List.of(new OutboundPart.Bytes(content))));
    content.position(3);
    connection.flush();
    channel.runPendingTasks();

    assertThat(events).last().asString().contains("changed by -3");
    assertThat(channel.isOpen()).isFalse();
    ledger.awaitAllReleasedOnce();
  }

  @Test
  void reportsWritabilityInPairs() {
    TransportOptions small = TransportOptions.defaults().withOutboundLimits(100, 1_000, 10_000);
    Connection connection = open(new Recorder(), small);

    for (int i = 0; i < 4; i++) {
      connection.send(ledger.frame(new byte[300]));
    }
    assertThat(connection.isWritable()).isFalse();
    // Written before the first report could run: both are still told, in order.
    connection.flush();
    channel.runPendingTasks();

    assertThat(connection.isWritable()).isTrue();
    assertThat(events).containsExactly("open", "writable false", "writable true");
    channel.releaseOutbound();
  }

  @Test
  void tellsAHandlerThatThePeerEndedInsideAFrame() {
    open(new Recorder());
    byte[] stream = stream(50);
    write(stream, 0, 20);

    channel
        .pipeline()
        .fireUserEventTriggered(io.netty.channel.socket.ChannelInputShutdownEvent.INSTANCE);
    channel.runPendingTasks();

    assertThat(events).last().asString().contains("inside a frame").contains("20 bytes");
  }

  private Connection open(Recorder handler) {
    return open(handler, TransportOptions.defaults());
  }

  private Connection open(Recorder handler, TransportOptions options) {
    List<NettyConnection> made = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel target) {
                NettyConnection connection =
                    new NettyConnection(
                        1,
                        Endpoint.tcp("test", 1),
                        target,
                        options,
                        new NoOwner(),
                        connectionMade -> handler);
                made.add(connection);
                connection.attach();
              }
            });
    channel.pipeline().fireChannelActive();
    return made.get(0);
  }

  private void write(byte[] stream, int from, int to) {
    if (to > from) {
      channel.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOfRange(stream, from, to)));
    }
  }

  private static byte[] stream(int... sizes) {
    Random random = new Random(sizes.length);
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(sizes).map(size -> 4 + size).sum());
    for (int size : sizes) {
      byte[] content = new byte[size];
      random.nextBytes(content);
      all.putInt(size).put(content);
    }
    return all.array();
  }

  private static final class NoOwner implements ConnectionOwner {
    @Override
    public boolean opened(NettyConnection connection) {
      return true;
    }

    @Override
    public void ended(NettyConnection connection) {}

    @Override
    public void framingError(NettyConnection connection, FrameLengthException error) {}
  }

  private class Recorder implements ConnectionHandler {

    @Override
    public void onOpen(Connection connection) {
      events.add("open");
    }

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      byte[] content = new byte[frame.buffer().remaining()];
      frame.buffer().get(content);
      frame.release();
      received.add(content);
    }

    @Override
    public void onWritabilityChanged(Connection connection, boolean writable) {
      events.add("writable " + writable);
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      events.add("closed by " + cause);
    }
  }
}
