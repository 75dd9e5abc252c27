package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages of one length over a plain socket. */
public final class SocketLink implements Link {

  private final @Nullable ServerSocketChannel server;
  private final Receiver receiver;
  private final ByteBuffer incoming;
  private @Nullable SocketChannel socket;

  /** Made by name. */
  public SocketLink(Settings settings, Side side, Receiver receiver) throws IOException {
    this.receiver = receiver;
    this.incoming = ByteBuffer.allocate(settings.number("messageBytes"));
    InetAddress host = InetAddress.getLoopbackAddress();
    if (side == Side.RECEIVER) {
      server = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
      server.configureBlocking(false);
    } else {
      server = null;
      socket = SocketChannel.open(new InetSocketAddress(host, settings.number("port")));
      socket.configureBlocking(false);
    }
  }

  @Override
  public Map<String, String> facts() {
    return server == null
        ? Map.of()
        : Map.of("port", Integer.toString(server.socket().getLocalPort()));
  }

  @Override
  public boolean offer(ByteBuffer message) {
    try {
      ByteBuffer rest = message.duplicate().clear();
      while (rest.hasRemaining()) {
        connected().write(rest);
        if (rest.remaining() == rest.capacity()) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SocketChannel connected() {
    SocketChannel there = socket;
    if (there == null) {
      throw new IllegalStateException("not connected");
    }
    return there;
  }

  @Override
  public void flush() {}

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    try {
      if (socket == null && server != null) {
        socket = server.accept();
        if (socket == null) {
          return 0;
        }
        socket.configureBlocking(false);
      }
      connected().read(incoming);
      if (incoming.hasRemaining()) {
        return 0;
      }
      incoming.clear();
      receiver.onMessage(incoming, 0, incoming.capacity());
      return 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void idle(int workCount) {
    Idler.YIELD.idle(workCount);
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      server.close();
    }
  }
}
