package io.weirmq.protocol.generator;

/** The type of a field. Immutable. */
sealed interface FieldType permits ScalarType, FieldType.StructType, FieldType.ArrayType {

  /**
   * Reads the notation of the schemas: a scalar's name, a struct's name, or either after {@code
   * []}.
   */
  static FieldType parse(String text) {
    if (text.startsWith("[]")) {
      FieldType element = parse(text.substring(2));
      if (element instanceof ArrayType) {
        throw new SchemaException("an array of arrays is not supported: \"" + text + "\"");
      }
      return new ArrayType(element);
    }
    for (ScalarType scalar : ScalarType.values()) {
      if (scalar.schemaName().equals(text)) {
        return scalar;
      }
    }
    if (text.isEmpty() || !Character.isUpperCase(text.charAt(0))) {
      throw new SchemaException("unknown type \"" + text + "\"");
    }
    return new StructType(text);
  }

  /** The Java type of a field that is always there, with simple names. */
  String javaType();

  /** The Java type as a type argument. */
  default String boxedType() {
    return javaType();
  }

  /** Whether the Java type is a primitive, which cannot be null. */
  default boolean isPrimitive() {
    return false;
  }

  /**
   * A struct of the same message.
   *
   * @param name the struct's name, also the name of its class
   */
  record StructType(String name) implements FieldType {
    @Override
    public String javaType() {
      return name;
    }
  }

  /**
   * A list.
   *
   * @param element the type of its elements; no array
   */
  record ArrayType(FieldType element) implements FieldType {
    @Override
    public String javaType() {
      return "List<" + element.boxedType() + ">";
    }
  }
}
