package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Connects to the socket of a folder. Stateless. */
public final class LocalConnect {

  /**
   * What the JDK says for EAGAIN, which is how Linux answers a non-blocking connect to a local
   * socket whose queue is full. There is no class or number for it.
   */
  private static final String QUEUE_IS_FULL = "temporarily unavailable";

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
      if (String.valueOf(e.getMessage()).contains(QUEUE_IS_FULL)) {
        return false;
      }
      throw e;
    }
  }
}
