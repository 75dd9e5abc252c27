package io.weirmq.protocol.generator;

/**
 * A struct in its message, with what its code depends on: which versions can occur, and where they
 * are flexible.
 *
 * <p>Immutable.
 *
 * @param message the message
 * @param struct the message's root or one of its structs
 */
record StructScope(MessageSpec message, StructSpec struct) {

  /** The versions in which the struct's code can run. */
  Versions versions() {
    return struct.versions();
  }

  boolean isRoot() {
    return struct.name().equals(message.name());
  }

  /** Whether any version that can occur has tagged fields. */
  boolean hasTagSection() {
    return !flexibleVersions().isEmpty();
  }

  Versions flexibleVersions() {
    return message.flexibleVersions().intersect(versions());
  }

  /** The Java condition for a flexible version. */
  String flexibleCondition() {
    return message.flexibleVersions().conditionWithin(versions());
  }

  /** Whether the code needs the local variable {@code flexible}. */
  boolean needsFlexibleVariable() {
    boolean tagsDepend = hasTagSection() && !flexibleCondition().equals("true");
    return tagsDepend || struct.fields().stream().anyMatch(StructScope::dependsOnFlexible);
  }

  private static boolean dependsOnFlexible(FieldSpec field) {
    return field.flexibleVersions() == null
        && (field.type() instanceof FieldType.ArrayType
            || (field.type() instanceof ScalarType scalar && scalar.hasLength()));
  }

  /** The Java expression that says whether the field's length is compact. */
  String flexibleArgument(FieldSpec field) {
    Versions own = field.flexibleVersions();
    return own == null
        ? "flexible"
        : own.intersect(message.flexibleVersions()).conditionWithin(versions());
  }

  /** How errors name the field. */
  String label(FieldSpec field) {
    return "\"" + struct.name() + "." + field.name() + "\"";
  }

  /** The condition for null being allowed, where the field exists. */
  String nullableCondition(FieldSpec field) {
    return field.nullableVersions().conditionWithin(field.versions().intersect(versions()));
  }

  /** The fewest bytes that an element of the field's array takes, over all versions. */
  int minimumElementBytes(FieldSpec field, FieldType element) {
    return new MinimumSize(message).of(element, field.versions().intersect(versions()));
  }
}
