package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.network.ByteBufferSend;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One broker's connection, between Kafka's client and a transport that does what the test says. */
final class LocalConnectionTest {

  private final RecordingOwner owner = new RecordingOwner();
  private final List<String> wakeUps = new ArrayList<>();
  private final Inbox inbox = new Inbox(() -> wakeUps.add("woken"));
  private final HeldConnection transport = new HeldConnection();
  private final LocalConnection connection =
      new LocalConnection("7", InetSocketAddress.createUnresolved("host", 9092), inbox, owner, 0);

  @BeforeEach
  void open() {
    connection.onOpen(transport);
    inbox.drain();
  }

  @Test
  void isReadyOnceOpen() {
    assertThat(owner.events).containsExactly("opened");
    assertThat(connection.isReady()).isTrue();
  }

  @Test
  void sendsWhatFollowsTheLengthPrefixWithoutACopy() throws Exception {
    byte[] bytes = {1, 2, 3, 4, 5};
    connection.send(request(bytes), 0);

    OutboundFrame frame = transport.frames.get(0);
    assertThat(frame.lengthBytes()).isEqualTo(5);
    OutboundPart.Bytes part = (OutboundPart.Bytes) frame.parts().get(0);
    assertThat(part.buffer().array()).as("Kafka's own array").isSameAs(bytes);
  }

  @Test
  void takesOneRequestUntilTheTransportHasCopiedIt() throws Exception {
    NetworkSend first = request(1);
    connection.send(first, 0);

    assertThat(connection.isReady()).isFalse();
    assertThat(connection.takeCompleted()).isNull();
    assertThatThrownBy(() -> connection.send(request(2), 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("broker 7")
        .hasMessageContaining("under way");

    transport.releaseFromAnotherThread();

    assertThat(inbox.isQuiet()).as("the polling thread is told").isFalse();
    assertThat(connection.takeCompleted()).isSameAs(first);
    assertThat(connection.isReady()).isTrue();
  }

  @Test
  void closeCutsWhereARequestIsUnderWayAndReturnsWhenItsBuffersAreFree() throws Exception {
    connection.send(request(1), 0);

    connection.close();

    assertThat(transport.calls).containsExactly("abort");
    assertThat(transport.released).isTrue();
  }

  @Test
  void closeLetsWhatWasCopiedLeave() throws Exception {
    connection.send(request(1), 0);
    transport.frames.get(0).release();

    connection.close();

    assertThat(transport.calls).containsExactly("flush", "close");
  }

  @Test
  void aConnectionThatOpensAfterItsCloseIsCut() {
    LocalConnection late =
        new LocalConnection("8", InetSocketAddress.createUnresolved("host", 1), inbox, owner, 0);
    late.close();
    late.onOpen(transport);
    inbox.drain();

    assertThat(transport.calls).containsExactly("abort");
    assertThat(owner.events).containsExactly("opened");
  }

  @Test
  void stopsReadingAboveItsBoundAndReadsAgainAtHalfOfIt() {
    int half = LocalConnection.WAITING_BYTES_MAX / 2;
    connection.onFrame(transport, new HeapFrame(half));
    assertThat(transport.calls).isEmpty();
    connection.onFrame(transport, new HeapFrame(half));
    assertThat(transport.calls).containsExactly("pauseReading");

    inbox.drain();

    assertThat(owner.receives).hasSize(2);
    assertThat(transport.calls).containsExactly("pauseReading", "resumeReading");
  }

  @Test
  void holdsResponsesWhileMutedAndStopsReadingThen() {
    connection.mute(true, 0);
    connection.onFrame(transport, new HeapFrame(LocalConnection.WAITING_BYTES_MAX));
    inbox.drain();
    assertThat(owner.receives).isEmpty();
    assertThat(transport.calls).containsExactly("pauseReading");

    connection.mute(false, 0);

    assertThat(owner.receives).singleElement().extracting(NetworkReceive::source).isEqualTo("7");
    assertThat(transport.calls).containsExactly("pauseReading", "resumeReading");
  }

  @Test
  void isIdleOnlyWithNothingUnderWay() throws Exception {
    assertThat(connection.isIdleFor(10, 10)).isFalse();
    assertThat(connection.isIdleFor(10, 11)).isTrue();
    connection.send(request(1), 5);
    assertThat(connection.isIdleFor(10, 100)).isFalse();
    transport.frames.get(0).release();
    assertThat(connection.takeCompleted()).isNotNull();
    assertThat(connection.isIdleFor(10, 15)).isFalse();
    assertThat(connection.isIdleFor(10, 16)).isTrue();
  }

  @Test
  void wakesOnlyAThreadThatSleeps() {
    inbox.add(() -> {});
    assertThat(wakeUps).isEmpty();
    assertThat(inbox.beginSleep()).as("there is an event").isFalse();
    inbox.drain();
    assertThat(inbox.beginSleep()).isTrue();

    inbox.add(() -> {});
    assertThat(wakeUps).as("the thread is busy with what it adds itself").isEmpty();
    CompletableFuture.runAsync(() -> inbox.add(() -> {})).join();
    CompletableFuture.runAsync(() -> inbox.add(() -> {})).join();

    assertThat(wakeUps).hasSize(1);
    inbox.endSleep();
    inbox.wakeUp();
    assertThat(wakeUps).as("nobody sleeps").hasSize(1);
    inbox.drain();
    assertThat(inbox.beginSleep()).as("somebody has asked for the thread").isFalse();
  }

  private static NetworkSend request(int... content) {
    byte[] bytes = new byte[content.length];
    for (int i = 0; i < content.length; i++) {
      bytes[i] = (byte) content[i];
    }
    return request(bytes);
  }

  private static NetworkSend request(byte[] content) {
    return new NetworkSend("7", ByteBufferSend.sizePrefixed(ByteBuffer.wrap(content)));
  }

  private static final class RecordingOwner implements LocalConnection.Owner {
    final List<String> events = new ArrayList<>();
    final List<NetworkReceive> receives = new ArrayList<>();

    @Override
    public void opened(LocalConnection connection) {
      events.add("opened");
    }

    @Override
    public void failed(LocalConnection connection, Throwable cause) {
      events.add("failed");
    }

    @Override
    public void received(LocalConnection connection, NetworkReceive receive) {
      receives.add(receive);
    }

    @Override
    public void ended(LocalConnection connection, @Nullable Throwable cause) {
      events.add("ended");
    }

    @Override
    public boolean runTransport() {
      return false;
    }
  }

  /** Keeps what is sent until the test releases it, or it is aborted. */
  private static final class HeldConnection implements Connection {
    final List<OutboundFrame> frames = new ArrayList<>();
    final List<String> calls = new ArrayList<>();
    volatile boolean released;

    void releaseFromAnotherThread() {
      CompletableFuture.runAsync(
              () -> {
                released = true;
                frames.get(0).release();
              })
          .join();
    }

    @Override
    public long id() {
      return 1;
    }

    @Override
    public Peer peer() {
      return Peer.ofAddress("peer", 0);
    }

    @Override
    public Endpoint endpoint() {
      return Endpoint.ofPath("shm", "/folder");
    }

    @Override
    public void send(OutboundFrame frame) {
      frames.add(frame);
    }

    @Override
    public void flush() {
      calls.add("flush");
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void pauseReading() {
      calls.add("pauseReading");
    }

    @Override
    public void resumeReading() {
      calls.add("resumeReading");
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void close() {
      calls.add("close");
    }

    @Override
    public void abort(Throwable cause) {
      assertThat(cause).isInstanceOf(IOException.class);
      calls.add("abort");
      if (!frames.isEmpty()) {
        new Thread(this::releaseFromAnotherThread).start();
      }
    }
  }

  private record HeapFrame(ByteBuffer buffer) implements InboundFrame {
    HeapFrame(int length) {
      this(ByteBuffer.allocate(length));
    }

    @Override
    public void release() {}
  }
}
