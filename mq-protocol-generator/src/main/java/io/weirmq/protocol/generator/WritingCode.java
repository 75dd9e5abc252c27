package io.weirmq.protocol.generator;

import java.util.List;

/**
 * Writes the method that encodes a struct.
 *
 * <p>Confined to one thread.
 */
final class WritingCode {

  private final StructScope scope;
  private final SourceText out;

  WritingCode(StructScope scope, SourceText out) {
    this.scope = scope;
    this.out = out;
  }

  void write() {
    if (scope.isRoot()) {
      out.line("@Override");
      out.open("public void write(ProtocolWriter writer, short version)");
      out.line(
          "writer.beginMessage(\"%s\", version, LOWEST_VERSION, HIGHEST_VERSION);"
              .formatted(scope.message().name()));
    } else {
      out.doc("Encodes this part of the message.");
      out.open("private void write(ProtocolWriter writer, short version)");
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
    if (condition.equals("true")) {
      writeValue(field);
    } else if (!condition.equals("false")) {
      out.open("if (" + condition + ")");
      writeValue(field);
      out.close();
    }
    refuseWhereAbsent(field);
  }

  /** A changed field must not get lost in a version that cannot carry it. */
  private void refuseWhereAbsent(FieldSpec field) {
    String exists = field.versions().conditionWithin(scope.versions());
    if (field.ignorable() || exists.equals("true")) {
      return;
    }
    String condition =
        exists.equals("false")
            ? Defaults.isChanged(field)
            : "!(%s) && %s".formatted(exists, Defaults.isChangedTerm(field));
    out.open("if (" + condition + ")");
    out.line("throw new UnsupportedFieldException(%s, version);".formatted(scope.label(field)));
    out.close();
  }

  private void writeValue(FieldSpec field) {
    refuseNull(field);
    String name = "this." + field.javaName();
    if (field.type() instanceof FieldType.ArrayType array) {
      writeArray(field, array.element(), name);
    } else if (field.type() instanceof FieldType.StructType) {
      writeStruct(field, name);
    } else if (field.type() instanceof ScalarType scalar) {
      String nullable = field.isNullable() ? "Nullable" : "";
      out.line(
          scalar.hasLength()
              ? "writer.write%s%s(%s, %s);"
                  .formatted(nullable, scalar.codecName(), name, scope.flexibleArgument(field))
              : "writer.write%s(%s);".formatted(scalar.codecName(), name));
    }
  }

  /** Null stands in the Java field in every version, on the wire only in some. */
  private void refuseNull(FieldSpec field) {
    String condition = scope.nullableCondition(field);
    if (!field.isNullable() || condition.equals("true")) {
      return;
    }
    String check =
        condition.equals("false")
            ? "this.%s == null".formatted(field.javaName())
            : "this.%s == null && !(%s)".formatted(field.javaName(), condition);
    out.open("if (" + check + ")");
    out.line("throw UnsupportedFieldException.forNull(%s, version);".formatted(scope.label(field)));
    out.close();
  }

  private void writeStruct(FieldSpec field, String name) {
    String condition = scope.nullableCondition(field);
    if (!field.isNullable() || condition.equals("false")) {
      out.line(name + ".write(writer, version);");
      return;
    }
    boolean alwaysMarked = condition.equals("true");
    if (!alwaysMarked) {
      out.open("if (" + condition + ")");
    }
    out.line("writer.writeStructMarker(%s != null);".formatted(name));
    if (!alwaysMarked) {
      out.close();
    }
    out.open("if (%s != null)".formatted(name));
    out.line(name + ".write(writer, version);").close();
  }

  private void writeArray(FieldSpec field, FieldType element, String name) {
    String flexible = scope.flexibleArgument(field);
    if (field.isNullable()) {
      out.open("if (%s == null)".formatted(name));
      out.line("writer.writeNullArray(%s);".formatted(flexible)).otherwise("else");
    }
    out.line("writer.writeArrayCount(%s.size(), %s);".formatted(name, flexible));
    out.open("for (%s element : %s)".formatted(element.javaType(), name));
    if (element instanceof ScalarType scalar) {
      out.line(
          scalar.hasLength()
              ? "writer.write%s(element, %s);".formatted(scalar.codecName(), flexible)
              : "writer.write%s(element);".formatted(scalar.codecName()));
    } else {
      out.line("element.write(writer, version);");
    }
    out.close();
    if (field.isNullable()) {
      out.close();
    }
  }

  private void tagSection() {
    if (!scope.hasTagSection()) {
      return;
    }
    boolean always = scope.flexibleCondition().equals("true");
    if (!always) {
      out.open("if (flexible)");
    }
    List<FieldSpec> tagged = scope.struct().taggedFields();
    if (tagged.isEmpty()) {
      out.line("writer.writeUnsignedVarint(0);");
    } else {
      taggedFields(tagged);
    }
    if (!always) {
      out.close();
    }
  }

  private void taggedFields(List<FieldSpec> tagged) {
    out.line("int tagCount = 0;");
    for (FieldSpec field : tagged) {
      out.open("if (" + isWritten(field) + ")").line("tagCount++;").close();
    }
    out.line("writer.writeUnsignedVarint(tagCount);");
    for (FieldSpec field : tagged) {
      out.open("if (" + isWritten(field) + ")");
      out.line("int tagStart = writer.beginTag(%d);".formatted(field.tag().orElseThrow()));
      writeValue(field);
      out.line("writer.endTag(tagStart);").close();
    }
  }

  private String isWritten(FieldSpec field) {
    String condition =
        field.taggedWithin(scope.versions()).conditionWithin(scope.flexibleVersions());
    return condition.equals("true")
        ? Defaults.isChanged(field)
        : condition + " && " + Defaults.isChangedTerm(field);
  }
}
