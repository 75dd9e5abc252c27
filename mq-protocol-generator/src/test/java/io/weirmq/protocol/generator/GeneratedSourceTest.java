package io.weirmq.protocol.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes out for a small schema. A change of the golden files is a change of every message:
 * read their difference before you accept it.
 */
class GeneratedSourceTest {

  private static final String RESPONSE =
      """
      { "apiKey": 3, "type": "response", "name": "SampleResponse", "validVersions": "1-4",
        "flexibleVersions": "3+", "fields": [] }
      """;
  private static final String API_VERSIONS =
      """
      { "apiKey": 18, "type": "%s", "name": "ApiVersions%s", "validVersions": "0-4",
        "flexibleVersions": "3+", "fields": [] }
      """;

  @TempDir Path folder;

  private static String resource(String name) throws IOException {
    try (InputStream in = GeneratedSourceTest.class.getResourceAsStream("/golden/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private ProtocolGenerator generator() throws IOException {
    Path schemas = Files.createDirectories(folder.resolve("schemas"));
    Files.writeString(schemas.resolve("SampleRequest.json"), resource("SampleRequest.json"));
    Files.writeString(schemas.resolve("SampleResponse.json"), RESPONSE);
    Files.writeString(
        schemas.resolve("ApiVersionsRequest.json"), API_VERSIONS.formatted("request", "Request"));
    Files.writeString(
        schemas.resolve("ApiVersionsResponse.json"),
        API_VERSIONS.formatted("response", "Response"));
    return ProtocolGenerator.open(schemas);
  }

  private Path list(String content) throws IOException {
    return Files.writeString(folder.resolve("messages.txt"), content);
  }

  @Test
  void writesTheGoldenMessage() throws IOException {
    MessageSpec message =
        new SchemaParser().parse("SampleRequest.json", resource("SampleRequest.json"));

    assertThat(new MessageClass(message, "io.weirmq.protocol.message").source())
        .isEqualTo(resource("SampleRequest.java.txt"));
  }

  @Test
  void writesTheChosenMessagesAndAllApiKeys() throws IOException {
    Path out = folder.resolve("out/io/weirmq/protocol");

    int written = generator().generate(list("# comment\nSample # both\n"), folder.resolve("out"));

    assertThat(written).isEqualTo(4);
    assertThat(out.resolve("message/SampleRequest.java")).exists();
    assertThat(out.resolve("message/SampleResponse.java")).exists();
    assertThat(out.resolve("message/ApiVersionsRequest.java")).doesNotExist();
    assertThat(out.resolve("message/Messages.java"))
        .content()
        .contains("case SAMPLE -> new SampleRequest(reader, version);")
        .doesNotContain("ApiVersions");
    assertThat(out.resolve("ApiKey.java"))
        .content()
        .contains("SAMPLE(3, \"Sample\", 1, 4, 3, false),")
        .contains("API_VERSIONS(18, \"ApiVersions\", 0, 4, 3, false);");
  }

  @Test
  void leavesFilesAloneThatDoNotChangeAndDeletesStaleOnes() throws IOException {
    Path out = folder.resolve("out");
    generator().generate(list("Sample\nApiVersions\n"), out);
    Path request = out.resolve("io/weirmq/protocol/message/SampleRequest.java");
    Path gone = out.resolve("io/weirmq/protocol/message/ApiVersionsRequest.java");
    FileTime longAgo = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(request, longAgo);
    assertThat(gone).exists();

    assertThat(generator().generate(list("Sample\nApiVersions\n"), out)).isZero();
    assertThat(generator().generate(list("Sample\n"), out)).as("Messages").isEqualTo(1);

    assertThat(Files.getLastModifiedTime(request)).isEqualTo(longAgo);
    assertThat(gone).doesNotExist();
  }

  @Test
  void refusesNamesWithoutASchema() throws IOException {
    Path list = list("Sample\nNothing\n");

    assertThatThrownBy(() -> generator().generate(list, folder.resolve("out")))
        .isInstanceOf(SchemaException.class)
        .hasMessage(
            "the list names \"Nothing\", but there is no schema NothingRequest.json with versions");
    assertThatThrownBy(() -> ProtocolGenerator.main(new String[] {"one"}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
