package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;

/** How a broker reacted to one request. */
sealed interface Outcome {
  /** A response that could be decoded; null records and all fields of its version are there. */
  record Answered(JsonNode response) implements Outcome {}

  /** The connection was closed without an answer. */
  record Closed() implements Outcome {}

  /** No answer came, and the connection goes on working. */
  record Silent() implements Outcome {}

  /** An answer that does not fit the request: cannot be decoded, or another correlation id. */
  record Unreadable(String why) implements Outcome {}

  /** The scenario could not go on at this point. */
  record Aborted(String why) implements Outcome {}
}
