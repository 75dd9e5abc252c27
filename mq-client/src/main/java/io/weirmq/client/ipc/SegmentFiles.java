package io.weirmq.client.ipc;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Opens files of the broker and makes sure that they are the ones that it has named. Stateless. */
final class SegmentFiles {

  private SegmentFiles() {}

  /**
   * Opens a file for reading.
   *
   * @param inode its number; looked at before and after, so that a file that takes the name between
   *     is not mistaken for it
   * @throws NoSuchFileException where the name has gone or belongs to another file: ask again
   */
  static FileChannel open(Path path, long inode) throws IOException {
    requireInode(path, inode);
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      requireInode(path, inode);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void requireInode(Path path, long inode) throws IOException {
    Object found = Files.getAttribute(path, "unix:ino");
    if (!(found instanceof Long number) || number != inode) {
      throw new NoSuchFileException(
          path.toString(), null, "is file %s now, not %d".formatted(found, inode));
    }
  }
}
