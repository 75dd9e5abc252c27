package io.weirmq.protocol.generator;

import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A field of a struct.
 *
 * <p>Immutable.
 *
 * @param name as in the schema
 * @param type its type
 * @param versions where it exists
 * @param nullableVersions where null is a value of it
 * @param taggedVersions where it is a tagged field; open-ended or empty
 * @param tag the tag, present where {@code taggedVersions} is not empty
 * @param flexibleVersions where its own lengths are compact, which a field may set apart from its
 *     message; null where it follows the message
 * @param defaultText the default as the schema writes it, empty where it writes none
 * @param ignorable whether a value may be dropped silently in a version without the field
 * @param isTopicName whether the value names a topic, so that it is worth interning
 * @param about the schema's description, possibly empty
 */
record FieldSpec(
    String name,
    FieldType type,
    Versions versions,
    Versions nullableVersions,
    Versions taggedVersions,
    OptionalInt tag,
    @Nullable Versions flexibleVersions,
    String defaultText,
    boolean ignorable,
    boolean isTopicName,
    String about) {

  private static final Set<String> RESERVED =
      Set.of("default", "package", "class", "switch", "int", "long", "boolean", "byte", "short");

  /** The name of the Java field, of its getter and of the setter's parameter. */
  String javaName() {
    String lower = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    return RESERVED.contains(lower) ? lower + "_" : lower;
  }

  /** The name behind {@code set} and {@code has}; a few schemas begin a name in lower case. */
  String capitalizedName() {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  /** Whether the Java field may hold null in any version. */
  boolean isNullable() {
    return !type.isPrimitive() && (!nullableVersions.isEmpty() || hasNullDefault());
  }

  /** Whether the default is null. */
  boolean hasNullDefault() {
    return defaultText.equals("null") || type == ScalarType.RECORDS;
  }

  /** Where the field is tagged, within its versions. */
  Versions taggedWithin(Versions context) {
    return taggedVersions.intersect(versions).intersect(context);
  }

  /** Where the field exists and stands in line with the others. */
  Versions plainWithin(Versions context) {
    Versions existing = versions.intersect(context);
    Versions tagged = taggedWithin(context);
    return tagged.isEmpty() ? existing : existing.below(tagged.lowest());
  }

  /**
   * Whether the Java field stays null until someone asks for the struct: such fields are nearly
   * always at their default, which then costs no object.
   */
  boolean isCreatedOnAccess() {
    return type instanceof FieldType.StructType && tag.isPresent() && !isNullable();
  }
}
