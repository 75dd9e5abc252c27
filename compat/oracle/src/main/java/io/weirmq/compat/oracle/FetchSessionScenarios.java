package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.fetch;
import static io.weirmq.compat.oracle.Requests.fetchPartition;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;

/** Fetch sessions: full, incremental, changed, forgotten, closed, and refused. */
final class FetchSessionScenarios {
  private FetchSessionScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("fetch-session", FetchSessionScenarios::life),
        new Scenario("fetch-session-errors", FetchSessionScenarios::errors));
  }

  private static FetchRequestData in(FetchRequestData request, int session, int epoch) {
    return request.setSessionId(session).setSessionEpoch(epoch);
  }

  private static FetchRequestData nothing(int session, int epoch) {
    return in(
        new FetchRequestData().setMaxWaitMs(0).setMinBytes(0).setMaxBytes(1 << 20), session, epoch);
  }

  private static void life(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 3, Map.of());
    Requests.append(s, topic, 0, Batches.plain("a"));
    long end = 1;
    for (int version : s.versions(ApiMessageType.FETCH)) {
      if (version < 7) {
        continue;
      }
      FetchResponseData full =
          s.call(
              "full, wants a session",
              version,
              in(
                  fetch(
                      topic,
                      id,
                      fetchPartition(0, end),
                      fetchPartition(1, 0),
                      fetchPartition(2, 0)),
                  0,
                  0));
      int session = full.sessionId();
      s.call("nothing new", version, nothing(session, 1));
      Requests.append(s, topic, 0, Batches.plain("b"));
      s.call("something new", version, nothing(session, 2));
      end++;
      s.call("position moved", version, in(fetch(topic, id, fetchPartition(0, end)), session, 3));
      s.call("nothing new again", version, nothing(session, 4));
      FetchRequestData forget = nothing(session, 5);
      forget.setForgottenTopicsData(
          List.of(new ForgottenTopic().setTopic(topic).setTopicId(id).setPartitions(List.of(0))));
      s.call("one forgotten", version, forget);
      Requests.append(s, topic, 0, Batches.plain("c"));
      end++;
      s.call("nothing of the forgotten one", version, nothing(session, 6));
      s.call(
          "an unknown partition added",
          version,
          in(fetch(topic, id, fetchPartition(8, 0)), session, 7));
      s.call("its error again", version, nothing(session, 8));
      s.call("closed", version, in(fetch(topic, id, fetchPartition(0, end)), session, -1));
      s.call("after it was closed", version, nothing(session, 9));
    }
  }

  private static void errors(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    Requests.append(s, topic, 0, Batches.plain("a"));
    for (int version : List.of(7, 11, 12, 13, 17)) {
      s.call("unknown session", version, nothing(123_456, 1));
      s.call("no session, epoch 5", version, nothing(0, 5));
      s.call("no session wanted", version, in(fetch(topic, id, fetchPartition(0, 0)), 0, -1));
      FetchResponseData full =
          s.call("full", version, in(fetch(topic, id, fetchPartition(0, 0)), 0, 0));
      s.call("epoch skipped", version, nothing(full.sessionId(), 3));
      s.call("right epoch after the wrong one", version, nothing(full.sessionId(), 1));
      s.call("epoch repeated", version, nothing(full.sessionId(), 1));
    }
    FetchResponseData old =
        s.call("full with names", 12, in(fetch(topic, id, fetchPartition(0, 0)), 0, 0));
    s.call("goes on with ids", 13, nothing(old.sessionId(), 1));
    FetchResponseData recent =
        s.call("full with ids", 13, in(fetch(topic, id, fetchPartition(0, 0)), 0, 0));
    s.call("goes on with names", 12, nothing(recent.sessionId(), 1));
  }
}
