package io.weirmq.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.StoredRecord;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples as a user would. */
class ExamplesTest {

  @TempDir private Path folder;

  @Test
  void theEmbeddedBrokerMakesATopicWithTheConfiguredPartitions() throws Exception {
    assertThat(EmbeddedBrokerExample.describe(folder))
        .isEqualTo("topic greetings has the partitions [0, 1, 2]");
  }

  @Test
  void theTinyServiceAppendsReadsAndKeepsItsLogOverARestart() throws Exception {
    try (TinyLogService service = new TinyLogService(folder);
        Socket socket = new Socket("127.0.0.1", service.endpoint().port())) {
      assertThat(append(socket, "one")).isZero();
      assertThat(append(socket, "two")).isEqualTo(1);
    }

    try (TinyLogService service = new TinyLogService(folder);
        Socket socket = new Socket("127.0.0.1", service.endpoint().port())) {
      assertThat(append(socket, "three")).isEqualTo(2);
      assertThat(read(socket, 1)).containsExactly("two", "three");
    }
  }

  private static long append(Socket socket, String value) throws Exception {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(1 + bytes.length);
    out.writeByte('A');
    out.write(bytes);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    assertThat(in.readInt()).isEqualTo(Long.BYTES);
    return in.readLong();
  }

  private static List<String> read(Socket socket, long offset) throws Exception {
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(1 + Long.BYTES);
    out.writeByte('R');
    out.writeLong(offset);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] batches = in.readNBytes(in.readInt());
    return StoredRecord.readAll(ByteBuffer.wrap(batches), new Decompressor()).stream()
        .map(record -> StandardCharsets.UTF_8.decode(record.value()).toString())
        .toList();
  }
}
