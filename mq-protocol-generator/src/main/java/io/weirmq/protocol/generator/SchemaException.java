package io.weirmq.protocol.generator;

import java.io.Serial;

/** A schema that cannot be understood; the message names the schema, the field and the cause. */
public final class SchemaException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  SchemaException(String message) {
    super(message);
  }

  SchemaException(String message, Throwable cause) {
    super(message, cause);
  }
}
