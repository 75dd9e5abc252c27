package io.weirmq.protocol.generator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Generates the message classes of the protocol from its schemas.
 *
 * <p>Arguments: the list of messages, the folder for the sources, the folders of the schemas. The
 * list has one name a line: an API ({@code Fetch}: request and response) or one message ({@code
 * RequestHeader}); {@code #} begins a comment. All APIs that have a schema get into the enum of API
 * keys, those of the list get classes.
 */
public final class ProtocolGenerator {

  static final String PROTOCOL_PACKAGE = "io.weirmq.protocol";
  static final String MESSAGE_PACKAGE = PROTOCOL_PACKAGE + ".message";

  private final Map<String, MessageSpec> schemas;

  private ProtocolGenerator(Map<String, MessageSpec> schemas) {
    this.schemas = schemas;
  }

  /**
   * Runs the generator.
   *
   * @throws IOException where a file cannot be read or written
   * @throws SchemaException where a schema or the list is wrong
   */
  public static void main(String[] args) throws IOException {
    if (args.length < 3) {
      throw new IllegalArgumentException(
          "expected: <message list> <output folder> <schema folder>...; found " + args.length);
    }
    Path[] schemaFolders = Arrays.stream(args).skip(2).map(Path::of).toArray(Path[]::new);
    int written = open(schemaFolders).generate(Path.of(args[0]), Path.of(args[1]));
    if (written > 0) {
      System.out.println("protocol generator: " + written + " sources are new or changed");
    }
  }

  /** Reads all schemas of some folders. */
  static ProtocolGenerator open(Path... schemaFolders) throws IOException {
    SchemaParser parser = new SchemaParser();
    Map<String, MessageSpec> schemas = new LinkedHashMap<>();
    for (Path folder : schemaFolders) {
      for (Path file : schemaFiles(folder)) {
        String source = file.getFileName().toString();
        MessageSpec message = parser.parse(source, Files.readString(file, StandardCharsets.UTF_8));
        if (schemas.put(message.name(), message) != null) {
          throw new SchemaException("%s: there is another %s".formatted(file, message.name()));
        }
      }
    }
    return new ProtocolGenerator(schemas);
  }

  private static List<Path> schemaFiles(Path folder) throws IOException {
    try (Stream<Path> listed = Files.list(folder)) {
      return listed.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /**
   * Brings the output folder up to date.
   *
   * @return the number of files that were new or changed
   */
  int generate(Path messageList, Path outputFolder) throws IOException {
    List<MessageSpec> chosen = chosenMessages(messageList);
    GeneratedSources sources = new GeneratedSources(outputFolder);
    for (MessageSpec message : chosen) {
      String source = new MessageClass(message, MESSAGE_PACKAGE).source();
      sources.put(MESSAGE_PACKAGE, message.name(), source);
    }
    sources.put(
        PROTOCOL_PACKAGE,
        "ApiKey",
        new ApiKeyClass(List.copyOf(schemas.values()), PROTOCOL_PACKAGE).source());
    sources.put(MESSAGE_PACKAGE, "Messages", new MessagesClass(chosen, MESSAGE_PACKAGE).source());
    sources.deleteOthers();
    return sources.writtenCount();
  }

  private List<MessageSpec> chosenMessages(Path messageList) throws IOException {
    List<MessageSpec> chosen = new ArrayList<>();
    for (String line : Files.readAllLines(messageList, StandardCharsets.UTF_8)) {
      String name = line.replaceAll("#.*", "").strip();
      if (name.isEmpty()) {
        continue;
      }
      MessageSpec single = schemas.get(name);
      if (single != null) {
        chosen.add(single);
      } else {
        chosen.add(schema(name, name + "Request"));
        chosen.add(schema(name, name + "Response"));
      }
    }
    return chosen;
  }

  private MessageSpec schema(String listed, String name) {
    MessageSpec message = schemas.get(name);
    if (message == null || message.validVersions().isEmpty()) {
      throw new SchemaException(
          "the list names \"%s\", but there is no schema %s.json with versions"
              .formatted(listed, name));
    }
    return message;
  }
}
