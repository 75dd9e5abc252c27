package io.weirmq.server.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CC-05: incremental fetch sessions, single rules and a model. */
final class FetchSessionsTest {

  private final AtomicLong nowNs = new AtomicLong();
  private final AtomicInteger ids = new AtomicInteger(100);
  private final FetchSessions sessions = new FetchSessions(2, nowNs::get, ids::incrementAndGet);

  @Test
  void cc05_beginsASessionWithAFullFetchAndThenTellsNewsOnly() {
    FetchResponse full = fetch(0, 0, Map.of(0, 10L, 1, 20L), Map.of());
    assertThat(partitionsOf(full)).containsExactlyInAnyOrder(0, 1);
    int id = full.sessionId();
    assertThat(id).isNotZero();

    assertThat(partitionsOf(fetch(id, 1, Map.of(), Map.of()))).isEmpty();
    assertThat(partitionsOf(fetch(id, 2, Map.of(), Map.of(1, records())))).containsExactly(1);
    assertThat(partitionsOf(fetch(id, 3, Map.of(), Map.of(0, highWatermark(77)))))
        .containsExactly(0);
    assertThat(partitionsOf(fetch(id, 4, Map.of(), Map.of(0, highWatermark(77))))).isEmpty();
  }

  @Test
  void cc05_tellsAnErrorEachTimeAndItsEndOnce() {
    int id = fetch(0, 0, Map.of(0, 10L), Map.of()).sessionId();

    assertThat(partitionsOf(fetch(id, 1, Map.of(), Map.of(0, failure())))).containsExactly(0);
    assertThat(partitionsOf(fetch(id, 2, Map.of(), Map.of(0, failure())))).containsExactly(0);
    assertThat(partitionsOf(fetch(id, 3, Map.of(), Map.of()))).containsExactly(0);
    assertThat(partitionsOf(fetch(id, 4, Map.of(), Map.of()))).isEmpty();
  }

  @Test
  void cc05_refusesAWrongEpochAndKeepsTheSession() {
    int id = fetch(0, 0, Map.of(0, 10L), Map.of()).sessionId();

    assertThat(errorOf(request(id, 2), false)).isEqualTo(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
    assertThat(fetch(id, 1, Map.of(), Map.of()).sessionId()).isEqualTo(id);
  }

  @Test
  void cc05_refusesAnUnknownSession() {
    assertThat(errorOf(request(12345, 1), false)).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  }

  @Test
  void cc05_refusesToMixNamesAndIds() {
    int id = fetch(0, 0, Map.of(0, 10L), Map.of()).sessionId();

    assertThat(errorOf(request(id, 1), true)).isEqualTo(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
  }

  @Test
  void cc05_wrapsTheEpochToOne() {
    FetchSession session = new FetchSession(1, false, 0);
    for (int epoch = 1; epoch < 4; epoch++) {
      assertThat(session.advance(epoch, false, 0)).isEqualTo(ErrorCode.NONE);
    }
    // Two thousand million steps are too many for a test: jump to the end of the range.
    assertThat(FetchSession.epochAfter(Integer.MAX_VALUE)).isEqualTo(1);
    assertThat(FetchSession.epochAfter(41)).isEqualTo(42);
  }

  @Test
  void cc05_closesASessionByAFullFetchThatNamesIt() {
    int id = fetch(0, 0, Map.of(0, 10L), Map.of()).sessionId();

    FetchResponse last = fetch(id, -1, Map.of(0, 11L), Map.of());

    assertThat(last.sessionId()).isZero();
    assertThat(sessions.count()).isZero();
    assertThat(errorOf(request(id, 1), false)).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  }

  @Test
  void cc05_endsASessionWithoutPartitions() {
    int id = fetch(0, 0, Map.of(0, 10L), Map.of()).sessionId();
    FetchRequest forget = request(id, 1);
    forget
        .forgottenTopicsData()
        .add(new FetchRequest.ForgottenTopic().setTopic("t").setPartitions(List.of(0)));

    assertThat(respond(forget, Map.of()).sessionId()).isZero();
    assertThat(sessions.count()).isZero();
  }

  @Test
  void cc05_evictsWhatWasIdleForTwoMinutesAndNothingElse() {
    int first = fetch(0, 0, Map.of(0, 1L), Map.of()).sessionId();
    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(60));
    int second = fetch(0, 0, Map.of(0, 1L), Map.of()).sessionId();
    assertThat(fetch(0, 0, Map.of(0, 1L), Map.of()).sessionId())
        .as("no slot, and nobody is idle for long")
        .isZero();

    nowNs.addAndGet(TimeUnit.SECONDS.toNanos(61));
    int third = fetch(0, 0, Map.of(0, 1L), Map.of()).sessionId();

    assertThat(third).isNotZero();
    assertThat(errorOf(request(first, 1), false)).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    assertThat(errorOf(request(second, 1), false)).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void nt02_servesThoseFirstThatWereNotServed() {
    Map<Integer, Long> all = new LinkedHashMap<>();
    for (int partition = 0; partition < 5; partition++) {
      all.put(partition, 0L);
    }
    int id = fetch(0, 0, all, Map.of()).sessionId();
    List<Integer> served = new ArrayList<>();
    for (int epoch = 1; epoch <= 5; epoch++) {
      FetchContext context = open(request(id, epoch));
      int first = context.partitions().get(0).target().partition();
      served.add(first);
      respond(context, Map.of(first, records()));
    }

    assertThat(served).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
  }

  /**
   * A client that follows the rules, and a broker whose partitions change at random: whatever the
   * session leaves out, the client's picture must be the broker's.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void cc05_leavesNothingOutThatTheClientMustKnow(long seed) {
    Random random = new Random(seed);
    FetchSessions cache = new FetchSessions(1, nowNs::get, random::nextInt);
    Map<Integer, Long> brokerHighWatermarks = new HashMap<>();
    Map<Integer, Long> clientHighWatermarks = new HashMap<>();
    Set<Integer> wanted = new HashSet<>();
    int id = 0;
    int epoch = 0;
    for (int step = 0; step < 500; step++) {
      String description = "seed " + seed + ", step " + step;
      boolean lost = random.nextInt(50) == 0;
      if (lost && id != 0) {
        // Another client takes the only slot.
        nowNs.addAndGet(TimeUnit.MINUTES.toNanos(3));
        FetchContext other =
            ((FetchSessions.Opened.Ready) cache.open(request(0, 0, Map.of(99, 0L)), false))
                .context();
        respond(other, Map.of());
      }
      Map<Integer, Long> added = new HashMap<>();
      Set<Integer> forgotten = new HashSet<>();
      int partition = random.nextInt(6);
      if (wanted.contains(partition) && wanted.size() > 1 && random.nextBoolean()) {
        forgotten.add(partition);
        wanted.remove(partition);
      } else {
        added.put(partition, (long) step);
        wanted.add(partition);
      }
      if (id == 0) {
        added.clear();
        wanted.forEach(each -> added.put(each, 0L));
        forgotten.clear();
      }
      FetchRequest request = request(id, epoch, added);
      if (!forgotten.isEmpty()) {
        request
            .forgottenTopicsData()
            .add(
                new FetchRequest.ForgottenTopic()
                    .setTopic("t")
                    .setPartitions(List.copyOf(forgotten)));
      }
      FetchSessions.Opened opened = cache.open(request, false);
      if (opened instanceof FetchSessions.Opened.Failed failed) {
        assertThat(failed.error()).as(description).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        id = 0;
        epoch = 0;
        continue;
      }
      FetchContext context = ((FetchSessions.Opened.Ready) opened).context();
      assertThat(context.partitions().stream().map(each -> each.target().partition()))
          .as(description)
          .containsExactlyInAnyOrderElementsOf(wanted);
      if (random.nextBoolean()) {
        brokerHighWatermarks.merge(random.nextInt(6), 1L, Long::sum);
      }
      List<PartitionData> results = new ArrayList<>();
      for (FetchPartition each : context.partitions()) {
        int number = each.target().partition();
        results.add(plain(number).setHighWatermark(brokerHighWatermarks.getOrDefault(number, 0L)));
      }
      boolean full = id == 0;
      FetchResponse response = context.respond(results);
      id = response.sessionId();
      epoch = id == 0 ? 0 : epoch + 1;
      if (full) {
        assertThat(partitionsOf(response))
            .as(description)
            .containsExactlyInAnyOrderElementsOf(wanted);
      }
      for (PartitionData told : all(response)) {
        clientHighWatermarks.put(told.partitionIndex(), told.highWatermark());
      }
      for (int each : wanted) {
        assertThat(clientHighWatermarks.get(each))
            .as(description + ", partition " + each)
            .isEqualTo(brokerHighWatermarks.getOrDefault(each, 0L));
      }
      clientHighWatermarks.keySet().retainAll(wanted);
    }
  }

  private FetchResponse fetch(
      int id, int epoch, Map<Integer, Long> partitions, Map<Integer, PartitionData> results) {
    return respond(request(id, epoch, partitions), results);
  }

  private FetchResponse respond(FetchRequest request, Map<Integer, PartitionData> results) {
    return respond(open(request), results);
  }

  private FetchContext open(FetchRequest request) {
    return ((FetchSessions.Opened.Ready) sessions.open(request, false)).context();
  }

  private static FetchResponse respond(FetchContext context, Map<Integer, PartitionData> special) {
    List<PartitionData> results = new ArrayList<>();
    for (FetchPartition partition : context.partitions()) {
      int number = partition.target().partition();
      PartitionData result = special.getOrDefault(number, plain(number));
      results.add(result.setPartitionIndex(number));
    }
    return context.respond(results);
  }

  private ErrorCode errorOf(FetchRequest request, boolean byTopicId) {
    return sessions.open(request, byTopicId) instanceof FetchSessions.Opened.Failed failed
        ? failed.error()
        : ErrorCode.NONE;
  }

  private static FetchRequest request(int id, int epoch) {
    return request(id, epoch, Map.of());
  }

  private static FetchRequest request(int id, int epoch, Map<Integer, Long> partitions) {
    FetchRequest request = new FetchRequest().setSessionId(id).setSessionEpoch(epoch);
    if (!partitions.isEmpty()) {
      FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic().setTopic("t");
      partitions.forEach(
          (partition, offset) ->
              topic
                  .partitions()
                  .add(
                      new FetchRequest.FetchPartition()
                          .setPartition(partition)
                          .setFetchOffset(offset)
                          .setPartitionMaxBytes(100)));
      request.topics().add(topic);
    }
    return request;
  }

  private static PartitionData plain(int partition) {
    return new PartitionData()
        .setPartitionIndex(partition)
        .setHighWatermark(5)
        .setLogStartOffset(0)
        .setRecords(RecordsData.empty());
  }

  private static PartitionData records() {
    return plain(0).setRecords(RecordsData.of(ByteBuffer.allocate(10)));
  }

  private static PartitionData highWatermark(long offset) {
    return plain(0).setHighWatermark(offset);
  }

  private static PartitionData failure() {
    return plain(0).setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER.code()).setHighWatermark(-1);
  }

  private static List<Integer> partitionsOf(FetchResponse response) {
    return all(response).stream().map(PartitionData::partitionIndex).toList();
  }

  private static List<PartitionData> all(FetchResponse response) {
    return response.responses().stream().flatMap(topic -> topic.partitions().stream()).toList();
  }
}
