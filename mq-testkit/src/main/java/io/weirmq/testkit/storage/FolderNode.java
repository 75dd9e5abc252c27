package io.weirmq.testkit.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The names in a folder: as callers see them, as they were forced, and the changes between. */
final class FolderNode extends Node {

  /**
   * A change of one or two names in one step.
   *
   * @param removed the name that goes; null where none does
   * @param added the name that comes; null where none does
   * @param node what has the new name
   */
  private record NameChange(@Nullable String removed, @Nullable String added, @Nullable Node node) {

    void applyTo(Map<String, Node> names) {
      if (removed != null) {
        names.remove(removed);
      }
      if (added != null && node != null) {
        names.put(added, node);
      }
    }
  }

  private final Map<String, Node> seen = new TreeMap<>();
  private final Map<String, Node> forced = new TreeMap<>();
  private final List<NameChange> changes = new ArrayList<>();

  FolderNode(long number) {
    super(number);
  }

  @Nullable Node get(String name) {
    return seen.get(name);
  }

  Map<String, Node> seen() {
    return seen;
  }

  void add(String name, Node node) {
    note(new NameChange(null, name, node));
  }

  void remove(String name) {
    note(new NameChange(name, null, null));
  }

  void rename(String from, String to) {
    note(new NameChange(from, to, seen.get(from)));
  }

  private void note(NameChange change) {
    change.applyTo(seen);
    changes.add(change);
  }

  void force() {
    changes.forEach(change -> change.applyTo(forced));
    changes.clear();
  }

  /** Adds a name that is durable. */
  void addForced(String name, Node node) {
    seen.put(name, node);
    forced.put(name, node);
  }

  int unforcedCount() {
    return changes.size();
  }

  /** The names after the first of the unforced changes. */
  Map<String, Node> after(int count) {
    Map<String, Node> names = new TreeMap<>(forced);
    changes.subList(0, count).forEach(change -> change.applyTo(names));
    return names;
  }

  /** Makes this folder equal to another one, with a copy of each node in it. */
  void copyFrom(FolderNode other, UnaryOperator<Node> copies) {
    other.forced.forEach((name, node) -> forced.put(name, copies.apply(node)));
    seen.putAll(forced);
    for (NameChange change : other.changes) {
      Node node = change.node();
      note(
          new NameChange(
              change.removed(), change.added(), node == null ? null : copies.apply(node)));
    }
  }
}
