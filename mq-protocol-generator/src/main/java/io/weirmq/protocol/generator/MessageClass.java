package io.weirmq.protocol.generator;

/**
 * Writes the class of a message, its structs nested in it.
 *
 * @param message the message
 * @param packageName where the class goes
 */
record MessageClass(MessageSpec message, String packageName) {

  /** The whole source file. */
  String source() {
    SourceText body = new SourceText();
    head(body);
    structBody(new StructScope(message, message.root()), body);
    for (StructSpec struct : message.structs()) {
      body.blank();
      body.doc(structDoc(struct), "Confined to one thread, as its message is.");
      body.open("public static final class " + struct.name());
      body.blank();
      structBody(new StructScope(message, struct), body);
      body.close();
    }
    body.close();
    return SourceFile.of(packageName, body.toString());
  }

  private void head(SourceText body) {
    body.doc(
        "%s; versions %s, flexible %s.".formatted(title(), validText(), flexibleText()),
        "Mutable, with setters that return this. Confined to one thread at a time. Lists, arrays"
            + " and records are kept as given, not copied.",
        "Generated from " + message.name() + ".json of the protocol's schemas.");
    body.line("@Generated(\"io.weirmq.protocol.generator\")");
    body.open("public final class %s implements ApiMessage".formatted(message.name()));
    body.blank();
    body.doc("The lowest version that exists.");
    body.line(
        "public static final short LOWEST_VERSION = %d;"
            .formatted(message.validVersions().lowest()));
    body.blank();
    body.doc("The highest version that exists.");
    body.line(
        "public static final short HIGHEST_VERSION = %d;"
            .formatted(message.validVersions().highest()));
    body.blank();
  }

  private String title() {
    return switch (message.kind()) {
      case REQUEST ->
          "The request of API key %d, %s"
              .formatted(message.apiKey().orElseThrow(), message.apiName());
      case RESPONSE ->
          "The response of API key %d, %s"
              .formatted(message.apiKey().orElseThrow(), message.apiName());
      case HEADER -> "The header " + message.name();
      case DATA -> "The data " + message.name();
    };
  }

  private String validText() {
    return message.validVersions().toString();
  }

  private String flexibleText() {
    Versions flexible = message.flexibleVersions();
    return flexible.isEmpty() ? "never" : flexible.toString();
  }

  private static String structDoc(StructSpec struct) {
    String about = struct.about().strip();
    return about.isEmpty() ? "A part of the message." : about;
  }

  private static void structBody(StructScope scope, SourceText body) {
    AccessorCode accessors = new AccessorCode(scope, body);
    accessors.writeFields();
    body.blank();
    accessors.writeDefaultConstructor();
    body.blank();
    new ReadingCode(scope, body).write();
    body.blank();
    if (scope.isRoot()) {
      versionMethods(body);
    }
    new WritingCode(scope, body).write();
    accessors.writeAccessors();
    body.blank();
    new ObjectMethodsCode(scope, body).write();
  }

  private static void versionMethods(SourceText body) {
    body.line("@Override").open("public short lowestVersion()");
    body.line("return LOWEST_VERSION;").close().blank();
    body.line("@Override").open("public short highestVersion()");
    body.line("return HIGHEST_VERSION;").close().blank();
  }
}
