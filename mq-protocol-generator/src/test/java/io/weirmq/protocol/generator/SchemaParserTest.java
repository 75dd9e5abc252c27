package io.weirmq.protocol.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaParserTest {

  private final SchemaParser parser = new SchemaParser();

  private MessageSpec parse(String fields) {
    return parser.parse(
        "X.json",
        """
        // A comment.
        { "apiKey": 7, "type": "request", "name": "XRequest", "validVersions": "1-4",
          // Another one.
          "flexibleVersions": "3+", "fields": [%s] }
        """
            .formatted(fields));
  }

  @Test
  void readsAMessage() {
    MessageSpec message =
        parse(
            """
            { "name": "Topics", "type": "[]Topic", "versions": "2+", "nullableVersions": "3+",
              "about": "The topics.", "fields": [
                { "name": "Name", "type": "string", "versions": "0+", "entityType": "topicName" },
                { "name": "Hint", "type": "int32", "versions": "3+", "taggedVersions": "3+",
                  "tag": 4, "default": "-1", "ignorable": true } ] }
            """);

    assertThat(message.kind()).isEqualTo(MessageSpec.Kind.REQUEST);
    assertThat(message.apiKey()).isEqualTo(OptionalInt.of(7));
    assertThat(message.apiName()).isEqualTo("X");
    assertThat(message.validVersions()).isEqualTo(new Versions(1, 4));
    assertThat(message.root().fields()).hasSize(1);
    FieldSpec topics = message.root().fields().get(0);
    assertThat(topics.type()).isEqualTo(new FieldType.ArrayType(new FieldType.StructType("Topic")));
    assertThat(topics.isNullable()).isTrue();
    StructSpec topic = message.struct("Topic");
    assertThat(topic.versions()).isEqualTo(new Versions(2, 4));
    assertThat(topic.fields().get(0).isTopicName()).isTrue();
    FieldSpec hint = topic.fields().get(1);
    assertThat(hint.tag()).isEqualTo(OptionalInt.of(4));
    assertThat(hint.ignorable()).isTrue();
    assertThat(topic.taggedFields()).containsExactly(hint);
  }

  @Test
  void readsMessagesThatWereWithdrawn() {
    MessageSpec message =
        parser.parse(
            "X.json",
            "{ \"apiKey\": 4, \"type\": \"request\", \"name\": \"X\", \"validVersions\": \"none\" }");

    assertThat(message.validVersions().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "{\"name\": \"A\", \"versions\": \"0+\"};\"type\" is missing in A",
        "{\"name\": \"A\", \"type\": \"int33\", \"versions\": \"0+\"};unknown type \"int33\"",
        "{\"name\": \"A\", \"type\": \"[][]int8\", \"versions\": \"0+\"};array of arrays",
        "{\"name\": \"A\", \"type\": \"B\", \"versions\": \"0+\"};has no struct \"B\"",
        "{\"name\": \"A\", \"type\": \"int8\", \"versions\": \"0+\", \"tag\": 1};both tag and",
        "{\"name\": \"A\", \"type\": \"int8\", \"versions\": \"0+\", \"fields\": []};is no struct",
        "{\"name\": \"A\", \"type\": \"int8\", \"versions\": \"0+\", \"odd\": 1};unknown key \"odd\"",
        "{\"name\": \"A\", \"type\": \"int8\", \"versions\": \"x\"};not a range of versions: \"x\""
      })
  void refusesWhatItDoesNotUnderstand(String field, String cause) {
    assertThatThrownBy(() -> parse(field))
        .isInstanceOf(SchemaException.class)
        .hasMessageStartingWith("X.json: ")
        .hasMessageContaining(cause);
  }

  @Test
  void refusesTextThatIsNoJson() {
    assertThatThrownBy(() -> parser.parse("X.json", "{"))
        .isInstanceOf(SchemaException.class)
        .hasMessageStartingWith("X.json: ");
  }

  @Test
  void refusesElementsThatMayBeEmpty() {
    MessageSpec message =
        parse(
            """
            { "name": "Topics", "type": "[]Topic", "versions": "1+", "fields": [
                { "name": "Late", "type": "int8", "versions": "4+" } ] }
            """);

    assertThatThrownBy(() -> new MessageClass(message, "p").source())
        .isInstanceOf(SchemaException.class)
        .hasMessage("XRequest: an element of type Topic may be empty");
  }

  @Test
  void takesTheSmallestElementOverAllVersions() {
    MessageSpec message =
        parse(
            """
            { "name": "Topics", "type": "[]Topic", "versions": "1+", "fields": [
                { "name": "Name", "type": "string", "versions": "1+" },
                { "name": "Ids", "type": "[]uuid", "versions": "1+" },
                { "name": "Count", "type": "int64", "versions": "1-2" } ] }
            """);
    MinimumSize size = new MinimumSize(message);
    FieldType topic = new FieldType.StructType("Topic");

    assertThat(size.of(topic, new Versions(1, 2))).isEqualTo(2 + 4 + 8);
    assertThat(size.of(topic, new Versions(1, 4))).isEqualTo(1 + 1 + 1);
    assertThat(size.of(ScalarType.UUID, new Versions(1, 4))).isEqualTo(16);
  }
}
