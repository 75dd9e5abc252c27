package io.weirmq.protocol.generator;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes a struct's {@code equals}, {@code hashCode}, {@code toString} and the test for defaults.
 *
 * <p>Confined to one thread.
 */
final class ObjectMethodsCode {

  private final StructScope scope;
  private final SourceText out;

  ObjectMethodsCode(StructScope scope, SourceText out) {
    this.scope = scope;
    this.out = out;
  }

  void write() {
    if (!scope.isRoot()) {
      isDefault();
      out.blank();
    }
    equality();
    out.blank();
    hash();
    out.blank();
    text();
  }

  private void isDefault() {
    out.doc("Whether all fields are at their defaults.");
    out.open("public boolean isDefault()");
    String changed =
        scope.struct().fields().stream()
            .map(Defaults::isChangedTerm)
            .collect(Collectors.joining("\n || "));
    if (changed.isEmpty()) {
      out.line("return true;");
    } else {
      lines("return !(", changed, ");");
    }
    out.close();
  }

  private void equality() {
    String name = scope.struct().name();
    out.line("@Override");
    out.open("public boolean equals(@Nullable Object other)");
    out.open("if (this == other)").line("return true;").close();
    out.open("if (!(other instanceof %s that))".formatted(name)).line("return false;").close();
    String same =
        scope.struct().fields().stream().map(this::isSame).collect(Collectors.joining("\n && "));
    if (same.isEmpty()) {
      out.line("return true;");
    } else {
      lines("return ", same, ";");
    }
    out.close();
  }

  private String isSame(FieldSpec field) {
    String name = field.javaName();
    if (field.isCreatedOnAccess()) {
      String has = "has" + field.capitalizedName() + "()";
      return "%s == that.%s && (!%s || this.%s.equals(that.%s))"
          .formatted(has, has, has, name, name);
    }
    String form = "Objects.equals(this.%s, that.%s)";
    if (field.type() == ScalarType.FLOAT64) {
      form = "Double.compare(this.%s, that.%s) == 0";
    } else if (field.type().isPrimitive()) {
      form = "this.%s == that.%s";
    } else if (field.type() == ScalarType.BYTES) {
      form = "Arrays.equals(this.%s, that.%s)";
    }
    return form.formatted(name, name);
  }

  private void hash() {
    out.line("@Override").open("public int hashCode()");
    out.line("int result = 1;");
    for (FieldSpec field : scope.struct().fields()) {
      out.line("result = 31 * result + %s;".formatted(hashOf(field)));
    }
    out.line("return result;").close();
  }

  private static String hashOf(FieldSpec field) {
    String name = "this." + field.javaName();
    if (field.isCreatedOnAccess()) {
      return "(has%s() ? %s.hashCode() : 0)".formatted(field.capitalizedName(), name);
    }
    if (field.type().isPrimitive()) {
      return "%s.hashCode(%s)".formatted(field.type().boxedType(), name);
    }
    return field.type() == ScalarType.BYTES
        ? "Arrays.hashCode(%s)".formatted(name)
        : "Objects.hashCode(%s)".formatted(name);
  }

  private void text() {
    List<FieldSpec> fields = scope.struct().fields();
    out.doc("All fields for a log; of byte arrays the length only, as they may hold secrets.");
    out.line("@Override").open("public String toString()");
    if (fields.isEmpty()) {
      out.line("return \"%s()\";".formatted(scope.struct().name())).close();
      return;
    }
    String parts =
        fields.stream()
            .map(field -> "%s=\" + %s".formatted(field.javaName(), shown(field)))
            .collect(Collectors.joining("\n + \", "));
    lines("return \"%s(".formatted(scope.struct().name()), parts, " + \")\";");
    out.close();
  }

  private static String shown(FieldSpec field) {
    String name = "this." + field.javaName();
    if (field.type() == ScalarType.BYTES) {
      return "(%s == null ? \"null\" : \"byte[\" + %s.length + \"]\")".formatted(name, name);
    }
    return field.isCreatedOnAccess()
        ? "(has%s() ? %s.toString() : \"default\")".formatted(field.capitalizedName(), name)
        : name;
  }

  private void lines(String head, String content, String tail) {
    String[] parts = content.split("\n");
    for (int i = 0; i < parts.length; i++) {
      out.line((i == 0 ? head : "   ") + parts[i] + (i == parts.length - 1 ? tail : ""));
    }
  }
}
