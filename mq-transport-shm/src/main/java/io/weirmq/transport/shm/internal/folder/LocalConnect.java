package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects to the socket of a folder. Stateless. */
public final class LocalConnect {

  private static final Logger LOG = LoggerFactory.getLogger(LocalConnect.class);

  private LocalConnect() {}

  /**
   * Connects, without blocking.
   *
   * @param channel non-blocking; to be closed where this returns false or throws
   * @return false where the listener's queue is full: the connect is not under way then, it has to
   *     be repeated
   * @throws java.net.ConnectException where nobody listens there any more
   * @throws IOException where there is no such socket, or it is not ours to connect to
   */
  public static boolean connect(SocketChannel channel, Path folder) throws IOException {
    try {
      return channel.connect(FolderNames.socket(folder));
    } catch (SocketException e) {
      if (isQueueFull(e, folder)) {
        LOG.trace("the queue of the listener in {} is full", folder, e);
        return false;
      }
      throw e;
    }
  }

  /**
   * Linux answers a non-blocking connect to a local socket whose queue is full with EAGAIN, and the
   * JDK has no class for that: it throws a plain SocketException, as it does where there is no such
   * file. Who does not listen or may not be connected to has an exception of its own kind (refused:
   * ConnectException, no permission: BindException).
   */
  private static boolean isQueueFull(SocketException e, Path folder) {
    return e.getClass() == SocketException.class
        && Files.exists(folder.resolve(FolderNames.SOCKET), LinkOption.NOFOLLOW_LINKS);
  }
}
