package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.folder.FolderAccess;
import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.RingFile;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.folder.ServerFolder;
import io.weirmq.transport.shm.internal.folder.ShortMemoryException;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.SocketEvents;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the peers of one listener and leads them through the handshake. Confined to the handshake
 * thread, except for {@link #underWayCount()} and {@link #isNamed()}.
 *
 * <p>No more than {@link HandshakeLimits#underWayMax()} handshakes are under way: the oldest gives
 * way to a new one. A peer costs a descriptor until it has said what it wants, and memory only from
 * then on.
 */
public final class Acceptor implements SocketEvents {

  /** Accepts in one turn, so that handshakes go on during a storm. */
  private static final int ACCEPTS_PER_TURN = 32;

  /** How long to stop accepting where the system has no descriptor left. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Times to ask for memory, some ten milliseconds each, after a collection. */
  private static final int TRIES_MAX = 20;

  private final EventLoop loop;
  private final ServerFolder folder;
  private final Gate gate;
  private final ShmOptions options;
  private final FolderAccess access;
  private final HandshakeLimits limits;
  private final MappingLedger ledger;
  private final Set<ServerHandshake> underWay = new LinkedHashSet<>();
  private volatile int underWayCount;
  private @Nullable SelectionKey key;

  /**
   * Makes an acceptor that does not accept yet.
   *
   * @param folder transferred; {@link #close()} gives it free
   * @param ledger counts the mappings of what is granted
   */
  public Acceptor(
      EventLoop loop,
      ServerFolder folder,
      Gate gate,
      ShmOptions options,
      FolderAccess access,
      HandshakeLimits limits,
      MappingLedger ledger) {
    this.loop = loop;
    this.folder = folder;
    this.gate = gate;
    this.options = options;
    this.access = access;
    this.limits = limits;
    this.ledger = ledger;
  }

  /** Begins to accept. */
  public void start() throws IOException {
    key = loop.register(folder.server(), SelectionKey.OP_ACCEPT, this);
  }

  /** Whether peers that come now find the folder's socket. From any thread. */
  public boolean isNamed() {
    return folder.isNamed();
  }

  /** Handshakes that are under way now. From any thread. */
  public int underWayCount() {
    return underWayCount;
  }

  @Override
  public void ready() {
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
      try {
        SocketChannel socket = folder.server().accept();
        if (socket == null) {
          return;
        }
        begin(socket);
      } catch (IOException e) {
        gate.failed("cannot accept: " + e.getMessage());
        pause();
        return;
      }
    }
  }

  private void begin(SocketChannel socket) {
    if (underWay.size() >= limits.underWayMax()) {
      Iterator<ServerHandshake> oldestFirst = underWay.iterator();
      oldestFirst.next().fail("gave way: more than " + limits.underWayMax() + " handshakes");
    }
    ServerHandshake handshake = new ServerHandshake(this, socket);
    underWay.add(handshake);
    underWayCount = underWay.size();
    handshake.start();
  }

  private void pause() {
    SelectionKey accepting = key;
    if (accepting != null && accepting.isValid()) {
      accepting.interestOps(0);
      loop.schedule(
          PAUSE_NANOS,
          () -> {
            if (accepting.isValid()) {
              accepting.interestOps(SelectionKey.OP_ACCEPT);
            }
          });
    }
  }

  /**
   * Ends all handshakes, closes the socket and gives the folder free.
   *
   * @throws IOException where the socket's file can't be removed
   */
  public void close() throws IOException {
    new ArrayList<>(underWay).forEach(handshake -> handshake.fail("the listener was closed"));
    try {
      folder.server().close();
      // A closed socket stays bound until its selector has let go of it.
      loop.dropClosed();
    } finally {
      folder.close();
    }
  }

  /**
   * Closes the socket and gives the folder free, where the loop has ended.
   *
   * @throws IOException where the socket's file can't be removed
   */
  public void closeFolder() throws IOException {
    try {
      folder.server().close();
    } finally {
      folder.close();
    }
  }

  /** Forgets a handshake that has ended. */
  void ended(ServerHandshake handshake) {
    underWay.remove(handshake);
    underWayCount = underWay.size();
  }

  EventLoop loop() {
    return loop;
  }

  /**
   * Makes the memory of a connection. Where the file system is full, memory of connections that
   * have ended may only wait for the collector.
   */
  RingFile newRing(RingSizes sizes) throws IOException {
    RingFile made = null;
    for (int tries = 1; made == null; tries++) {
      try {
        made = folder.newRing(sizes);
      } catch (ShortMemoryException e) {
        boolean mayBecomeFree = tries == 1 ? ledger.collect() : tries < TRIES_MAX;
        if (!mayBecomeFree) {
          throw e;
        }
        ledger.awaitUnmapping();
      }
    }
    made.enter(ledger);
    return made;
  }

  Gate gate() {
    return gate;
  }

  ShmOptions options() {
    return options;
  }

  FolderAccess access() {
    return access;
  }

  HandshakeLimits limits() {
    return limits;
  }
}
