package io.weirmq.testkit.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The names in a folder: as callers see them, as they were forced, and the changes between. */
final class FolderNode extends Node {

  /** A change of one or two names in one step. */
  interface NameChange {

    void applyTo(Map<String, Node> names);
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
    note(names -> names.put(name, node));
  }

  void remove(String name) {
    note(names -> names.remove(name));
  }

  void rename(String from, String to) {
    note(
        names -> {
          Node node = names.remove(from);
          if (node != null) {
            names.put(to, node);
          }
        });
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
}
