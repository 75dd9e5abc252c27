package io.weirmq.bench.micro;

import io.weirmq.bench.host.BenchFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that grows by plain writes, in a new folder that closing removes. */
final class PlainFile implements AutoCloseable {

  private final Path folder;
  private final FileChannel channel;

  PlainFile() throws IOException {
    folder = BenchFolder.create();
    channel =
        FileChannel.open(
            folder.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  FileChannel channel() {
    return channel;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    BenchFolder.remove(folder);
  }
}
