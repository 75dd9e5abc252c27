package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;

/** Compares what two brokers answered in one scenario. */
final class Comparison {
  /** One request compared: no differences means equal. */
  record Result(String title, List<Difference> differences) {}

  private final long nowMs;

  Comparison(long nowMs) {
    this.nowMs = nowMs;
  }

  /** The results request by request; a conversation that took another course ends the list. */
  List<Result> compare(List<Exchange> reference, List<Exchange> candidate) {
    Normalizer ofReference = new Normalizer(nowMs);
    Normalizer ofCandidate = new Normalizer(nowMs);
    List<Result> results = new ArrayList<>();
    for (int i = 0; i < Math.max(reference.size(), candidate.size()); i++) {
      String expected = i < reference.size() ? reference.get(i).title() : "(no more requests)";
      String found = i < candidate.size() ? candidate.get(i).title() : "(no more requests)";
      if (!expected.equals(found)) {
        Difference course = new Difference("course", expected, found);
        results.add(new Result(reference.get(0).scenario() + " / course", List.of(course)));
        break;
      }
      results.add(
          new Result(
              expected, differences(ofReference, reference.get(i), ofCandidate, candidate.get(i))));
    }
    return results;
  }

  private static List<Difference> differences(
      Normalizer ofReference, Exchange reference, Normalizer ofCandidate, Exchange candidate) {
    if (reference.outcome() instanceof Outcome.Answered a
        && candidate.outcome() instanceof Outcome.Answered b) {
      return Difference.between(
          ofReference.normalize(reference.api(), prepare(reference, a.response())),
          ofCandidate.normalize(candidate.api(), prepare(candidate, b.response())));
    }
    if (reference.outcome() instanceof Outcome.Answered a) {
      ofReference.normalize(reference.api(), prepare(reference, a.response()));
    }
    if (candidate.outcome() instanceof Outcome.Answered b) {
      ofCandidate.normalize(candidate.api(), prepare(candidate, b.response()));
    }
    String expected = show(reference.outcome());
    String found = show(candidate.outcome());
    return expected.equals(found) ? List.of() : List.of(new Difference("outcome", expected, found));
  }

  /** One line for each exchange: its title and its normalised outcome. */
  List<String> show(List<Exchange> exchanges) {
    Normalizer normalizer = new Normalizer(nowMs);
    return exchanges.stream()
        .map(
            e ->
                e.title()
                    + " => "
                    + (e.outcome() instanceof Outcome.Answered a
                        ? normalizer.normalize(e.api(), prepare(e, a.response())).toString()
                        : show(e.outcome())))
        .toList();
  }

  /** The ranges of ApiVersions are compared as a table of their own, see {@link #ranges}. */
  private static JsonNode prepare(Exchange exchange, JsonNode response) {
    if (!exchange.api().equals("ApiVersions")) {
      return response;
    }
    ObjectNode copy = response.deepCopy();
    ArrayNode apiKeys = copy.putArray("apiKeys");
    // What must be there in any case, also in the answer to an unknown version: the row of itself.
    for (JsonNode range : response.get("apiKeys")) {
      if (range.get("apiKey").asInt() == ApiMessageType.API_VERSIONS.apiKey()) {
        apiKeys.add(range);
      }
    }
    return copy;
  }

  private static String show(Outcome outcome) {
    if (outcome instanceof Outcome.Answered answered) {
      String text = answered.response().toString();
      return "answered " + (text.length() > 400 ? text.substring(0, 400) + "..." : text);
    }
    if (outcome instanceof Outcome.Closed) {
      return "closed the connection";
    }
    if (outcome instanceof Outcome.Silent) {
      return "no answer, connection open";
    }
    return outcome.toString();
  }

  /** Compares the advertised ranges, one result for each API that either broker has. */
  static List<Result> ranges(Versions reference, Versions candidate) {
    List<Result> results = new ArrayList<>();
    for (ApiMessageType api : ApiMessageType.values()) {
      ApiVersion expected = reference.ranges().get(api.apiKey());
      ApiVersion found = candidate.ranges().get(api.apiKey());
      if (expected != null || found != null) {
        List<Difference> differences =
            show(expected).equals(show(found))
                ? List.of()
                : List.of(new Difference("range", show(expected), show(found)));
        results.add(new Result("advertised / " + api.name, differences));
      }
    }
    return results;
  }

  private static String show(ApiVersion range) {
    return range == null ? "(missing)" : range.minVersion() + "-" + range.maxVersion();
  }
}
