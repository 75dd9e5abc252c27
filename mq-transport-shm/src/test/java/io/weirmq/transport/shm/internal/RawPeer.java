package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A connecting side that is written by hand from the documented bytes, and can stop or lie
 * anywhere. Blocking; confined to one thread.
 */
final class RawPeer implements AutoCloseable {

  static final int RING_BYTES = 64 * 1024;

  private final Path folder;
  private final SocketChannel socket;
  private String ringName = "";

  private RawPeer(Path folder, SocketChannel socket) {
    this.folder = folder;
    this.socket = socket;
  }

  static RawPeer connect(Path folder) throws IOException {
    return new RawPeer(
        folder, SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("socket"))));
  }

  /** Goes through the whole handshake. */
  static Joined join(Path folder) throws IOException {
    RawPeer peer = connect(folder);
    peer.sayHello();
    peer.readGrant();
    Joined joined = peer.map();
    peer.confirm();
    return joined;
  }

  /** A peer with its memory. */
  record Joined(RawPeer peer, MappedByteBuffer memory, FileChannel file) implements AutoCloseable {

    RingWriter writer() throws IOException {
      return new RingWriter(RingMemory.attach(memory.slice(0, 512 + RING_BYTES)), 0);
    }

    RingReader reader() throws IOException {
      return new RingReader(RingMemory.attach(memory.slice(512 + RING_BYTES, 512 + RING_BYTES)), 0);
    }

    @Override
    public void close() throws IOException {
      peer.close();
      file.close();
    }
  }

  static byte[] hello() {
    return ByteBuffer.allocate(16)
        .put("WeirMQ".getBytes(StandardCharsets.US_ASCII))
        .putShort((short) 1)
        .putInt(RING_BYTES)
        .putInt(RING_BYTES)
        .array();
  }

  void sayHello() throws IOException {
    send(hello());
  }

  void send(byte[] bytes) throws IOException {
    socket.write(ByteBuffer.wrap(bytes));
  }

  void readGrant() throws IOException {
    ByteBuffer header = read(19);
    assertThat(header.get(8)).as("granted").isZero();
    assertThat(header.getInt(9)).isEqualTo(RING_BYTES);
    assertThat(header.getInt(13)).isEqualTo(RING_BYTES);
    ringName = text(header);
  }

  /** Reads a refusal and returns its reason. */
  String readRefusal() throws IOException {
    ByteBuffer header = read(19);
    assertThat(header.get(8)).as("refused").isEqualTo((byte) 1);
    return text(header);
  }

  private String text(ByteBuffer header) throws IOException {
    return StandardCharsets.UTF_8.decode(read(header.getShort(17))).toString();
  }

  Joined map() throws IOException {
    FileChannel file =
        FileChannel.open(
            folder.resolve(ringName), StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new Joined(this, file.map(FileChannel.MapMode.READ_WRITE, 0, file.size()), file);
  }

  void confirm() throws IOException {
    send(new byte[] {1});
  }

  void ring() throws IOException {
    send(new byte[] {0});
  }

  /** Waits for the other side to close the socket. */
  void awaitEnd() {
    try {
      ByteBuffer bytes = ByteBuffer.allocate(1_000);
      while (socket.read(bytes.clear()) >= 0) {
        // bells, or a refusal
      }
    } catch (IOException e) {
      // reset: ended, with bytes of ours unread
      assertThat(e).hasMessageMatching("Connection reset.*|Broken pipe");
    }
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new EOFException("the listener ended after " + bytes.position() + " bytes");
      }
    }
    return bytes.flip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
