package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.Charset;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The names in the folder of an endpoint. Stateless. */
public final class FolderNames {

  /**
   * Longest path of a socket in bytes: the system's address has 108, of which the last ends it.
   * Some systems have 104.
   */
  static final int SOCKET_PATH_BYTES_MAX = 107;

  static final String SOCKET = "socket";
  static final String LOCK = "lock";
  static final String RING_PREFIX = "ring-";
  static final String RING_PATTERN = RING_PREFIX + "[0-9a-f]{16}";

  private static final Pattern RING = Pattern.compile(RING_PATTERN);

  private FolderNames() {}

  /**
   * Returns the folder of an endpoint's path.
   *
   * @throws IOException where it is no path, or too long for a socket in it
   */
  public static Path folder(String path) throws IOException {
    try {
      Path folder = Path.of(path);
      int length = folder.resolve(SOCKET).toString().getBytes(Charset.defaultCharset()).length;
      if (length > SOCKET_PATH_BYTES_MAX) {
        throw new IOException(
            "path %s of its socket has %d bytes; the system allows %d: choose a shorter folder"
                .formatted(folder.resolve(SOCKET), length, SOCKET_PATH_BYTES_MAX));
      }
      return folder;
    } catch (InvalidPathException e) {
      throw new IOException("'" + path + "' is no path", e);
    }
  }

  /** Returns the address of a folder's socket. */
  public static UnixDomainSocketAddress socket(Path folder) {
    return UnixDomainSocketAddress.of(folder.resolve(SOCKET));
  }

  /** Whether a name, as a peer has sent it, is one that a ring file has. */
  static boolean isRing(String name) {
    return RING.matcher(name).matches();
  }
}
