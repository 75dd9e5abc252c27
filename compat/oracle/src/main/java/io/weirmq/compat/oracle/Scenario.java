package io.weirmq.compat.oracle;

/**
 * A part of the script: a conversation with one broker about one thing.
 *
 * @param name short and unique; begins the names of its topics and groups
 */
record Scenario(String name, Body body) {
  /** The conversation itself. */
  @FunctionalInterface
  interface Body {
    void run(Session session) throws Exception;
  }
}
