package io.weirmq.protocol.generator;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the enum of all API keys, including those that have no message class here.
 *
 * @param messages all messages that have a schema
 * @param packageName where the enum goes
 */
record ApiKeyClass(List<MessageSpec> messages, String packageName) {

  /** Numbers from here on are WeirMQ's own; Kafka counts from 0 and is far from it. */
  private static final int FIRST_OWN_ID = 10_000;

  /** Versions run from 0, so that this is never reached. */
  private static final int NEVER = Short.MAX_VALUE;

  ApiKeyClass {
    messages = List.copyOf(messages);
  }

  /** The name of an API as an enum constant: {@code ListOffsets} becomes {@code LIST_OFFSETS}. */
  static String constantName(String apiName) {
    return apiName.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
  }

  /** The whole source file. */
  String source() {
    SourceText body = new SourceText();
    body.doc(
        "The APIs of the protocol with their numbers and versions, also those that are not served.",
        "The versions are those that the schemas know, not those that a broker offers. Immutable.");
    body.line("@Generated(\"io.weirmq.protocol.generator\")");
    body.open("public enum ApiKey");
    constants(body);
    body.blank();
    fields(body);
    lookup(body);
    accessors(body);
    headerVersions(body);
    body.close();
    return SourceFile.of(packageName, body.toString());
  }

  private void constants(SourceText body) {
    Map<Integer, MessageSpec> responses =
        messages.stream()
            .filter(message -> message.kind() == MessageSpec.Kind.RESPONSE)
            .collect(Collectors.toMap(m -> m.apiKey().orElseThrow(), m -> m));
    List<MessageSpec> requests =
        messages.stream()
            .filter(message -> message.kind() == MessageSpec.Kind.REQUEST)
            .sorted(Comparator.comparingInt(m -> m.apiKey().orElseThrow()))
            .toList();
    for (int i = 0; i < requests.size(); i++) {
      MessageSpec request = requests.get(i);
      checkAgree(request, responses.get(request.apiKey().orElseThrow()));
      Versions flexible = request.flexibleVersions();
      body.doc(
          request.validVersions().isEmpty()
              ? "%s; withdrawn.".formatted(request.apiName())
              : "%s, versions %s.".formatted(request.apiName(), request.validVersions()));
      body.line(
          "%s(%d, \"%s\", %d, %d, %d, %b)%s"
              .formatted(
                  constantName(request.apiName()),
                  request.apiKey().orElseThrow(),
                  request.apiName(),
                  request.validVersions().lowest(),
                  request.validVersions().highest(),
                  flexible.isEmpty() ? NEVER : flexible.lowest(),
                  request.latestVersionUnstable(),
                  i == requests.size() - 1 ? ";" : ","));
    }
  }

  private static void checkAgree(MessageSpec request, @Nullable MessageSpec response) {
    if (response == null
        || !response.validVersions().equals(request.validVersions())
        || !response.flexibleVersions().equals(request.flexibleVersions())) {
      throw new SchemaException(
          "%s: the versions of request and response differ".formatted(request.apiName()));
    }
  }

  private static void fields(SourceText body) {
    body.line("private static final ApiKey[] BY_ID = byId();").blank();
    body.line("private final short id;");
    body.line("private final String apiName;");
    body.line("private final short lowestVersion;");
    body.line("private final short highestVersion;");
    body.line("private final short firstFlexibleVersion;");
    body.line("private final boolean latestVersionUnstable;").blank();
    body.open(
        "ApiKey(int id, String apiName, int lowestVersion, int highestVersion,"
            + " int firstFlexibleVersion, boolean latestVersionUnstable)");
    body.line("this.id = (short) id;");
    body.line("this.apiName = apiName;");
    body.line("this.lowestVersion = (short) lowestVersion;");
    body.line("this.highestVersion = (short) highestVersion;");
    body.line("this.firstFlexibleVersion = (short) firstFlexibleVersion;");
    body.line("this.latestVersionUnstable = latestVersionUnstable;").close().blank();
  }

  private static void lookup(SourceText body) {
    body.open("private static ApiKey[] byId()");
    body.line("ApiKey[] all = values();");
    body.line("ApiKey[] table = new ApiKey[all[all.length - 1].id + 1];");
    body.open("for (ApiKey key : all)").line("table[key.id] = key;").close();
    body.line("return table;").close().blank();
    body.doc("The API of that number, or null where none is known.");
    body.open("public static @Nullable ApiKey forId(int id)");
    body.line("return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;").close().blank();
  }

  private static void accessors(SourceText body) {
    body.doc("The number on the wire.");
    body.open("public short id()").line("return id;").close().blank();
    body.doc("The name as the protocol's documents write it: ListOffsets.");
    body.open("public String apiName()").line("return apiName;").close().blank();
    body.doc("Whether this API is WeirMQ's own, of which Kafka knows nothing.");
    body.open("public boolean isOwn()");
    body.line("return id >= %d;".formatted(FIRST_OWN_ID)).close().blank();
    body.doc("Whether the protocol still has this API; the others are known by number only.");
    body.open("public boolean hasVersions()");
    body.line("return lowestVersion <= highestVersion;").close().blank();
    body.doc("The lowest version that has a schema.");
    body.open("public short lowestVersion()").line("return lowestVersion;").close().blank();
    body.doc("The highest version that has a schema, which may still be unstable.");
    body.open("public short highestVersion()").line("return highestVersion;").close().blank();
    body.doc("The highest version that will not change.");
    body.open("public short highestStableVersion()");
    body.line("return latestVersionUnstable ? (short) (highestVersion - 1) : highestVersion;");
    body.close().blank();
    body.doc("Whether a schema exists for this version.");
    body.open("public boolean hasVersion(int version)");
    body.line("return version >= lowestVersion && version <= highestVersion;").close().blank();
    body.doc("Whether lengths are compact and fields may be tagged; also for unknown versions.");
    body.open("public boolean isFlexible(int version)");
    body.line("return version >= firstFlexibleVersion;").close().blank();
  }

  private static void headerVersions(SourceText body) {
    body.doc("The version of the header before a request of this version: 2 or 1.");
    body.open("public short requestHeaderVersion(int version)");
    body.line("return (short) (isFlexible(version) ? 2 : 1);").close().blank();
    body.doc(
        "The version of the header before a response of this version: 1 or 0.",
        "Always 0 for ApiVersions, which a client must be able to read before it knows anything.");
    body.open("public short responseHeaderVersion(int version)");
    body.line("return (short) (isFlexible(version) && this != API_VERSIONS ? 1 : 0);").close();
  }
}
