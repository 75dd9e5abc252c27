package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ProduceResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What threads that are held up, or come too late, find. */
@Timeout(60)
class PublisherSessionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BATCH_BYTES = 1024;

  /** Who leads, the producer's identity or last sequence, and the link. */
  private static final int CONNECTIONS_EACH = 3;

  private ScriptedBroker broker;
  private IpcClient client;
  private PublisherBatches batches;
  private AppendProgress progress;
  private PublisherSession session;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client = IpcClient.open(broker.options().withReconnectBackoff(Duration.ofMillis(1)));
    batches = new PublisherBatches(BATCH_BYTES, 4 * BATCH_BYTES);
    progress = new AppendProgress((token, count, offset) -> {}, System::nanoTime);
    session = new PublisherSession(client, "t", 0, PublisherOptions.defaults(), batches, progress);
    session.open();
  }

  @AfterEach
  void stop() {
    session.close();
    client.close();
    broker.close();
  }

  private OutgoingBatch publishOne() {
    session.takeTurn();
    OutgoingBatch batch = batches.current();
    if (batch == null) {
      batch = Objects.requireNonNull(batches.begin());
    }
    assertThat(batch.claim(0, -1, 0, null)).isTrue();
    batch.commit();
    session.committed();
    session.giveTurnBack();
    return batch;
  }

  /** A link of this publisher that is not in use any more. */
  private ProduceLink formerLink() {
    return new ProduceLink(
        new ProduceFrames(ProduceFrames.VERSION_MIN, "c", (short) 1, 1000, "t", 0), session);
  }

  /** Waits until the client's conductor has done what was due 2 ms after this call, or before. */
  private void awaitPause() throws Exception {
    client.conductor().schedule(() -> {}, 2, TimeUnit.MILLISECONDS).get(30, TimeUnit.SECONDS);
  }

  @Test
  void anEndThatIsToldAfterAnotherHasConnectedReplacesNoLink() throws Exception {
    session.onEnd(formerLink(), null);
    awaitPause();
    // Takes the steps that an attempt would take, after it.
    IpcPublisher other = client.publisher("other", 0, PublisherOptions.defaults());
    broker.awaitOpened(2 * CONNECTIONS_EACH);
    assertThat(broker.openedSoFar()).as("no further connection").isZero();
    other.close();

    publishOne();
    broker.cut(broker.next());
    broker.answer(broker.next(), ErrorCode.NONE, 0);
    assertThat(progress.await(0, PATIENCE)).as("an end that is one is seen").isTrue();
  }

  @Test
  void anAnswerOfAFormerLinkSettlesNothing() throws Exception {
    OutgoingBatch batch = publishOne();
    ScriptedBroker.Batch sent = broker.next();
    session.onAnswer(
        formerLink(), batch, new ProduceResponse.PartitionProduceResponse().setBaseOffset(7));
    assertThat(progress.settledCount()).isZero();
    broker.answer(sent, ErrorCode.NONE, 3);
    assertThat(progress.await(0, PATIENCE)).isTrue();
    assertThat(progress.lastAppendedOffset()).isEqualTo(3);
  }

  @Test
  void aPublisherThatHasFailedTakesNoConnection() throws Exception {
    publishOne();
    ScriptedBroker.Batch batch = broker.next();
    broker.holdBack(ApiKey.DESCRIBE_PRODUCERS);
    broker.cut(batch);
    Runnable answer = broker.nextHeldBack();
    progress.fail(new IpcException("failed by the test", null));
    answer.run();
    broker.awaitOpenedAndClosed(2 * CONNECTIONS_EACH);
    assertThat(broker.isQuiet()).as("nothing was sent").isTrue();
  }

  @Test
  void anAnswerToAPublisherThatHasFailedSettlesNothing() throws Exception {
    publishOne();
    ScriptedBroker.Batch batch = broker.next();
    progress.fail(new IpcException("failed by the test", null));
    broker.answer(batch, ErrorCode.NONE, 0);
    // By the same I/O thread, and after it.
    client.publisher("other", 0, PublisherOptions.defaults()).close();
    assertThat(progress.settledCount()).isZero();
  }
}
