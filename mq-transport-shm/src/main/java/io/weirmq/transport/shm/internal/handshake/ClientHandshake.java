package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.folder.FolderAccess;
import io.weirmq.transport.shm.internal.folder.LocalConnect;
import io.weirmq.transport.shm.internal.folder.RingFile;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.SocketEvents;
import io.weirmq.transport.shm.internal.loop.Timer;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connecting side of one handshake. The listening side is no more trusted than any peer: its
 * user, the sizes and the file are checked before anything is mapped. Confined to the handshake
 * thread.
 */
public final class ClientHandshake implements SocketEvents {

  private static final Logger LOG = LoggerFactory.getLogger(ClientHandshake.class);

  /** How long to wait before another try where the listener's queue is full. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final EventLoop loop;
  private final Path folder;
  private final ShmOptions options;
  private final FolderAccess access;
  private final HandshakeLimits limits;
  private final CompletableFuture<Established> result = new CompletableFuture<>();
  private ByteBuffer expected = ByteBuffer.allocate(Answer.HEADER_BYTES);
  private @Nullable SocketChannel socket;
  private @Nullable SelectionKey key;
  private @Nullable Timer timer;
  private @Nullable UnixDomainPrincipal user;

  /** Makes a handshake that has not begun. */
  public ClientHandshake(
      EventLoop loop,
      Path folder,
      ShmOptions options,
      FolderAccess access,
      HandshakeLimits limits) {
    this.loop = loop;
    this.folder = folder;
    this.options = options;
    this.access = access;
    this.limits = limits;
  }

  /** Completes on the handshake thread, or fails with an {@link IOException}. */
  public CompletableFuture<Established> result() {
    return result;
  }

  /** Begins. */
  public void start() {
    timer =
        loop.schedule(
            limits.timeout().toNanos(),
            () -> fail(new IOException("no answer within " + limits.timeout())));
    connect();
  }

  /** Ends without a connection; does nothing where it has ended. */
  public void cancel(String reason) {
    fail(new IOException(reason));
  }

  private void connect() {
    if (result.isDone()) {
      return;
    }
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      channel.configureBlocking(false);
      if (!LocalConnect.connect(channel, folder)) {
        channel.close();
        loop.schedule(RETRY_NANOS, this::connect);
        return;
      }
      socket = channel;
      UnixDomainPrincipal listener = PeerIdentity.of(channel);
      access.requireListener(folder, listener.user());
      user = listener;
      RingSizes wanted = new RingSizes(options.sendRingBytes(), options.receiveRingBytes());
      write(channel, new Hello(wanted).encode());
      key = loop.register(channel, SelectionKey.OP_READ, this);
    } catch (IOException | RuntimeException e) {
      socket = channel;
      fail(
          new IOException(
              "%s, as user %s; %s"
                  .formatted(
                      e.getMessage(), access.self().getName(), FolderAccess.describe(folder)),
              e));
    }
  }

  @Override
  public void ready() {
    SocketChannel channel = socket;
    if (result.isDone() || channel == null) {
      return;
    }
    try {
      if (channel.read(expected) < 0) {
        throw new EOFException("the listener ended within the handshake");
      }
      if (expected.position() == Answer.HEADER_BYTES) {
        int length = Answer.lengthBytes(expected);
        expected = ByteBuffer.allocate(length).put(expected.flip());
      }
      if (!expected.hasRemaining()) {
        take(Answer.decode(expected.flip()), channel);
      }
    } catch (IOException | RuntimeException e) {
      fail(e instanceof IOException io ? io : new IOException(e.getMessage(), e));
    }
  }

  private void take(Answer answer, SocketChannel channel) throws IOException {
    if (answer instanceof Answer.Refused refused) {
      throw new IOException("refused by the listener: " + refused.reason());
    }
    Answer.Granted granted = (Answer.Granted) answer;
    requireAcceptable(granted.sizes().toServerBytes());
    requireAcceptable(granted.sizes().toClientBytes());
    RingFile rings = RingFile.open(folder, granted.name(), granted.sizes());
    UnixDomainPrincipal peer = user;
    try {
      write(channel, ByteBuffer.wrap(new byte[] {Answer.CONFIRMED}));
      if (peer == null) {
        throw new IllegalStateException("answer before the listener was identified");
      }
    } catch (IOException | RuntimeException e) {
      rings.close();
      throw e;
    }
    end();
    result.complete(new Established(channel, rings, peer));
  }

  private void requireAcceptable(int ringBytes) throws IOException {
    if (!options.accepts(ringBytes)) {
      throw new IOException(
          "the listener grants a ring of %d bytes; expected a power of two, %d to %d"
              .formatted(ringBytes, options.ringBytesMin(), options.ringBytesMax()));
    }
  }

  private static void write(SocketChannel channel, ByteBuffer message) throws IOException {
    channel.write(message);
    if (message.hasRemaining()) {
      throw new IOException("the listener's socket takes no handshake");
    }
  }

  private void fail(IOException cause) {
    if (result.isDone()) {
      return;
    }
    end();
    SocketChannel channel = socket;
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("socket of a failed handshake can't be closed", e);
      }
    }
    result.completeExceptionally(cause);
  }

  private void end() {
    if (timer != null) {
      timer.cancel();
    }
    if (key != null) {
      key.cancel();
    }
  }
}
