package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.FrameLedger;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.LeakGuard;
import io.weirmq.transport.netty.NettyIo;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NT-01: a client that asks and does not read. */
@ExtendWith(LeakGuard.class)
final class SlowPeerTest {

  private static final int REQUESTS = 1_000;
  private static final int ANSWER_BYTES = 16 * 1024;
  private static final int HIGH_BYTES = 512 * 1024;

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt01_boundsWhatIsPendingForAPeerThatDoesNotReadAndServesTheOthers(NettyIo io)
      throws Exception {
    FrameLedger ledger = new FrameLedger();
    AtomicInteger answered = new AtomicInteger();
    TransportOptions options =
        TransportOptions.defaults()
            .withOutboundLimits(HIGH_BYTES / 2, HIGH_BYTES, 4L * HIGH_BYTES)
            .withIoThreads(1, "nt01");
    try (NettyFixture server =
            new NettyFixture(io, options, made -> new Answering(ledger, answered));
        RawClient greedy = RawClient.connect(server.endpoint(), 4 * 1024);
        RawClient modest = RawClient.connect(server.endpoint())) {

      for (int i = 0; i < REQUESTS; i++) {
        greedy.writeFrame(ByteBuffer.allocate(4).putInt(i).array());
      }
      for (int i = 0; i < 50; i++) {
        modest.writeFrame(ByteBuffer.allocate(4).putInt(-i).array());
        assertThat(modest.readFrame()).as("answer %d to the other", i).isEqualTo(answer(-i));
      }

      int held = answered.get() - 50;
      assertThat(held).as("answers to the greedy one").isLessThan(REQUESTS);
      assertThat(server.memoryInUse())
          .as("direct memory")
          .isLessThan(HIGH_BYTES + 4L * ANSWER_BYTES);
      assertThat(ledger.size() - ledger.releasedCount())
          .as("frames not released")
          .isLessThan(HIGH_BYTES / ANSWER_BYTES + 4);
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(greedy.readFrame()).as("answer %d", i).isEqualTo(answer(i));
      }
    }
    ledger.awaitAllReleasedOnce();
  }

  private static byte[] answer(int request) {
    byte[] answer = new byte[ANSWER_BYTES];
    new Random(request).nextBytes(answer);
    return answer;
  }

  /** Answers each request and reads no more while the peer does not take the answers. */
  private static final class Answering extends RecordingHandler {

    private final FrameLedger ledger;
    private final AtomicInteger answered;

    Answering(FrameLedger ledger, AtomicInteger answered) {
      this.ledger = ledger;
      this.answered = answered;
    }

    @Override
    protected void received(Connection connection, byte[] content) {
      connection.send(ledger.directFrame(answer(ByteBuffer.wrap(content).getInt())));
      connection.flush();
      answered.incrementAndGet();
      if (!connection.isWritable()) {
        connection.pauseReading();
      }
    }

    @Override
    protected void writability(Connection connection, boolean writable) {
      if (writable) {
        connection.resumeReading();
      }
    }
  }
}
