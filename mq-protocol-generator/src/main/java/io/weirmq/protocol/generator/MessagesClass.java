package io.weirmq.protocol.generator;

import java.util.Comparator;
import java.util.List;

/**
 * Writes the table from API keys to message classes.
 *
 * @param messages the messages that have a class
 * @param packageName where the table goes
 */
record MessagesClass(List<MessageSpec> messages, String packageName) {

  MessagesClass {
    messages =
        messages.stream()
            .filter(message -> message.apiKey().isPresent())
            .sorted(Comparator.comparingInt(m -> m.apiKey().orElseThrow()))
            .toList();
  }

  /** The whole source file. */
  String source() {
    SourceText body = new SourceText();
    body.doc("Makes and decodes the messages of an API. Stateless.");
    body.line("@Generated(\"io.weirmq.protocol.generator\")");
    body.open("public final class Messages").blank();
    body.line("private Messages() {}").blank();
    contains(body);
    make(body, MessageSpec.Kind.REQUEST, "Request");
    make(body, MessageSpec.Kind.RESPONSE, "Response");
    read(body, MessageSpec.Kind.REQUEST, "Request");
    read(body, MessageSpec.Kind.RESPONSE, "Response");
    body.open("private static IllegalArgumentException unknown(ApiKey key)");
    body.line(
        "return new IllegalArgumentException(\"no message classes are generated for \""
            + " + key.apiName());");
    body.close().close();
    return SourceFile.of(packageName, body.toString());
  }

  private List<MessageSpec> of(MessageSpec.Kind kind) {
    return messages.stream().filter(message -> message.kind() == kind).toList();
  }

  private static String constant(MessageSpec message) {
    return ApiKeyClass.constantName(message.apiName());
  }

  private void contains(SourceText body) {
    body.doc("Whether the API has message classes.");
    body.open("public static boolean contains(ApiKey key)");
    body.open("return switch (key)");
    for (MessageSpec message : of(MessageSpec.Kind.REQUEST)) {
      body.line("case %s -> true;".formatted(constant(message)));
    }
    body.line("default -> false;").close("};").close().blank();
  }

  private void make(SourceText body, MessageSpec.Kind kind, String what) {
    body.doc(
        "A new %s with all fields at their defaults."
            .formatted(what.toLowerCase(java.util.Locale.ROOT)),
        "@throws IllegalArgumentException where the API has no message classes");
    body.open("public static ApiMessage new%s(ApiKey key)".formatted(what));
    body.open("return switch (key)");
    for (MessageSpec message : of(kind)) {
      body.line("case %s -> new %s();".formatted(constant(message), message.name()));
    }
    body.line("default -> throw unknown(key);").close("};").close().blank();
  }

  private void read(SourceText body, MessageSpec.Kind kind, String what) {
    body.doc(
        "Decodes a %s.".formatted(what.toLowerCase(java.util.Locale.ROOT)),
        "@throws ProtocolException where the bytes are no such message, or the version does not"
            + " exist",
        "@throws IllegalArgumentException where the API has no message classes");
    body.open(
        "public static ApiMessage read%s(ApiKey key, ProtocolReader reader, short version)"
                .formatted(what)
            + " throws ProtocolException");
    body.open("return switch (key)");
    for (MessageSpec message : of(kind)) {
      body.line("case %s -> new %s(reader, version);".formatted(constant(message), message.name()));
    }
    body.line("default -> throw unknown(key);").close("};").close().blank();
  }
}
