package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.internal.folder.RingFile;
import java.nio.channels.SocketChannel;
import jdk.net.UnixDomainPrincipal;

/**
 * What a handshake leads to.
 *
 * @param socket connected and non-blocking; transferred
 * @param rings mapped by both sides
 * @param user who the peer is, as the system says
 */
public record Established(SocketChannel socket, RingFile rings, UnixDomainPrincipal user) {}
