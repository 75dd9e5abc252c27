package io.weirmq.protocol.generator;

/** The types that are not made of other types. */
enum ScalarType implements FieldType {
  BOOL("bool", "boolean", "Boolean", "Boolean", 1),
  INT8("int8", "byte", "Byte", "Int8", 1),
  INT16("int16", "short", "Short", "Int16", 2),
  UINT16("uint16", "int", "Integer", "Uint16", 2),
  INT32("int32", "int", "Integer", "Int32", 4),
  UINT32("uint32", "long", "Long", "Uint32", 4),
  INT64("int64", "long", "Long", "Int64", 8),
  FLOAT64("float64", "double", "Double", "Float64", 8),
  UUID("uuid", "UUID", "UUID", "Uuid", 16),
  STRING("string", "String", "String", "String", 0),
  BYTES("bytes", "byte[]", "byte[]", "Bytes", 0),
  RECORDS("records", "RecordsData", "RecordsData", "Records", 0);

  private final String schemaName;
  private final String javaType;
  private final String boxedType;
  private final String codecName;
  private final int fixedBytes;

  ScalarType(
      String schemaName, String javaType, String boxedType, String codecName, int fixedBytes) {
    this.schemaName = schemaName;
    this.javaType = javaType;
    this.boxedType = boxedType;
    this.codecName = codecName;
    this.fixedBytes = fixedBytes;
  }

  String schemaName() {
    return schemaName;
  }

  @Override
  public String javaType() {
    return javaType;
  }

  @Override
  public String boxedType() {
    return boxedType;
  }

  @Override
  public boolean isPrimitive() {
    return switch (this) {
      case UUID, STRING, BYTES, RECORDS -> false;
      default -> true;
    };
  }

  /** What follows {@code read} and {@code write} in the names of the codec's methods. */
  String codecName() {
    return codecName;
  }

  /** Whether a length precedes the value, whose form depends on whether the version is flexible. */
  boolean hasLength() {
    return fixedBytes == 0;
  }

  /** The fewest bytes a value takes on the wire. */
  int minimumBytes(boolean flexible) {
    if (fixedBytes > 0) {
      return fixedBytes;
    }
    if (flexible) {
      return 1;
    }
    return this == STRING ? 2 : 4;
  }
}
