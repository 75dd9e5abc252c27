package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A place at which two answers differ.
 *
 * @param path field path; elements of arrays are named by their key where they have one
 * @param expected what the reference answered, as JSON; "(missing)" when it has no such field
 * @param found what the other broker answered
 */
record Difference(String path, String expected, String found) {
  private static final String MISSING = "(missing)";

  /** Fields that tell the elements of an array apart, by precedence. */
  private static final List<String> KEYS =
      List.of(
          "name",
          "topic",
          "topicName",
          "groupId",
          "key",
          "resourceName",
          "partitionIndex",
          "partition",
          "nodeId",
          "brokerId",
          "memberId");

  /** All places at which two normalised answers differ. */
  static List<Difference> between(JsonNode expected, JsonNode found) {
    List<Difference> differences = new ArrayList<>();
    compare("", expected, found, differences);
    return differences;
  }

  private static void compare(String path, JsonNode a, JsonNode b, List<Difference> out) {
    if (a.isObject() && b.isObject()) {
      TreeSet<String> names = new TreeSet<>();
      a.fieldNames().forEachRemaining(names::add);
      b.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        compareChild(path.isEmpty() ? name : path + "." + name, a.get(name), b.get(name), out);
      }
    } else if (a.isArray() && b.isArray()) {
      compareArrays(path, a, b, out);
    } else if (!a.equals(b)) {
      out.add(new Difference(path, a.toString(), b.toString()));
    }
  }

  private static void compareChild(String path, JsonNode a, JsonNode b, List<Difference> out) {
    if (a == null || b == null) {
      out.add(new Difference(path, show(a), show(b)));
    } else {
      compare(path, a, b, out);
    }
  }

  private static String show(JsonNode node) {
    return node == null ? MISSING : node.toString();
  }

  private static void compareArrays(String path, JsonNode a, JsonNode b, List<Difference> out) {
    Map<String, JsonNode> byKeyA = byKey(a);
    Map<String, JsonNode> byKeyB = byKey(b);
    if (byKeyA.isEmpty() || byKeyB.isEmpty()) {
      for (int i = 0; i < Math.max(a.size(), b.size()); i++) {
        compareChild(path + "[" + i + "]", a.get(i), b.get(i), out);
      }
      return;
    }
    TreeSet<String> keys = new TreeSet<>(byKeyA.keySet());
    keys.addAll(byKeyB.keySet());
    for (String key : keys) {
      compareChild(path + "[" + key + "]", byKeyA.get(key), byKeyB.get(key), out);
    }
  }

  /** Elements by key, or nothing when one has no key or two have the same. */
  private static Map<String, JsonNode> byKey(JsonNode array) {
    Map<String, JsonNode> elements = new HashMap<>();
    Iterator<JsonNode> iterator = array.elements();
    while (iterator.hasNext()) {
      JsonNode element = iterator.next();
      String key = key(element);
      if (key == null || elements.put(key, element) != null) {
        return Map.of();
      }
    }
    return elements;
  }

  private static String key(JsonNode element) {
    for (String field : KEYS) {
      JsonNode value = element.isObject() ? element.get(field) : NullNode.instance;
      if (value != null && !value.isNull() && !value.asText().isEmpty()) {
        return value.asText();
      }
    }
    return null;
  }
}
