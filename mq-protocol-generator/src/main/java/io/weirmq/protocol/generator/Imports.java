package io.weirmq.protocol.generator;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the import lines that a body of generated code needs. Stateless. */
final class Imports {

  private static final List<String> KNOWN =
      List.of(
          "io.weirmq.protocol.ApiKey",
          "io.weirmq.protocol.ApiMessage",
          "io.weirmq.protocol.ProtocolException",
          "io.weirmq.protocol.ProtocolReader",
          "io.weirmq.protocol.ProtocolWriter",
          "io.weirmq.protocol.RecordsData",
          "io.weirmq.protocol.UnsupportedFieldException",
          "io.weirmq.protocol.Uuids",
          "java.util.ArrayList",
          "java.util.Arrays",
          "java.util.List",
          "java.util.Objects",
          "java.util.UUID",
          "javax.annotation.processing.Generated",
          "org.jspecify.annotations.Nullable");

  private Imports() {}

  /** The import lines, sorted, for a class of the given package. */
  static String of(String packageName, String body) {
    String code =
        body.lines()
            .filter(line -> !line.stripLeading().startsWith("*"))
            .filter(line -> !line.stripLeading().startsWith("/*"))
            .collect(Collectors.joining("\n"));
    return KNOWN.stream()
        .filter(name -> !name.substring(0, name.lastIndexOf('.')).equals(packageName))
        .filter(name -> Pattern.compile("\\b" + simpleName(name) + "\\b").matcher(code).find())
        .map(name -> "import " + name + ";\n")
        .collect(Collectors.joining());
  }

  private static String simpleName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
