package io.weirmq.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Connection;
import io.weirmq.transport.OutboundPart;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges of files. */
abstract class FileSliceContract extends ContractCase {

  /** Larger than the socket buffers of both sides together. */
  private static final int FILE_BYTES = 24 * 1024 * 1024;

  @TempDir Path folder;
  private byte[] fileContent = new byte[0];
  private FileChannel channel;

  @SuppressWarnings("NullAway.Init") // the channel is opened before each test
  FileSliceContract() {}

  @BeforeEach
  void writeFile() throws Exception {
    fileContent = content(99, FILE_BYTES);
    channel = FileChannel.open(Files.write(folder.resolve("segment.log"), fileContent));
  }

  @AfterEach
  void closeFile() throws Exception {
    // The contract's own checks come first: slices are released while the file is still open.
    channel.close();
  }

  @Test
  void sendsARangeOfAFileAndLeavesItOpenAndUnmoved() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());

    client.send(ledger.frame(List.of(ledger.slice(channel, 1_000, 5_000))));
    client.flush();

    assertThat(server.awaitAccepted().awaitFrame()).isEqualTo(range(1_000, 5_000));
    ledger.awaitAllReleasedOnce();
    assertThat(channel.isOpen()).isTrue();
    assertThat(channel.position()).isZero();
  }

  @Test
  void interleavesSlicesAndBuffers() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    byte[] head = "head".getBytes(UTF_8);
    byte[] middle = content(4, 70_000);
    byte[] tail = "tail".getBytes(UTF_8);

    for (int i = 0; i < 20; i++) {
      client.send(
          ledger.frame(
              List.of(
                  bytes(head),
                  ledger.slice(channel, 10L * i, 0),
                  ledger.slice(channel, 17L * i, 300_000),
                  bytes(middle),
                  ledger.slice(channel, 1_000_000L + i, 1),
                  ledger.slice(channel, 2_000_000L + i, 4_096),
                  bytes(tail))));
      client.send(ledger.frame(tail));
    }
    client.flush();

    RecordingHandler accepted = server.awaitAccepted();
    for (int i = 0; i < 20; i++) {
      byte[] expected =
          joined(
              head,
              range(17 * i, 300_000),
              middle,
              range(1_000_000 + i, 1),
              range(2_000_000 + i, 4_096),
              tail);
      assertThat(accepted.awaitFrame()).as("frame %d", i).isEqualTo(expected);
      assertThat(accepted.awaitFrame()).as("frame after %d", i).isEqualTo(tail);
    }
  }

  @Test
  void sendsARangeLargerThanTheSocketBuffers() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());

    client.send(ledger.frame(List.of(ledger.slice(channel, 0, FILE_BYTES))));
    client.send(ledger.frame("after".getBytes(UTF_8)));
    client.flush();

    RecordingHandler accepted = server.awaitAccepted();
    assertThat(Arrays.equals(accepted.awaitFrame(), fileContent)).as("whole file").isTrue();
    assertThat(accepted.awaitFrame()).isEqualTo("after".getBytes(UTF_8));
  }

  @Test
  void sendsTheSameFileOnSeveralConnectionsAtOnce() throws Exception {
    int connections = 4;
    Server server = serve(options(), () -> new FileAnswers(this));
    List<RecordingHandler> handlers = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      RecordingHandler handler = new RecordingHandler();
      handlers.add(handler);
      Connection client = connect(server, handler);
      for (int j = 0; j < 10; j++) {
        ByteBuffer request = ByteBuffer.allocate(4).putInt(i * 100_003 + j * 1_009).flip();
        client.send(ledger.frame(List.of(new OutboundPart.Bytes(request))));
      }
      client.flush();
    }

    for (int i = 0; i < connections; i++) {
      for (int j = 0; j < 10; j++) {
        assertThat(handlers.get(i).awaitFrame())
            .as("answer %d of connection %d", j, i)
            .isEqualTo(range(i * 100_003 + j * 1_009, FileAnswers.LENGTH));
      }
    }
  }

  @Test
  void sendsTheRangeOfAFileThatHasBeenDeleted() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    Files.delete(folder.resolve("segment.log"));

    client.send(ledger.frame(List.of(ledger.slice(channel, 5, 1_000_000))));
    client.flush();

    assertThat(server.awaitAccepted().awaitFrame()).isEqualTo(range(5, 1_000_000));
  }

  @Test
  void releasesSlicesOnceWhereThePeerClosesDuringTheTransfer() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    RecordingHandler sender = new RecordingHandler();
    Connection client = connect(server, sender);
    Connection accepted = server.awaitAccepted().awaitOpen();

    for (int i = 0; i < 5; i++) {
      client.send(ledger.frame(List.of(ledger.slice(channel, 0, FILE_BYTES))));
    }
    client.flush();
    accepted.close();

    sender.awaitClosed();
    ledger.awaitAllReleasedOnce();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void endsTheConnectionWhereTheFileIsShorterThanTheRange() throws Exception {
    Server server = serve(options());
    RecordingHandler sender = new RecordingHandler();
    Connection client = connect(server, sender);
    RecordingHandler accepted = server.awaitAccepted();

    client.send(ledger.frame(List.of(ledger.slice(channel, FILE_BYTES - 10, 1_000))));
    client.flush();

    assertThat(sender.awaitClosed()).as("cause").isNotNull();
    accepted.awaitClosed();
    assertThat(accepted.frameCount()).isZero();
    ledger.awaitAllReleasedOnce();
  }

  private byte[] range(int position, int length) {
    return Arrays.copyOfRange(fileContent, position, position + length);
  }

  private static OutboundPart bytes(byte[] content) {
    return new OutboundPart.Bytes(ByteBuffer.wrap(content));
  }

  private static byte[] joined(byte[]... pieces) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(pieces).mapToInt(each -> each.length).sum());
    for (byte[] piece : pieces) {
      all.put(piece);
    }
    return all.array();
  }

  /** Answers a position with the range there. */
  private static final class FileAnswers extends RecordingHandler {

    private static final int LENGTH = 500_000;

    private final FileSliceContract test;

    FileAnswers(FileSliceContract test) {
      this.test = test;
    }

    @Override
    protected void received(Connection connection, byte[] content) {
      int position = ByteBuffer.wrap(content).getInt();
      connection.send(
          test.ledger.frame(List.of(test.ledger.slice(test.channel, position, LENGTH))));
      connection.flush();
    }
  }
}
