package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.FrameLedger;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.LeakGuard;
import io.weirmq.transport.netty.NettyIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NT-07: partial zero-copy writes. */
@ExtendWith(LeakGuard.class)
@EnabledOnOs(OS.LINUX) // counts open files in /proc
final class ZeroCopyTest {

  private static final int FILE_BYTES = 3_000_000;
  private static final int SOCKET_BUFFER_BYTES = 4 * 1024;

  @TempDir Path folder;
  private final byte[] fileContent = new byte[FILE_BYTES];
  private final FrameLedger ledger = new FrameLedger();
  private Path file = Path.of("unset");

  @BeforeEach
  void writeFile() throws IOException {
    new Random(1).nextBytes(fileContent);
    file = Files.write(folder.resolve("00000000000000000000.log"), fileContent);
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt07_isExactToTheByteUnderTinySocketBuffersAlsoWhereTheFileIsDeleted(NettyIo io)
      throws Exception {
    try (FileChannel channel = FileChannel.open(file);
        NettyFixture server = serve(io, channel);
        RawClient client = RawClient.connect(server.endpoint(), SOCKET_BUFFER_BYTES)) {
      client.writeFrame((byte) 1);
      byte[] prefix = new byte[4 + 3];
      client.readFully(prefix);
      Files.delete(file);

      assertThat(prefix).isEqualTo(ByteBuffer.allocate(7).putInt(3 + FILE_BYTES).array());
      byte[] body = new byte[FILE_BYTES];
      int from = 0;
      Random random = new Random(5);
      while (from < FILE_BYTES) {
        byte[] piece = new byte[Math.min(FILE_BYTES - from, 1 + random.nextInt(20_000))];
        client.readFully(piece);
        System.arraycopy(piece, 0, body, from, piece.length);
        from += piece.length;
      }
      assertThat(Arrays.equals(body, fileContent)).as("same bytes").isTrue();
      ledger.awaitAllReleasedOnce();
    }
    assertThat(openFiles()).as("handles of the file").isZero();
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt07_leavesNoFileOpenWherePeersDisconnectDuringTheTransfer(NettyIo io) throws Exception {
    FileChannel channel = FileChannel.open(file);
    try (NettyFixture server = serve(io, channel)) {
      for (int i = 0; i < 20; i++) {
        try (RawClient client = RawClient.connect(server.endpoint(), SOCKET_BUFFER_BYTES)) {
          client.writeFrame((byte) 1);
          client.writeFrame((byte) 2);
          client.readFully(new byte[7 + i * 1_000]);
          if (i % 2 == 0) {
            client.reset();
          }
        }
      }
      NettyFixture.eventually("all closed", () -> server.listener.connectionCount() == 0);
      ledger.awaitAllReleasedOnce();
      assertThat(channel.isOpen()).as("the owner's channel").isTrue();
      channel.close();

      assertThat(openFiles()).as("handles of the file").isZero();
      assertThat(server.memoryInUse()).isZero();
    }
  }

  private NettyFixture serve(NettyIo io, FileChannel channel) throws IOException {
    return new NettyFixture(
        io,
        TransportOptions.defaults().withSocketBuffers(SOCKET_BUFFER_BYTES, SOCKET_BUFFER_BYTES),
        made ->
            new RecordingHandler() {
              @Override
              protected void received(Connection connection, byte[] content) {
                connection.send(
                    ledger.frame(
                        List.of(
                            new OutboundPart.Bytes(ByteBuffer.allocate(3)),
                            ledger.slice(channel, 0, FILE_BYTES))));
                connection.flush();
              }
            });
  }

  /** How many descriptors of this process lead to the file. */
  private long openFiles() throws IOException {
    long count = 0;
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors) {
        try {
          if (Files.readSymbolicLink(descriptor).toString().startsWith(file.toString())) {
            count++;
          }
        } catch (NoSuchFileException e) {
          // Closed while we looked, as the descriptor of this very listing is: not one to count.
        }
      }
    }
    return count;
  }
}
