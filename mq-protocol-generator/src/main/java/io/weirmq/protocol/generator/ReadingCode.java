package io.weirmq.protocol.generator;

import java.util.List;

/**
 * Writes the constructor that decodes a struct.
 *
 * <p>Confined to one thread.
 */
final class ReadingCode {

  private final StructScope scope;
  private final SourceText out;

  ReadingCode(StructScope scope, SourceText out) {
    this.scope = scope;
    this.out = out;
  }

  void write() {
    String name = scope.struct().name();
    if (scope.isRoot()) {
      out.doc(
          "Decodes a message.",
          "@param reader stands at the message's first byte, is left behind its last",
          "@param version the version that the message has",
          "@throws ProtocolException where the bytes are no such message");
    } else {
      out.doc("Decodes one; see the message's constructor.");
    }
    out.open(
        "%s %s(ProtocolReader reader, short version) throws ProtocolException"
            .formatted(scope.isRoot() ? "public" : "private", name)
            .stripLeading());
    if (scope.isRoot()) {
      out.line(
          "reader.beginMessage(\"%s\", version, LOWEST_VERSION, HIGHEST_VERSION);".formatted(name));
    }
    if (scope.needsFlexibleVariable()) {
      out.line("final boolean flexible = " + scope.flexibleCondition() + ";");
    }
    for (FieldSpec field : scope.struct().fields()) {
      plainField(field);
    }
    tagSection();
    out.close();
  }

  private void plainField(FieldSpec field) {
    String condition = field.plainWithin(scope.versions()).conditionWithin(scope.versions());
    String assignDefault = "this.%s = %s;".formatted(field.javaName(), Defaults.value(field));
    if (condition.equals("false")) {
      out.line(assignDefault);
    } else if (condition.equals("true")) {
      readInto(field);
    } else {
      out.open("if (" + condition + ")");
      readInto(field);
      out.otherwise("else").line(assignDefault).close();
    }
  }

  private void readInto(FieldSpec field) {
    if (field.type() instanceof FieldType.ArrayType array) {
      readArray(field, array.element());
    } else if (field.type() instanceof FieldType.StructType struct) {
      readStruct(field, struct);
    } else if (field.type() instanceof ScalarType scalar) {
      out.line("this.%s = %s;".formatted(field.javaName(), scalarExpression(field, scalar)));
    }
  }

  private String scalarExpression(FieldSpec field, ScalarType scalar) {
    if (!scalar.hasLength()) {
      return "reader.read%s(%s)".formatted(scalar.codecName(), scope.label(field));
    }
    String what = field.isTopicName() ? "Name" : scalar.codecName();
    String arguments = "(%s, %s)".formatted(scope.label(field), scope.flexibleArgument(field));
    return byNullability(
        field, "reader.readNullable" + what + arguments, "reader.read" + what + arguments);
  }

  /** The expression that fits where null is allowed in all, in no, or in some versions. */
  private String byNullability(FieldSpec field, String nullable, String strict) {
    String condition = scope.nullableCondition(field);
    return switch (condition) {
      case "true" -> nullable;
      case "false" -> strict;
      default -> "%s\n? %s\n: %s".formatted(condition, nullable, strict);
    };
  }

  private void readStruct(FieldSpec field, FieldType.StructType struct) {
    String make = "new %s(reader, version)".formatted(struct.name());
    String condition = scope.nullableCondition(field);
    String marked = "reader.readStructMarker(%s) ? %s : null".formatted(scope.label(field), make);
    String value =
        switch (condition) {
          case "true" -> marked;
          case "false" -> make;
          default ->
              "!(%s) || reader.readStructMarker(%s) ? %s : null"
                  .formatted(condition, scope.label(field), make);
        };
    out.line("this.%s = %s;".formatted(field.javaName(), value));
  }

  private void readArray(FieldSpec field, FieldType element) {
    String name = field.javaName();
    String count = name + "Count";
    String arguments =
        "(%s, %s, %d)"
            .formatted(
                scope.label(field),
                scope.flexibleArgument(field),
                scope.minimumElementBytes(field, element));
    out.line(
        "int %s = %s;"
            .formatted(
                count,
                byNullability(
                    field,
                    "reader.readNullableArrayCount" + arguments,
                    "reader.readArrayCount" + arguments)));
    boolean mayBeNull = !scope.nullableCondition(field).equals("false");
    if (mayBeNull) {
      out.open("if (%s < 0)".formatted(count));
      out.line("this.%s = null;".formatted(name)).otherwise("else");
    }
    out.line("this.%s = new ArrayList<>(%s);".formatted(name, count));
    out.open("for (int i = 0; i < %s; i++)".formatted(count));
    out.line("this.%s.add(%s);".formatted(name, elementExpression(field, element))).close();
    if (mayBeNull) {
      out.close();
    }
  }

  private String elementExpression(FieldSpec field, FieldType element) {
    if (element instanceof ScalarType scalar) {
      return scalar.hasLength()
          ? "reader.read%s(%s, %s)"
              .formatted(
                  field.isTopicName() ? "Name" : scalar.codecName(),
                  scope.label(field),
                  scope.flexibleArgument(field))
          : "reader.read%s(%s)".formatted(scalar.codecName(), scope.label(field));
    }
    return "new %s(reader, version)".formatted(element.javaType());
  }

  private void tagSection() {
    if (!scope.hasTagSection()) {
      return;
    }
    boolean always = scope.flexibleCondition().equals("true");
    if (!always) {
      out.open("if (flexible)");
    }
    String label = "\"" + scope.struct().name() + "\"";
    List<FieldSpec> tagged = scope.struct().taggedFields();
    if (tagged.isEmpty()) {
      out.line("reader.skipTaggedFields(%s);".formatted(label));
    } else {
      taggedFields(label, tagged);
    }
    if (!always) {
      out.close();
    }
  }

  private void taggedFields(String label, List<FieldSpec> tagged) {
    out.line("int tagCount = reader.readTagCount(%s);".formatted(label));
    out.open("for (int t = 0; t < tagCount; t++)");
    out.line("int tag = reader.readTag(%s);".formatted(label));
    out.line("int tagEnd = reader.readTagEnd(%s);".formatted(label));
    out.open("switch (tag)");
    for (FieldSpec field : tagged) {
      out.open("case %d ->".formatted(field.tag().orElseThrow()));
      String condition =
          field.taggedWithin(scope.versions()).conditionWithin(scope.flexibleVersions());
      if (condition.equals("true")) {
        readInto(field);
      } else {
        out.open("if (" + condition + ")");
        readInto(field);
        out.otherwise("else").line("reader.skipTo(tagEnd);").close();
      }
      out.close();
    }
    out.line("default -> reader.skipTo(tagEnd);").close();
    out.line("reader.endTag(%s, tag, tagEnd);".formatted(label)).close();
  }
}
