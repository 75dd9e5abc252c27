package io.weirmq.protocol.generator;

/**
 * Writes a struct's fields, constructor, getters and setters.
 *
 * <p>Confined to one thread.
 */
final class AccessorCode {

  private final StructScope scope;
  private final SourceText out;

  AccessorCode(StructScope scope, SourceText out) {
    this.scope = scope;
    this.out = out;
  }

  void writeFields() {
    for (FieldSpec field : scope.struct().fields()) {
      String annotation = field.isNullable() || field.isCreatedOnAccess() ? "@Nullable " : "";
      out.line(
          "private %s %s;"
              .formatted(annotated(annotation, field.type().javaType()), field.javaName()));
    }
  }

  /** A type-use annotation of an array belongs before its brackets. */
  private static String annotated(String annotation, String javaType) {
    return !annotation.isEmpty() && javaType.endsWith("[]")
        ? javaType.substring(0, javaType.length() - 2) + " " + annotation + "[]"
        : annotation + javaType;
  }

  private static String valueType(FieldSpec field) {
    return annotated(field.isNullable() ? "@Nullable " : "", field.type().javaType());
  }

  void writeDefaultConstructor() {
    out.doc("Makes one with all fields at their defaults.");
    out.open("public %s()".formatted(scope.struct().name()));
    for (FieldSpec field : scope.struct().fields()) {
      out.line("this.%s = %s;".formatted(field.javaName(), Defaults.value(field)));
    }
    out.close();
  }

  void writeAccessors() {
    for (FieldSpec field : scope.struct().fields()) {
      out.blank();
      getter(field);
      out.blank();
      setter(field);
      if (field.isCreatedOnAccess()) {
        out.blank();
        presence(field);
      }
    }
  }

  private static String about(FieldSpec field) {
    String about = field.about().strip();
    if (about.isEmpty()) {
      return "The field " + field.name() + ".";
    }
    return about.endsWith(".") ? about : about + ".";
  }

  private String whereFound(FieldSpec field) {
    Versions existing = field.versions().intersect(scope.versions());
    if (existing.equals(scope.message().validVersions())) {
      return "";
    }
    String versions = existing.lowest() == existing.highest() ? "version " : "versions ";
    return "In " + versions + existing + "; default elsewhere.";
  }

  private void getter(FieldSpec field) {
    String name = field.javaName();
    out.doc(about(field), whereFound(field));
    out.open("public %s %s()".formatted(valueType(field), name));
    if (field.isCreatedOnAccess()) {
      out.open("if (this.%s == null)".formatted(name));
      out.line("this.%s = new %s();".formatted(name, field.type().javaType())).close();
    }
    out.line("return this.%s;".formatted(name)).close();
  }

  private void setter(FieldSpec field) {
    String name = field.javaName();
    out.doc("Sets %s and returns this.".formatted(name));
    out.open(
        "public %s set%s(%s %s)"
            .formatted(scope.struct().name(), field.capitalizedName(), valueType(field), name));
    out.line("this.%s = %s;".formatted(name, name)).line("return this;").close();
  }

  private void presence(FieldSpec field) {
    String name = field.javaName();
    out.doc("Whether %s differs from its default; does not create it.".formatted(name));
    out.open("public boolean has%s()".formatted(field.capitalizedName()));
    out.line("return this.%s != null && !this.%s.isDefault();".formatted(name, name)).close();
  }
}
