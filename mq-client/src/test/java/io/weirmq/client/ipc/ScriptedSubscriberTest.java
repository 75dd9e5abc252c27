package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.OffsetFetchResponse;
import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A subscriber of a broker that answers as it is told. */
@Timeout(60)
class ScriptedSubscriberTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private ScriptedBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client = broker.client();
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  /** The second is there, and not even root may read it: the kernel sees to that. */
  @ParameterizedTest
  @ValueSource(strings = {"/nowhere/of-another-container.log", "/proc/sys/vm/drop_caches"})
  void afterFiveFilesThatCantBeHadRecordsAreFetched(Path file) throws Exception {
    Object inode = Files.exists(file) ? Files.getAttribute(file, "unix:ino") : 3L;
    AtomicInteger granted = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          granted.incrementAndGet();
          return new DirectReadResponse()
              .setTopicId(new UUID(1, 2))
              .setHighWatermark(1)
              .setLastStableOffset(1)
              .setSegmentPath(file.toString())
              .setSegmentInode((Long) inode)
              .setLengthBytes(100);
        });
    broker.answerWith(ApiKey.FETCH, () -> fetched(batchOf((byte) 42)));
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      assertThat(subscriber.isDirect()).isTrue();
      List<Byte> values = new ArrayList<>();
      int count =
          subscriber.poll(
              record -> values.add(record.buffer().get(record.valuePosition())), 1, PATIENCE);
      assertThat(count).isEqualTo(1);
      assertThat(values).containsExactly((byte) 42);
      assertThat(granted).hasValue(5);
      assertThat(subscriber.isDirect()).isFalse();
    }
  }

  /** A fetch that is out of range does not tell what the range is. */
  @ParameterizedTest
  @CsvSource({"EARLIEST, false, -2", "LATEST, false, -1", "LATEST, true, -1"})
  void aFetchThatIsOutOfRangeGoesOnWhereTheLeaderSaysThatTheLogBeginsOrEnds(
      SubscriberOptions.OutOfRange policy, boolean readCommitted, long timestamp) throws Exception {
    broker.grantNoFiles();
    broker.answerWith(ApiKey.FETCH, () -> fetchFailed(ErrorCode.OFFSET_OUT_OF_RANGE));
    broker.answerWith(ApiKey.LIST_OFFSETS, () -> edge(7));
    SubscriberOptions options =
        SubscriberOptions.defaults().withOutOfRange(policy).withReadCommitted(readCommitted);
    try (IpcSubscriber subscriber = client.subscriber("t", 0, StartPosition.offset(3), options)) {
      pollUntil(subscriber, () -> subscriber.position() == 7);
      assertThat(subscriber.isDirect()).isFalse();
      assertThat(broker.lastRequest(ApiKey.LIST_OFFSETS))
          .isInstanceOfSatisfying(
              ListOffsetsRequest.class,
              request -> {
                assertThat(request.isolationLevel()).isEqualTo((byte) (readCommitted ? 1 : 0));
                assertThat(request.topics().get(0).partitions().get(0).timestamp())
                    .isEqualTo(timestamp);
              });
    }
  }

  @Test
  void aFetchThatIsOutOfRangeFailsWhereItShall() throws Exception {
    broker.grantNoFiles();
    broker.answerWith(ApiKey.FETCH, () -> fetchFailed(ErrorCode.OFFSET_OUT_OF_RANGE));
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(3), SubscriberOptions.defaults())) {
      assertThatThrownBy(() -> subscriber.poll(record -> {}, 1, PATIENCE))
          .isInstanceOf(IpcException.class)
          .hasMessage("subscriber of t-0: offset 3 is out of range");
    }
  }

  /** Pauses that double make 31 ms of the first 5, whatever the machine. */
  @ParameterizedTest
  @EnumSource(names = {"OFFSET_NOT_AVAILABLE", "REQUEST_TIMED_OUT", "KAFKA_STORAGE_ERROR"})
  void anErrorThatIsNotAboutTheLeaderIsTriedAgainAfterGrowingPausesOverTheSameConnection(
      ErrorCode error) throws Exception {
    connectAgainEveryMillisecond();
    AtomicInteger asked = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          asked.incrementAndGet();
          return new DirectReadResponse()
              .setErrorCode(error.code())
              .setErrorMessage("elected just now");
        });
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      broker.awaitOpened(2); // who leads, and the leader
      long startNs = System.nanoTime();
      pollUntil(subscriber, () -> asked.get() == 6);
      assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(31_000_000);
      assertThat(broker.openedSoFar()).as("no other connection").isZero();
      assertThat(subscriber.connectFailure())
          .hasMessageContaining(error.name())
          .hasMessageContaining("elected just now");

      DirectReadResponse nothingYet = nothingYet(folder.resolve("offsets"));
      broker.answerWith(ApiKey.DIRECT_READ, () -> nothingYet);
      pollUntil(subscriber, () -> subscriber.connectFailure() == null);
    }
  }

  @Test
  void anErrorAboutTheLeaderIsTriedAgainAfterGrowingPausesOverNewConnections() throws Exception {
    connectAgainEveryMillisecond();
    AtomicInteger asked = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          asked.incrementAndGet();
          return new DirectReadResponse().setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER.code());
        });
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      broker.awaitOpened(2); // who leads, and the leader
      long startNs = System.nanoTime();
      pollUntil(subscriber, () -> asked.get() == 6);
      assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(31_000_000);
      broker.awaitOpened(10);
      assertThat(subscriber.connectFailure()).hasMessageContaining("NOT_LEADER_OR_FOLLOWER");
    }
  }

  @Test
  void aConnectionThatEndsWithoutAnAnswerIsTriedAgainAfterGrowingPauses() throws Exception {
    connectAgainEveryMillisecond();
    AtomicInteger asked = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          asked.incrementAndGet();
          broker.cutAll();
          return new DirectReadResponse();
        });
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      long startNs = System.nanoTime();
      pollUntil(subscriber, () -> asked.get() == 6);
      assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(31_000_000);
      assertThat(subscriber.connectFailure()).hasMessageContaining("no answer to DirectRead");
    }
  }

  private void connectAgainEveryMillisecond() {
    client.close();
    client = IpcClient.open(broker.options().withReconnectBackoff(Duration.ofMillis(1)));
  }

  /** Polls without waiting, for no record. */
  private static void pollUntil(IpcSubscriber subscriber, BooleanSupplier over) throws Exception {
    while (!over.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("interrupted by the test's time-out").isFalse();
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      Thread.onSpinWait();
    }
  }

  private static FetchResponse fetchFailed(ErrorCode error) {
    return fetchResponse(
        new FetchResponse.PartitionData().setErrorCode(error.code()).setHighWatermark(-1));
  }

  private static ListOffsetsResponse edge(long offset) {
    return new ListOffsetsResponse()
        .setTopics(
            List.of(
                new ListOffsetsResponse.ListOffsetsTopicResponse()
                    .setName("t")
                    .setPartitions(
                        List.of(
                            new ListOffsetsResponse.ListOffsetsPartitionResponse()
                                .setOffset(offset)))));
  }

  @Test
  void whereNothingIsPublishedOneLookAtTheConnectionEveryTenMillisecondsIsEnough()
      throws Exception {
    AtomicLong nowNs = new AtomicLong();
    client.close();
    client = IpcClient.open(broker.options().withClocks(InstantSource.system(), nowNs::get));
    AtomicInteger asked = countRequestsInVain();
    broker.holdBack(ApiKey.DIRECT_READ);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      broker.nextHeldBack().run();
      broker.cutAll();
      broker.awaitOpenedAndClosed(2); // who leads, and the leader
      // The one I/O thread of the client has seen the answer and the end before what comes now.
      client.lookup().openLeader("t", 0).close();
      broker.awaitOpenedAndClosed(2);
      assertThat(subscriber.poll(record -> {}, 1)).as("takes the answer").isZero();

      nowNs.addAndGet(Duration.ofMillis(10).toNanos());
      assertThat(subscriber.poll(record -> {}, 1)).as("looks once").isZero();
      broker.awaitOpened(2);
      while (asked.get() < 2) {
        assertThat(Thread.interrupted()).as("interrupted by the test's time-out").isFalse();
        nowNs.addAndGet(Duration.ofMillis(10).toNanos());
        assertThat(subscriber.poll(record -> {}, 1)).isZero();
      }
    }
  }

  /** So that 20 subscribers that are polled each second do not make 20 requests a second. */
  @Test
  void theBrokerWaitsAsLongAsItMayHoweverShortAPollIs() throws Exception {
    DirectReadResponse nothingYet = nothingYet(folder.resolve("offsets"));
    broker.answerWith(ApiKey.DIRECT_READ, () -> nothingYet);
    broker.holdBack(ApiKey.DIRECT_READ);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      Runnable first = broker.nextHeldBack();
      broker.holdBack(ApiKey.DIRECT_READ);
      first.run();

      assertThat(subscriber.poll(record -> {}, 1, Duration.ofSeconds(1))).isZero();
      Runnable second = broker.nextHeldBack();

      assertThat(broker.lastRequest(ApiKey.DIRECT_READ))
          .isInstanceOfSatisfying(
              DirectReadRequest.class, request -> assertThat(request.maxWaitMs()).isEqualTo(5_000));
      second.run();
    }
  }

  @Test
  void aLeaderThatDoesNotAnswerIsLeftAfterTheTimeOut() throws Exception {
    client.close();
    client = IpcClient.open(broker.options().withTimeout(Duration.ofMillis(200)));
    AtomicInteger asked = countRequestsInVain();
    broker.holdBack(ApiKey.DIRECT_READ);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      while (asked.get() < 2) {
        assertThat(Thread.interrupted()).as("interrupted by the test's time-out").isFalse();
        assertThat(subscriber.poll(record -> {}, 1)).isZero();
      }
      broker.awaitOpened(4); // who leads and the leader, once more each
    }
  }

  @Test
  void aTimeOutThatStandsForEverIsNone() throws Exception {
    client.close();
    client = IpcClient.open(broker.options().withTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      AtomicInteger asked = countRequestsInVain();
      broker.holdBack(ApiKey.DIRECT_READ);
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      Runnable answer = broker.nextHeldBack();
      assertThat(subscriber.poll(record -> {}, 1)).isZero();

      assertThat(subscriber.connectFailure()).isNull();
      assertThat(asked).as("the leader is not left").hasValue(1);
      answer.run();
    }
  }

  @Test
  void aSubscriberOfAClosedClientSaysSo() throws Exception {
    DirectReadResponse nothingYet = nothingYet(folder.resolve("offsets"));
    broker.answerWith(ApiKey.DIRECT_READ, () -> nothingYet);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      client.close();

      assertThatThrownBy(() -> subscriber.poll(record -> {}, 1, Duration.ofSeconds(Long.MAX_VALUE)))
          .isInstanceOf(IpcException.class)
          .hasMessageContaining("the client is closed");
    }
  }

  /** Has the broker answer that there is nothing yet; returns how often it has. */
  private AtomicInteger countRequestsInVain() throws Exception {
    DirectReadResponse nothingYet = nothingYet(folder.resolve("offsets"));
    AtomicInteger asked = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          asked.incrementAndGet();
          return nothingYet;
        });
    return asked;
  }

  /** Publishes an end of 0 of partition 0, as a broker does. */
  private static DirectReadResponse nothingYet(Path file) throws Exception {
    UUID topic = new UUID(1, 2);
    ByteBuffer entry = ByteBuffer.allocate(128).order(ByteOrder.nativeOrder());
    entry.putLong(0, 0x77656972_6f666673L).putLong(64, 1); // live
    entry.putLong(64 + 32, topic.getMostSignificantBits());
    entry.putLong(64 + 40, topic.getLeastSignificantBits());
    Files.write(file, entry.array());
    return new DirectReadResponse()
        .setTopicId(topic)
        .setOffsetsPath(file.toString())
        .setOffsetsInode((Long) Files.getAttribute(file, "unix:ino"))
        .setOffsetsPosition(64);
  }

  private static FetchResponse fetched(ByteBuffer batch) {
    return fetchResponse(
        new FetchResponse.PartitionData()
            .setHighWatermark(1)
            .setLastStableOffset(1)
            .setLogStartOffset(0)
            .setRecords(RecordsData.of(batch)));
  }

  private static FetchResponse fetchResponse(FetchResponse.PartitionData partition) {
    return new FetchResponse()
        .setResponses(
            List.of(
                new FetchResponse.FetchableTopicResponse()
                    .setTopic("t")
                    .setPartitions(List.of(partition))));
  }

  private static ByteBuffer batchOf(byte value) {
    OutgoingBatch batch = new OutgoingBatch(1024);
    batch.begin(0);
    assertThat(batch.claim(0, -1, 1, null)).isTrue();
    batch.buffer().put(batch.valuePosition(), value);
    batch.commit();
    batch.seal(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);
    return batch.buffer().slice(OutgoingBatch.BATCH_POSITION, batch.sizeInBytes());
  }

  @Test
  void aTemporaryAnswerAboutACoordinatorOrOfItIsAskedAgain() throws Exception {
    AtomicInteger searches = new AtomicInteger();
    AtomicInteger questions = new AtomicInteger();
    broker.answerWith(
        ApiKey.FIND_COORDINATOR,
        () ->
            searches.incrementAndGet() <= 2
                ? new FindCoordinatorResponse()
                    .setErrorCode(ErrorCode.COORDINATOR_NOT_AVAILABLE.code())
                : new FindCoordinatorResponse().setHost("127.0.0.1").setPort(broker.port()));
    broker.answerWith(
        ApiKey.OFFSET_FETCH,
        () ->
            questions.incrementAndGet() == 1
                ? new OffsetFetchResponse()
                    .setErrorCode(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS.code())
                : committed(1234));
    try (IpcSubscriber subscriber =
        client.subscriber(
            "t",
            0,
            StartPosition.committed("g", StartPosition.offset(0)),
            SubscriberOptions.defaults())) {
      assertThat(subscriber.position()).isEqualTo(1234);
    }
    // Two in vain, one that led to a coordinator who was not ready, and the last.
    assertThat(searches).hasValue(4);
    assertThat(questions).hasValue(2);
  }

  private static OffsetFetchResponse committed(long offset) {
    return new OffsetFetchResponse()
        .setTopics(
            List.of(
                new OffsetFetchResponse.OffsetFetchResponseTopic()
                    .setName("t")
                    .setPartitions(
                        List.of(
                            new OffsetFetchResponse.OffsetFetchResponsePartition()
                                .setCommittedOffset(offset)))));
  }
}
