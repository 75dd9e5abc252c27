package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Proves that the comparison can fail: changes one field of one recorded answer of the reference,
 * compares it with the unchanged one, and expects a difference.
 */
final class Proof {
  private static final long SEED = 20_261_129;

  private final Comparison comparison;
  private final List<Main.Recorded> recorded;
  private final Random random = new Random(SEED);

  Proof(Comparison comparison, List<Main.Recorded> recorded) {
    this.comparison = comparison;
    this.recorded = recorded;
  }

  /** A field of a response: the container that holds it, and its name or index. */
  private record Leaf(ContainerNode<?> holder, String field, int index) {
    void change() {
      JsonNode old = holder instanceof ObjectNode object ? object.get(field) : holder.get(index);
      JsonNode changed =
          old.isNumber()
              ? IntNode.valueOf((int) (old.asLong() % 1000) + 7)
              : old.isBoolean()
                  ? BooleanNode.valueOf(!old.asBoolean())
                  : TextNode.valueOf("changed " + old.asText());
      if (holder instanceof ObjectNode object) {
        object.set(field, changed);
      } else {
        ((ArrayNode) holder).set(index, changed);
      }
    }
  }

  boolean prove(int count) {
    int noticed = 0;
    int made = 0;
    while (made < count) {
      List<Exchange> exchanges = recorded.get(random.nextInt(recorded.size())).reference();
      List<Exchange> changed = new ArrayList<>(exchanges);
      int which = random.nextInt(exchanges.size());
      Exchange exchange = exchanges.get(which);
      if (!(exchange.outcome() instanceof Outcome.Answered answered)) {
        continue;
      }
      JsonNode copy = answered.response().deepCopy();
      List<Leaf> leaves = new ArrayList<>();
      collect(copy, leaves, exchange.api());
      if (leaves.isEmpty()) {
        continue;
      }
      leaves.get(random.nextInt(leaves.size())).change();
      changed.set(
          which,
          new Exchange(
              exchange.scenario(),
              exchange.label(),
              exchange.api(),
              exchange.version(),
              new Outcome.Answered(copy)));
      made++;
      if (comparison.compare(exchanges, changed).stream()
          .anyMatch(result -> !result.differences().isEmpty())) {
        noticed++;
      } else {
        System.out.println("not noticed: " + exchange.title() + ": " + copy);
      }
    }
    System.out.printf("%d fields changed on purpose (seed %d), %d noticed%n", made, SEED, noticed);
    return noticed == made;
  }

  /** All leaves that are compared by value. */
  private static void collect(JsonNode node, List<Leaf> leaves, String api) {
    if (node instanceof ObjectNode object) {
      object
          .fields()
          .forEachRemaining(
              entry -> {
                boolean open =
                    Normalizer.isOpen(entry.getKey())
                        || (api.equals("ApiVersions") && entry.getKey().equals("apiKeys"));
                if (entry.getValue().isContainerNode()) {
                  if (!open) {
                    collect(entry.getValue(), leaves, api);
                  }
                } else if (!open) {
                  leaves.add(new Leaf(object, entry.getKey(), -1));
                }
              });
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        if (array.get(i).isContainerNode()) {
          collect(array.get(i), leaves, api);
        } else {
          leaves.add(new Leaf(array, "", i));
        }
      }
    }
  }
}
