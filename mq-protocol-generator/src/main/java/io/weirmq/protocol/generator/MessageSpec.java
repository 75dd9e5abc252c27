package io.weirmq.protocol.generator;

import java.util.List;
import java.util.OptionalInt;

/**
 * A message as its schema describes it.
 *
 * <p>Immutable.
 *
 * @param name the class's name
 * @param kind what it is for
 * @param apiKey the number of its API, present for requests and responses
 * @param validVersions the versions that exist
 * @param flexibleVersions the versions with compact lengths and tagged fields
 * @param latestVersionUnstable whether the highest version may still change
 * @param root its fields
 * @param structs all other structs, each once, outer ones first
 */
record MessageSpec(
    String name,
    Kind kind,
    OptionalInt apiKey,
    Versions validVersions,
    Versions flexibleVersions,
    boolean latestVersionUnstable,
    StructSpec root,
    List<StructSpec> structs) {

  /** What a message is for. */
  enum Kind {
    REQUEST,
    RESPONSE,
    HEADER,
    DATA
  }

  MessageSpec {
    structs = List.copyOf(structs);
  }

  /** The struct of that name. */
  StructSpec struct(String structName) {
    return structs.stream()
        .filter(struct -> struct.name().equals(structName))
        .findFirst()
        .orElseThrow(() -> new SchemaException(name + " has no struct \"" + structName + "\""));
  }

  /** The name of the API: the message's without {@code Request} or {@code Response}. */
  String apiName() {
    return switch (kind) {
      case REQUEST -> name.substring(0, name.length() - "Request".length());
      case RESPONSE -> name.substring(0, name.length() - "Response".length());
      case HEADER, DATA -> name;
    };
  }
}
