package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.internal.folder.RingFile;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.loop.SocketEvents;
import io.weirmq.transport.shm.internal.loop.Timer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening side of one handshake.
 *
 * <pre>
 *   accepted --hello--&gt; place taken, file made --answer, confirmation--&gt; file unlinked, handed over
 *       |                        |
 *       +---- time-out, end, or what no peer says: closed, place and file given back
 * </pre>
 *
 * <p>Confined to the handshake thread.
 */
final class ServerHandshake implements SocketEvents {

  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);

  private final Acceptor acceptor;
  private final SocketChannel socket;
  private ByteBuffer expected = ByteBuffer.allocate(Hello.BYTES);
  private @Nullable SelectionKey key;
  private @Nullable Timer timer;
  private @Nullable UnixDomainPrincipal user;
  private @Nullable String place;
  private @Nullable RingFile rings;
  private boolean ended;

  ServerHandshake(Acceptor acceptor, SocketChannel socket) {
    this.acceptor = acceptor;
    this.socket = socket;
  }

  void start() {
    try {
      socket.configureBlocking(false);
      UnixDomainPrincipal peer = PeerIdentity.of(socket);
      acceptor.access().requirePeer(peer.user());
      user = peer;
      key = acceptor.loop().register(socket, SelectionKey.OP_READ, this);
      timer =
          acceptor
              .loop()
              .schedule(
                  acceptor.limits().timeout().toNanos(),
                  () -> fail("no handshake within " + acceptor.limits().timeout()));
    } catch (IOException e) {
      refuse(e);
    }
  }

  @Override
  public void ready() {
    if (ended) {
      return;
    }
    try {
      if (socket.read(expected) < 0) {
        throw new EOFException("the peer ended within the handshake");
      }
      if (!expected.hasRemaining()) {
        take(expected.flip());
      }
    } catch (IOException | RuntimeException e) {
      refuse(e);
    } catch (InternalError e) {
      refuse(new IOException("shared memory can't be accessed: its file was cut", e));
    }
  }

  private void take(ByteBuffer message) throws IOException {
    if (rings == null) {
      answer(Hello.decode(message));
    } else {
      confirmed(message.get(), rings);
    }
  }

  private void answer(Hello hello) throws IOException {
    UnixDomainPrincipal peer = user;
    if (peer == null) {
      throw new IllegalStateException("hello before the peer was identified");
    }
    String name = peer.user().getName();
    String reason = acceptor.gate().admit(name);
    if (reason != null) {
      throw new IOException(reason);
    }
    place = name;
    RingSizes granted =
        new RingSizes(
            acceptor.options().grant(hello.wanted().toServerBytes()),
            acceptor.options().grant(hello.wanted().toClientBytes()));
    RingFile made = acceptor.newRing(granted);
    rings = made;
    expected = ByteBuffer.allocate(1);
    write(new Answer.Granted(made.name(), granted));
  }

  private void confirmed(byte confirmation, RingFile shared) throws IOException {
    UnixDomainPrincipal peer = user;
    if (confirmation != Answer.CONFIRMED || peer == null) {
      throw new IOException(
          "confirmation %d; expected %d".formatted(confirmation, Answer.CONFIRMED));
    }
    shared.unlink();
    end();
    acceptor.gate().established(new Established(socket, shared, peer));
  }

  private void write(Answer answer) throws IOException {
    ByteBuffer message = answer.encode();
    socket.write(message);
    if (message.hasRemaining()) {
      throw new IOException("the peer's socket is full before it has read anything");
    }
  }

  /** Ends with an answer that says why, as far as the peer still listens. */
  private void refuse(Exception e) {
    if (ended) {
      return;
    }
    try {
      if (rings == null) {
        write(new Answer.Refused(String.valueOf(e.getMessage())));
      }
    } catch (IOException unheard) {
      LOG.trace("nobody reads the refusal", unheard);
    }
    fail(String.valueOf(e.getMessage()));
  }

  /** Ends without a connection. */
  void fail(String reason) {
    if (ended) {
      return;
    }
    end();
    if (rings != null) {
      rings.unlink();
      rings.close();
    }
    if (place != null) {
      acceptor.gate().giveBack(place);
    }
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("socket of a failed handshake can't be closed", e);
    }
    acceptor.gate().failed(reason);
  }

  private void end() {
    ended = true;
    if (timer != null) {
      timer.cancel();
    }
    if (key != null) {
      key.cancel();
    }
    acceptor.ended(this);
  }
}
