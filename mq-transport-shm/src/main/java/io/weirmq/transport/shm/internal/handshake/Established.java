package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.internal.folder.RingFile;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a handshake leads to.
 *
 * @param socket connected and non-blocking; transferred
 * @param rings mapped by both sides
 * @param user who the peer is, as the system says
 */
public record Established(SocketChannel socket, RingFile rings, UnixDomainPrincipal user)
    implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Established.class);

  /** Gives socket and file back, where nothing came of it. */
  @Override
  public void close() {
    rings.close();
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("socket can't be closed", e);
    }
  }
}
