package io.weirmq.transport.netty;

import io.netty.channel.epoll.Epoll;

/** The system interface that sockets are driven by. Immutable. */
public enum NettyIo {
  /** Linux epoll through native code; {@code sendfile} and gathering writes without detours. */
  EPOLL,
  /** Java's own selectors; runs everywhere. */
  NIO;

  /** Returns {@link #EPOLL} where its native code can be loaded, else {@link #NIO}. */
  public static NettyIo preferred() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }
}
