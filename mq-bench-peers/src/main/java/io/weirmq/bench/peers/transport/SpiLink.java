package io.weirmq.bench.peers.transport;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import io.weirmq.transport.BorrowingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProvider;
import io.weirmq.transport.TransportProviders;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.ShmTransportProvider;
import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Frames over a transport of WeirMQ. The receiving end has one I/O thread; the sending one polls
 * the transport itself where it can be polled, else it has one too. Settings: {@code endpoint},
 * where port 0 stands for a free one; {@code waitStrategy} for shared memory; {@code batch},
 * messages that are offered together, 1 for each alone.
 */
public final class SpiLink implements Link {

  private static final long CONNECT_SECONDS = 10;
  private static final long POLL_MILLIS = 1_000;

  private final Transport transport;

  /** The transport where it has no thread of its own. */
  private final @Nullable PolledTransport polled;

  private final @Nullable Listener listener;
  private final Idler idler;

  /** Messages that are not offered yet, from {@code offered} to {@code filled}; used again. */
  private final ByteBuffer[] batch;

  private int offered;
  private int filled;

  /** Messages that have come in, for the thread that takes them. */
  private int received;

  /** Whether the caller is inside of a poll, in which there is no other. */
  private boolean polling;

  private final Receiver receiver;
  private volatile @Nullable Connection connection;
  private volatile @Nullable Throwable ended;
  private volatile boolean closing;

  /** Made by name. */
  public SpiLink(Settings settings, Side side, Receiver receiver) throws Exception {
    this.receiver = receiver;
    this.idler = Idler.valueOf(settings.text("idler"));
    this.batch = new ByteBuffer[settings.number("batch")];
    int messageBytes = settings.number("messageBytes");
    Arrays.setAll(batch, i -> ByteBuffer.allocateDirect(messageBytes));
    Endpoint endpoint =
        Endpoint.parse(settings.find("address").orElseGet(() -> settings.text("endpoint")));
    TransportOptions options = TransportOptions.defaults().withIoThreads(1, "bench-io");
    TransportProvider provider = provider(settings, endpoint);
    polled = side == Side.SENDER ? provider.openPolled(options).orElse(null) : null;
    transport = polled == null ? provider.open(options) : polled;
    if (side == Side.RECEIVER) {
      listener = transport.listen(endpoint, accepted -> new Handler());
    } else {
      listener = null;
      connection = connect(endpoint);
    }
  }

  private static TransportProvider provider(Settings settings, Endpoint endpoint) {
    return settings
        .find("waitStrategy")
        .map(WaitStrategy::valueOf)
        .<TransportProvider>map(
            strategy -> new ShmTransportProvider(ShmOptions.defaults().withWaitStrategy(strategy)))
        .or(() -> TransportProviders.find(endpoint.scheme()))
        .orElseThrow();
  }

  private Connection connect(Endpoint endpoint) throws Exception {
    CompletableFuture<Connection> connecting =
        transport.connect(endpoint, new Handler()).toCompletableFuture();
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CONNECT_SECONDS);
    while (polled != null && !connecting.isDone() && System.nanoTime() - endNanos < 0) {
      polled.poll(POLL_MILLIS);
    }
    return connecting.get(polled == null ? CONNECT_SECONDS : 0, TimeUnit.SECONDS);
  }

  /** Hands frames to the receiver. */
  private final class Handler implements BorrowingHandler {

    @Override
    public void onOpen(Connection opened) {
      connection = opened;
    }

    @Override
    public void onContent(Connection from, ByteBuffer content) {
      received++;
      receiver.onMessage(content, content.position(), content.remaining());
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
      if (!closing) {
        ended = cause == null ? new IOException("the other end closed the connection") : cause;
      }
    }
  }

  @Override
  public Map<String, String> facts() {
    return listener == null ? Map.of() : Map.of("address", listener.endpoint().toString());
  }

  @Override
  public boolean offer(ByteBuffer message) {
    Connection to = opened();
    if (batch.length == 1) {
      return to.offer(message);
    }
    if (filled == batch.length && !offerBatch(to)) {
      return false;
    }
    batch[filled++].put(0, message, 0, message.capacity());
    return true;
  }

  /** Offers what waits, and returns whether all of it was taken. */
  private boolean offerBatch(Connection to) {
    offered += to.offer(batch, offered, filled);
    if (offered < filled) {
      return false;
    }
    offered = 0;
    filled = 0;
    return true;
  }

  @Override
  public void flush() {
    Connection to = opened();
    while (filled > 0 && !offerBatch(to)) {
      idle(0);
      to = opened();
    }
    to.flush();
  }

  private Connection opened() {
    Connection to = connection;
    if (to == null || ended != null) {
      throw new IllegalStateException("the connection is gone", ended);
    }
    return to;
  }

  @Override
  public boolean isPolled() {
    return polled != null;
  }

  @Override
  public int poll(boolean mayBlock) {
    if (polled == null) {
      return 0;
    }
    int before = received;
    polling = true;
    try {
      polled.poll(mayBlock ? POLL_MILLIS : 0);
    } finally {
      polling = false;
    }
    Throwable cause = ended;
    if (cause != null) {
      throw new IllegalStateException("the connection is gone", cause);
    }
    return received - before;
  }

  /** A sender that is never asked to poll hears here that the other end is gone. */
  @Override
  public void idle(int workCount) {
    if (workCount == 0 && !polling) {
      poll(false);
    }
    idler.idle(workCount);
  }

  @Override
  public void close() {
    closing = true;
    transport.close();
  }
}
