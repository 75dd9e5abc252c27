package io.weirmq.transport.shm.internal.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What this JDK tells of a connect that can't be made at once. */
final class LocalConnectTest {

  /** More than a queue of 1 takes on any system. */
  private static final int CONNECTS = 16;

  private final Path folder = TestFolder.existing();
  private final List<SocketChannel> opened = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (SocketChannel each : opened) {
      each.close();
    }
  }

  private boolean connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    opened.add(channel);
    channel.configureBlocking(false);
    return LocalConnect.connect(channel, folder);
  }

  @Test
  void saysThatAQueueIsFullAndFailsWhereNobodyListens() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(FolderNames.socket(folder), 1);
      assertThat(connect()).isTrue();
      boolean connected = true;
      for (int i = 0; i < CONNECTS; i++) {
        connected = connect();
      }
      assertThat(connected).as("connected with a full queue").isFalse();
    }

    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
  }

  @Test
  void failsWhereThereIsNoSocket() throws Exception {
    assertThatThrownBy(this::connect).isInstanceOf(SocketException.class);

    Files.createFile(folder.resolve("socket"));

    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
  }
}
