package io.weirmq.transport.shm.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A listening side that is written by hand from the documented bytes, and can lie anywhere.
 * Blocking; confined to one thread.
 */
final class RawListener implements AutoCloseable {

  static final int RING_BYTES = 64 * 1024;

  private static final String RING_NAME = "ring-0123456789abcdef";

  private final Path folder;
  private final ServerSocketChannel server;

  private RawListener(Path folder, ServerSocketChannel server) {
    this.folder = folder;
    this.server = server;
  }

  /**
   * Binds the socket.
   *
   * @param folder of this user, closed to others
   */
  static RawListener bind(Path folder) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
    return new RawListener(folder, server);
  }

  /** A peer that has connected, with the memory that it believes in. */
  record Joined(SocketChannel socket, MappedByteBuffer memory, FileChannel file)
      implements AutoCloseable {

    /** Writes into the ring that the connecting side reads. */
    RingWriter writer() {
      return new RingWriter(RingMemory.own(memory.slice(512 + RING_BYTES, 512 + RING_BYTES)), 0);
    }

    void ring() throws IOException {
      socket.write(ByteBuffer.wrap(new byte[] {0}));
    }

    @Override
    public void close() throws IOException {
      socket.close();
      file.close();
    }
  }

  /** Goes through the whole handshake with the next peer. */
  Joined accept() throws IOException {
    SocketChannel socket = server.accept();
    read(socket, 16);
    Path path = folder.resolve(RING_NAME);
    FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    int bytes = 2 * (512 + RING_BYTES);
    file.write(ByteBuffer.allocate(bytes));
    MappedByteBuffer memory = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
    RingMemory.create(memory.slice(0, bytes / 2), 0);
    RingMemory.create(memory.slice(bytes / 2, bytes / 2), 0);
    socket.write(
        ByteBuffer.allocate(19 + RING_NAME.length())
            .put("WeirMQ".getBytes(US_ASCII))
            .putShort((short) 1)
            .put((byte) 0)
            .putInt(RING_BYTES)
            .putInt(RING_BYTES)
            .putShort((short) RING_NAME.length())
            .put(RING_NAME.getBytes(US_ASCII))
            .flip());
    assertThat(read(socket, 1).get()).as("confirmation").isEqualTo((byte) 1);
    Files.delete(path);
    return new Joined(socket, memory, file);
  }

  private static ByteBuffer read(SocketChannel socket, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      assertThat(socket.read(bytes)).as("bytes of the handshake").isPositive();
    }
    return bytes.flip();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
