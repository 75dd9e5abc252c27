package io.weirmq.server.config;

import java.util.List;

/** The configuration can't be used; the message names every key, value and origin at fault. */
public final class ConfigException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /** Makes the exception from one or more problems. */
  public ConfigException(List<String> problems) {
    super(
        problems.size() == 1
            ? problems.get(0)
            : problems.size() + " problems:\n  - " + String.join("\n  - ", problems));
    this.problems = List.copyOf(problems);
  }

  /** The problems, one line each. */
  public List<String> problems() {
    return problems;
  }
}
