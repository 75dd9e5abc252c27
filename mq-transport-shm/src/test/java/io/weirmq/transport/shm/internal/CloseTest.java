package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a transport while things are under way. */
@Timeout(120)
final class CloseTest {

  private final Path folder = TestFolder.fresh();

  @Test
  void anInterruptDoesNotKeepFramesFromLeavingNorConnectionsFromEnding() throws Exception {
    BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
    try (ShmTransport server = Transports.open();
        Listener listener = server.listen(TestFolder.endpoint(folder), made -> added(accepted))) {
      long filesBefore = ProcessResources.count(folder).files();
      for (int round = 0; round < 20; round++) {
        ShmTransport clients = Transports.open();
        RecordingHandler handler = new RecordingHandler();
        Connection connection = connect(clients, listener, handler);
        connection.send(OutboundFrame.of(ByteBuffer.allocate(300_000)));
        connection.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {(byte) round})));
        connection.flush();

        Thread.currentThread().interrupt();
        clients.close();

        assertThat(Thread.interrupted()).as("the interrupt stays").isTrue();
        assertThat(handler.isClosed()).as("onClosed has run when the close returns").isTrue();
        assertThat(handler.awaitClosed()).as("in good order").isNull();
        RecordingHandler atServer = accepted.take();
        assertThat(atServer.awaitFrame()).hasSize(300_000);
        assertThat(atServer.awaitFrame()).containsExactly(round);
        assertThat(atServer.awaitClosed()).isNull();
      }
      new ProcessResources(filesBefore, 0).awaitAgain(folder);
    }
  }

  @Test
  void anInterruptDoesNotKeepAListenersFolderFromBeingGivenFree() throws Exception {
    for (int round = 0; round < 5; round++) {
      ShmTransport server = Transports.open();
      server.listen(TestFolder.endpoint(folder), made -> new RecordingHandler());

      Thread.currentThread().interrupt();
      server.close();

      assertThat(Thread.interrupted()).isTrue();
      assertThat(TestFolder.files(folder)).isEmpty();
    }
  }

  /** Whichever of the two comes first, the stage completes. */
  @Test
  void aConnectBesideACloseHasAnOutcome() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener =
            server.listen(TestFolder.endpoint(folder), made -> new RecordingHandler())) {
      for (int round = 0; round < 100; round++) {
        ShmTransport clients = Transports.open();
        CountDownLatch both = new CountDownLatch(2);
        CompletableFuture<Void> close =
            CompletableFuture.runAsync(
                () -> {
                  meet(both);
                  clients.close();
                });
        meet(both);
        CompletableFuture<Connection> opened =
            clients.connect(listener.endpoint(), new RecordingHandler()).toCompletableFuture();

        close.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(opened.handle((connection, failure) -> "has ended"))
            .as("round %d", round)
            .succeedsWithin(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  /** Whichever of the two comes first, nothing of the listener stays. */
  @Test
  void aListenBesideACloseLeavesTheFolderFree() throws Exception {
    for (int round = 0; round < 100; round++) {
      ShmTransport transport = Transports.open();
      CountDownLatch both = new CountDownLatch(2);
      CompletableFuture<Void> close =
          CompletableFuture.runAsync(
              () -> {
                meet(both);
                transport.close();
              });
      meet(both);
      try {
        transport.listen(TestFolder.endpoint(folder), made -> new RecordingHandler());
      } catch (IOException e) {
        assertThat(e).as("round %d", round).hasMessageContaining("transport is closed");
      }
      close.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      if (Files.exists(folder)) {
        assertThat(TestFolder.files(folder)).as("round %d", round).isEmpty();
      }
    }
  }

  @Test
  void aClosedTransportRefusesToConnectAndToListen() throws Exception {
    ShmTransport closed = Transports.open();
    closed.close();

    assertThatThrownBy(
            () ->
                closed
                    .connect(TestFolder.endpoint(folder), new RecordingHandler())
                    .toCompletableFuture()
                    .join())
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("transport is closed");
    assertThatThrownBy(
            () -> closed.listen(TestFolder.endpoint(folder), made -> new RecordingHandler()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("transport is closed");
    assertThat(folder).doesNotExist();
  }

  private static void meet(CountDownLatch both) {
    both.countDown();
    while (both.getCount() > 0) {
      Thread.onSpinWait();
    }
  }

  private static RecordingHandler added(BlockingQueue<RecordingHandler> handlers) {
    RecordingHandler made = new RecordingHandler();
    handlers.add(made);
    return made;
  }

  private static Connection connect(
      ShmTransport transport, Listener listener, RecordingHandler handler) throws Exception {
    return transport
        .connect(listener.endpoint(), handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
