package io.weirmq.protocol.generator;

import java.util.List;

/**
 * A struct: the message itself or a part of it.
 *
 * <p>Immutable.
 *
 * @param name the class's name
 * @param versions the versions of the message in which it can occur
 * @param fields in wire order
 * @param about what it is, possibly empty
 */
record StructSpec(String name, Versions versions, List<FieldSpec> fields, String about) {

  StructSpec {
    fields = List.copyOf(fields);
  }

  /** The fields that are tagged in some of the versions, by ascending tag. */
  List<FieldSpec> taggedFields() {
    return fields.stream()
        .filter(field -> !field.taggedWithin(versions).isEmpty())
        .sorted((a, b) -> Integer.compare(a.tag().orElseThrow(), b.tag().orElseThrow()))
        .toList();
  }
}
