package io.weirmq.client.kafka;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Listens on shared memory and passes each connection on to a TCP port, frame by frame. */
final class ShmBridge implements AutoCloseable {

  private final Transport shm;
  private final Transport tcp;
  private final Listener listener;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger frames = new AtomicInteger();

  private ShmBridge(Transport shm, Transport tcp, Path folder, int port) throws IOException {
    this.shm = shm;
    this.tcp = tcp;
    this.listener =
        shm.listen(Endpoint.ofPath("shm", folder.toString()), connection -> new Inner(port));
  }

  /** Opens a bridge from a folder to a port of this host. */
  static ShmBridge open(Path folder, int port) throws IOException {
    TransportOptions options =
        TransportOptions.defaults()
            .withFrameBytesMax(Integer.MAX_VALUE)
            .withOutboundLimits(1 << 20, 1 << 21, Long.MAX_VALUE);
    Transport shm = TransportProviders.open("shm", options.withIoThreads(1, "bridge-shm"));
    Transport tcp = TransportProviders.open("tcp", options.withIoThreads(1, "bridge-tcp"));
    try {
      return new ShmBridge(shm, tcp, folder, port);
    } catch (IOException e) {
      shm.close();
      tcp.close();
      throw e;
    }
  }

  /** Connections accepted so far. */
  int acceptedCount() {
    return accepted.get();
  }

  /** Connections that are open. */
  int openCount() {
    return listener.connectionCount();
  }

  /** Requests passed on so far. */
  int requestCount() {
    return frames.get();
  }

  @Override
  public void close() {
    shm.close();
    tcp.close();
  }

  /** The end in shared memory. */
  private final class Inner implements ConnectionHandler {
    private final int port;
    private final Queue<InboundFrame> early = new ArrayDeque<>();
    private @Nullable Connection outer;
    private boolean closed;

    Inner(int port) {
      this.port = port;
    }

    @Override
    public void onOpen(Connection inner) {
      accepted.incrementAndGet();
      tcp.connect(Endpoint.tcp("127.0.0.1", port), new Outer(inner))
          .whenComplete(
              (connection, failure) -> {
                if (failure != null) {
                  inner.abort(failure);
                } else {
                  opened(connection);
                }
              });
    }

    private synchronized void opened(Connection connection) {
      outer = connection;
      early.forEach(frame -> pass(frame, connection));
      early.clear();
      if (closed) {
        connection.close();
      }
    }

    @Override
    public synchronized void onFrame(Connection inner, InboundFrame frame) {
      frames.incrementAndGet();
      Connection to = outer;
      if (to == null) {
        early.add(frame);
      } else {
        pass(frame, to);
      }
    }

    @Override
    public synchronized void onClosed(Connection inner, @Nullable Throwable cause) {
      closed = true;
      if (outer != null) {
        outer.close();
      }
    }
  }

  /** The end at the broker. */
  private static final class Outer implements ConnectionHandler {
    private final Connection inner;

    Outer(Connection inner) {
      this.inner = inner;
    }

    @Override
    public void onOpen(Connection outer) {}

    @Override
    public void onFrame(Connection outer, InboundFrame frame) {
      pass(frame, inner);
    }

    @Override
    public void onClosed(Connection outer, @Nullable Throwable cause) {
      if (cause == null) {
        inner.close();
      } else {
        inner.abort(cause);
      }
    }
  }

  private static void pass(InboundFrame frame, Connection to) {
    to.send(OutboundFrame.of(frame.detach()));
    to.flush();
  }
}
