package io.weirmq.protocol.generator;

/**
 * The fewest bytes that a value takes on the wire: the divisor by which a decoder bounds the count
 * of an array.
 *
 * @param message the message whose structs are meant
 */
record MinimumSize(MessageSpec message) {

  /**
   * The minimum over a range of versions.
   *
   * @throws SchemaException where a value may take no byte at all, so that a count would be
   *     unbounded
   */
  int of(FieldType type, Versions versions) {
    int minimum = Integer.MAX_VALUE;
    for (int version = versions.lowest(); version <= versions.highest(); version++) {
      minimum = Math.min(minimum, at(type, version));
    }
    if (minimum < 1) {
      throw new SchemaException(
          "%s: an element of type %s may be empty".formatted(message.name(), type.javaType()));
    }
    return minimum;
  }

  private int at(FieldType type, int version) {
    boolean flexible = message.flexibleVersions().contains(version);
    if (type instanceof ScalarType scalar) {
      return scalar.minimumBytes(flexible);
    }
    if (type instanceof FieldType.StructType struct) {
      return ofStruct(message.struct(struct.name()), version, flexible);
    }
    return flexible ? 1 : 4;
  }

  private int ofStruct(StructSpec struct, int version, boolean flexible) {
    int sum = flexible ? 1 : 0;
    Versions only = new Versions(version, version);
    for (FieldSpec field : struct.fields()) {
      if (!field.plainWithin(only).isEmpty()) {
        boolean isMarked =
            field.type() instanceof FieldType.StructType
                && field.nullableVersions().contains(version);
        sum += isMarked ? 1 : at(field.type(), version);
      }
    }
    return sum;
  }
}
