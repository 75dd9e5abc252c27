package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Replaces the values that two brokers choose for themselves: ids become symbols in the order of
 * their appearance, so that "the same id again" is still compared; times, ports and sizes become
 * placeholders; texts of errors become "there is one". Arrays whose order means nothing are sorted.
 * One instance serves one broker's run of one scenario. Confined to one thread.
 */
final class Normalizer {
  private static final long NEAR_NOW_MS = 3_600_000;
  private static final String ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA";

  /** Fields that hold an id given out by the broker. */
  private static final Map<String, String> IDS =
      Map.of(
          "topicId", "topic",
          "memberId", "member",
          "leader", "member",
          "producerId", "producer",
          "clusterId", "cluster",
          "sessionId", "session");

  /** Fields that are never compared, only that they are there. */
  private static final Set<String> OPEN =
      Set.of(
          "throttleTimeMs",
          "port",
          "logDir",
          "totalBytes",
          "usableBytes",
          "finalizedFeaturesEpoch");

  /** Broker configs that name addresses and folders. */
  private static final Set<String> OPEN_CONFIGS =
      Set.of(
          "listeners",
          "advertised.listeners",
          "log.dirs",
          "log.dir",
          "controller.quorum.voters",
          "process.roles",
          "controller.listener.names",
          "listener.security.protocol.map");

  /** Fields with a text for people. */
  private static final Set<String> TEXTS =
      Set.of("errorMessage", "batchIndexErrorMessage", "documentation");

  private final long nowMs;
  private final Map<String, String> symbols = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  Normalizer(long nowMs) {
    this.nowMs = nowMs;
  }

  /** A copy of a response with symbols; Fetch answers keep the order of their arrays. */
  JsonNode normalize(String api, JsonNode response) {
    return normalize("", response, !api.equals("Fetch"));
  }

  /** Whether a field is replaced whatever it holds. */
  static boolean isOpen(String field) {
    return OPEN.contains(field) || TEXTS.contains(field) || IDS.containsKey(field);
  }

  private JsonNode normalize(String field, JsonNode node, boolean sorting) {
    if (node.isArray()) {
      return array(field, node, sorting);
    }
    if (node.isObject()) {
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      Iterator<Map.Entry<String, JsonNode>> fields = node.fields();
      while (fields.hasNext()) {
        Map.Entry<String, JsonNode> entry = fields.next();
        copy.set(entry.getKey(), normalize(entry.getKey(), entry.getValue(), sorting));
      }
      if (copy.hasNonNull("value") && OPEN_CONFIGS.contains(copy.path("name").asText())) {
        copy.put("value", "<value>");
      }
      return copy;
    }
    return leaf(field, node);
  }

  private JsonNode array(String field, JsonNode node, boolean sorting) {
    List<JsonNode> elements = new ArrayList<>();
    node.forEach(elements::add);
    if (sorting) {
      elements.sort(Comparator.comparing(element -> stable(field, element).toString()));
    }
    ArrayNode copy = JsonNodeFactory.instance.arrayNode();
    elements.forEach(element -> copy.add(normalize(field, element, sorting)));
    return copy;
  }

  /** The element with everything replaced that two brokers may choose differently. */
  private JsonNode stable(String field, JsonNode node) {
    if (node.isObject()) {
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      node.fields().forEachRemaining(e -> copy.set(e.getKey(), stable(e.getKey(), e.getValue())));
      return copy;
    }
    if (node.isArray()) {
      List<JsonNode> elements = new ArrayList<>();
      node.forEach(element -> elements.add(stable(field, element)));
      elements.sort(Comparator.comparing(JsonNode::toString));
      return JsonNodeFactory.instance.arrayNode().addAll(elements);
    }
    return isOpen(field) ? TextNode.valueOf("") : leaf(field, node);
  }

  private JsonNode leaf(String field, JsonNode node) {
    if (OPEN.contains(field)) {
      return node.isNull() ? node : TextNode.valueOf("<" + field + ">");
    }
    if (TEXTS.contains(field)) {
      return node.isNull() || node.asText().isEmpty() ? node : TextNode.valueOf("<text>");
    }
    String kind = IDS.get(field);
    if (kind != null) {
      return id(kind, node);
    }
    if (node.isNumber() && Math.abs(node.asLong() - nowMs) < NEAR_NOW_MS) {
      return TextNode.valueOf("<now>");
    }
    return node;
  }

  private JsonNode id(String kind, JsonNode node) {
    boolean none =
        node.isNull()
            || node.asText().isEmpty()
            || node.asText().equals(ZERO_UUID)
            || (node.isNumber() && node.asLong() <= (kind.equals("session") ? 0 : -1));
    if (none) {
      return node;
    }
    return TextNode.valueOf(
        symbols.computeIfAbsent(
            kind + " " + node.asText(),
            key -> "<" + kind + " " + counts.merge(kind, 1, Integer::sum) + ">"));
  }
}
