package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.Connection;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pausing, writability and cut-off. */
abstract class FlowControlContract extends ContractCase {

  private static final int CHUNK = 64 * 1024;

  /** More than any socket buffers of the system take in. */
  private static final int CHUNKS_MAX = 4_000;

  @Test
  void deliversNothingAfterAPauseInACallback() throws Exception {
    int count = 200;
    Server server = serve(options(), OneAtATime::new);
    Connection client = connect(server, new RecordingHandler());
    OneAtATime handler = (OneAtATime) server.awaitAccepted();
    Connection accepted = handler.awaitOpen();

    for (int i = 0; i < count; i++) {
      client.send(ledger.frame(content(i, i)));
    }
    client.flush();

    for (int i = 0; i < count; i++) {
      assertThat(handler.awaitFrame()).as("frame %d", i).isEqualTo(content(i, i));
      handler.allowOne(accepted);
    }
    assertThat(handler.overruns).as("frames delivered while paused").hasValue(0);
  }

  @Test
  void deliversNothingAfterAPauseFromAnotherThreadHasTakenEffect() throws Exception {
    int rounds = 20;
    AtomicBoolean quiet = new AtomicBoolean();
    AtomicInteger overruns = new AtomicInteger();
    Server server =
        serve(
            options(),
            () ->
                new RecordingHandler() {
                  @Override
                  protected void received(Connection connection, byte[] content) {
                    if (quiet.get()) {
                      overruns.incrementAndGet();
                    }
                  }
                });
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler handler = server.awaitAccepted();
    Connection accepted = handler.awaitOpen();

    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < 50; i++) {
        client.send(ledger.frame(content(i, 100)));
      }
      client.flush();
      accepted.pauseReading();
      CountDownLatch effective = new CountDownLatch(1);
      accepted.execute(
          () -> {
            quiet.set(true);
            effective.countDown();
          });
      assertThat(effective.await(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      client.send(ledger.frame(content(0, 100)));
      client.flush();
      quiet.set(false);
      accepted.resumeReading();
    }

    handler.awaitFrames(rounds * 51);
    assertThat(overruns).as("frames delivered while paused").hasValue(0);
  }

  @Test
  void resumesOutsideOfTheCallbackThatAsksForIt() throws Exception {
    Server server =
        serve(
            options(),
            () ->
                new RecordingHandler() {
                  @Override
                  protected void received(Connection connection, byte[] content) {
                    connection.pauseReading();
                    connection.resumeReading();
                  }
                });
    Connection client = connect(server, new RecordingHandler());

    for (int i = 0; i < 100; i++) {
      client.send(ledger.frame(content(i, 10)));
    }
    client.flush();

    // The handler itself reports callbacks that nest.
    List<byte[]> received = server.awaitAccepted().awaitFrames(100);
    assertThat(received.get(99)).isEqualTo(content(99, 10));
  }

  @Test
  void holdsASenderBackWhileThePeerIsPaused() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    RecordingHandler sender = new RecordingHandler();
    TransportOptions small = options().withOutboundLimits(CHUNK, 4 * CHUNK, 16L * CHUNK);
    Connection client = connect(open(small), server, sender);
    Connection accepted = server.awaitAccepted().awaitOpen();

    int sent = sendUntilUnwritable(client);
    assertThat(client.isWritable()).isFalse();
    accepted.resumeReading();

    await("writable again")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .until(() -> sender.writabilities().size() >= 2);
    assertThat(sender.writabilities().subList(0, 2)).containsExactly(false, true);
    assertThat(sent).isLessThan(CHUNKS_MAX);
  }

  @Test
  void deliversAllThatWasHeldBackInOrder() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    TransportOptions small = options().withOutboundLimits(CHUNK, 4 * CHUNK, 16L * CHUNK);
    Connection client = connect(open(small), server, new RecordingHandler());
    RecordingHandler handler = server.awaitAccepted();

    int sent = sendUntilUnwritable(client);
    handler.awaitOpen().resumeReading();

    for (int i = 0; i < sent; i++) {
      assertThat(handler.awaitFrame()).as("frame %d of %d", i, sent).isEqualTo(content(i, CHUNK));
    }
  }

  @Test
  void cutsOffAHandlerThatSendsOnRegardless() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    Server other = serve(options(), () -> new FrameContract.Echo(ledger));
    Transport transport = open(options().withOutboundLimits(CHUNK, 4 * CHUNK, 16L * CHUNK));
    RecordingHandler sender = new RecordingHandler();
    Connection client = connect(transport, server, sender);
    RecordingHandler bystander = new RecordingHandler();
    Connection untouched = connect(transport, other, bystander);

    int sent = 0;
    while (!sender.isClosed() && sent < CHUNKS_MAX) {
      client.send(ledger.frame(content(0, CHUNK)));
      client.flush();
      sent++;
    }

    assertThat(sender.awaitClosed()).as("cause").isNotNull().hasMessageContaining("pending");
    assertThat(client.isWritable()).isFalse();
    ledger.awaitAllReleasedOnce();
    untouched.send(ledger.frame(content(5, 1000)));
    untouched.flush();
    assertThat(bystander.awaitFrame()).isEqualTo(content(5, 1000));
  }

  @Test
  void boundsTheFileSlicesThatASlowPeerMakesUsHold(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("sparse");
    int length = 4 * 1024 * 1024;
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    TransportOptions small = options().withOutboundLimits(CHUNK, 4 * CHUNK, 64L * CHUNK);
    Connection client = connect(open(small), server, new RecordingHandler());
    server.awaitAccepted().awaitOpen();

    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.allocate(1), length - 1);
      int sent = 0;
      while (client.isWritable() && sent < 100) {
        client.send(ledger.frame(List.of(ledger.slice(channel, 0, length))));
        client.flush();
        sent++;
      }

      assertThat(sent).as("slices until the connection was not writable").isLessThan(100);
      client.close();
      server.transport.close();
      ledger.awaitAllReleasedOnce();
    }
  }

  private int sendUntilUnwritable(Connection client) {
    int sent = 0;
    // One look may come too early, as the transport passes bytes on meanwhile.
    while (sent < CHUNKS_MAX && client.isWritable()) {
      client.send(ledger.frame(content(sent, CHUNK)));
      client.flush();
      sent++;
    }
    return sent;
  }

  /** Pauses at each frame and counts what comes nevertheless. */
  private static final class OneAtATime extends RecordingHandler {

    private final AtomicBoolean allowed = new AtomicBoolean(true);
    private final AtomicInteger overruns = new AtomicInteger();

    @Override
    protected void received(Connection connection, byte[] content) {
      if (!allowed.getAndSet(false)) {
        overruns.incrementAndGet();
      }
      connection.pauseReading();
    }

    private void allowOne(Connection connection) {
      allowed.set(true);
      connection.resumeReading();
    }
  }
}
