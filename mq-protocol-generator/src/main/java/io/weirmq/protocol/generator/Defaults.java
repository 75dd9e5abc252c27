package io.weirmq.protocol.generator;

/** Java expressions about a field's default. Stateless. */
final class Defaults {

  private Defaults() {}

  /** The expression that makes the default value. */
  static String value(FieldSpec field) {
    if (field.hasNullDefault() || field.isCreatedOnAccess()) {
      return "null";
    }
    if (field.type() instanceof ScalarType scalar) {
      return scalarValue(field, scalar);
    }
    return field.type() instanceof FieldType.ArrayType
        ? "new ArrayList<>()"
        : "new " + field.type().javaType() + "()";
  }

  private static String scalarValue(FieldSpec field, ScalarType scalar) {
    String text = field.defaultText();
    return switch (scalar) {
      case BOOL -> text.isEmpty() ? "false" : text;
      case INT8, INT16, UINT16, INT32 -> text.isEmpty() ? "0" : text;
      case UINT32, INT64 -> (text.isEmpty() ? "0" : text) + "L";
      case FLOAT64 -> text.isEmpty() ? "0.0" : text;
      case STRING -> "\"" + text + "\"";
      case UUID -> "Uuids.ZERO";
      case BYTES -> "new byte[0]";
      case RECORDS -> "null";
    };
  }

  /** The condition that the field is not at its default, to stand among other conditions. */
  static String isChangedTerm(FieldSpec field) {
    String condition = isChanged(field);
    return condition.contains("||") ? "(" + condition + ")" : condition;
  }

  /** The condition that the field is not at its default. */
  static String isChanged(FieldSpec field) {
    String name = "this." + field.javaName();
    if (field.isCreatedOnAccess()) {
      return "has" + field.capitalizedName() + "()";
    }
    if (field.hasNullDefault()) {
      return name + " != null";
    }
    String changed = isChangedFromNonNull(field, name);
    return field.isNullable() ? name + " == null || " + changed : changed;
  }

  private static String isChangedFromNonNull(FieldSpec field, String name) {
    if (field.type() instanceof FieldType.ArrayType) {
      return "!" + name + ".isEmpty()";
    }
    if (!(field.type() instanceof ScalarType scalar)) {
      return "!" + name + ".isDefault()";
    }
    String value = scalarValue(field, scalar);
    return switch (scalar) {
      case BOOL -> value.equals("true") ? "!" + name : name;
      case INT8, INT16, UINT16, INT32, UINT32, INT64 -> name + " != " + value;
      case FLOAT64 -> "Double.compare(" + name + ", " + value + ") != 0";
      case STRING ->
          value.equals("\"\"") ? "!" + name + ".isEmpty()" : "!" + value + ".equals(" + name + ")";
      case UUID -> "!Uuids.ZERO.equals(" + name + ")";
      case BYTES -> name + ".length > 0";
      case RECORDS -> name + " != null";
    };
  }
}
