package io.weirmq.protocol.generator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads message schemas: JSON with line comments.
 *
 * <p>Confined to one thread.
 */
final class SchemaParser {

  private static final Set<String> MESSAGE_KEYS =
      Set.of(
          "apiKey",
          "type",
          "name",
          "listeners",
          "validVersions",
          "flexibleVersions",
          "latestVersionUnstable",
          "commonStructs",
          "fields");

  private static final Set<String> STRUCT_KEYS = Set.of("name", "versions", "fields", "about");

  private static final Set<String> FIELD_KEYS =
      Set.of(
          "name",
          "type",
          "versions",
          "nullableVersions",
          "taggedVersions",
          "tag",
          "flexibleVersions",
          "default",
          "ignorable",
          "mapKey", // a hint for collections, which are plain lists here
          "zeroCopy", // a hint for byte arrays, which are copied here
          "entityType",
          "about",
          "fields");

  private final JsonMapper json =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

  /**
   * Reads a schema.
   *
   * @param source where the text is from, for errors
   * @throws SchemaException where the text is no schema that the generator understands
   */
  MessageSpec parse(String source, String text) {
    try {
      return parseMessage(json.readTree(text));
    } catch (JsonProcessingException | SchemaException e) {
      throw new SchemaException(source + ": " + e.getMessage(), e);
    }
  }

  private static MessageSpec parseMessage(JsonNode node) {
    checkKeys(node, MESSAGE_KEYS);
    String name = required(node, "name");
    MessageSpec.Kind kind =
        MessageSpec.Kind.valueOf(required(node, "type").toUpperCase(Locale.ROOT));
    Versions valid = Versions.parse(required(node, "validVersions"));
    Versions flexible =
        valid.isEmpty() ? Versions.NONE : Versions.parse(required(node, "flexibleVersions"));
    OptionalInt apiKey =
        node.has("apiKey") ? OptionalInt.of(node.get("apiKey").intValue()) : OptionalInt.empty();

    Structs structs = new Structs();
    for (JsonNode common : node.path("commonStructs")) {
      checkKeys(common, STRUCT_KEYS);
      Versions versions = Versions.parse(required(common, "versions")).intersect(valid);
      structs.add(required(common, "name"), versions, common, "");
    }
    List<FieldSpec> fields = structs.parseFields(node, valid);
    StructSpec root = new StructSpec(name, valid, fields, "");
    MessageSpec message =
        new MessageSpec(
            name,
            kind,
            apiKey,
            valid,
            flexible,
            node.path("latestVersionUnstable").asBoolean(false),
            root,
            structs.inOrder());
    checkStructsExist(message);
    return message;
  }

  private static void checkStructsExist(MessageSpec message) {
    checkStructsExist(message, message.root());
    for (StructSpec struct : message.structs()) {
      checkStructsExist(message, struct);
    }
  }

  private static void checkStructsExist(MessageSpec message, StructSpec struct) {
    for (FieldSpec field : struct.fields()) {
      FieldType type =
          field.type() instanceof FieldType.ArrayType array ? array.element() : field.type();
      if (type instanceof FieldType.StructType structType) {
        message.struct(structType.name());
      }
    }
  }

  /** An unknown key may change the wire: better to stop than to generate a wrong codec. */
  private static void checkKeys(JsonNode node, Set<String> known) {
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                throw new SchemaException(
                    "unknown key \"%s\" in %s".formatted(key, node.path("name").asText("?")));
              }
            });
  }

  private static String required(JsonNode node, String key) {
    JsonNode value = node.get(key);
    if (value == null) {
      throw new SchemaException(
          "\"%s\" is missing in %s".formatted(key, node.path("name").asText("the message")));
    }
    return value.asText();
  }

  /** The structs of one message, collected while its fields are read. */
  private static final class Structs {

    private final Map<String, @Nullable StructSpec> byName = new LinkedHashMap<>();

    /** Reads a struct's fields and keeps it; its place comes before the structs inside it. */
    void add(String name, Versions versions, JsonNode node, String about) {
      if (byName.containsKey(name)) {
        throw new SchemaException("struct \"" + name + "\" is defined twice");
      }
      byName.put(name, null);
      byName.put(name, new StructSpec(name, versions, parseFields(node, versions), about));
    }

    List<StructSpec> inOrder() {
      List<StructSpec> structs = new ArrayList<>();
      for (StructSpec struct : byName.values()) {
        if (struct != null) {
          structs.add(struct);
        }
      }
      return structs;
    }

    List<FieldSpec> parseFields(JsonNode owner, Versions context) {
      List<FieldSpec> fields = new ArrayList<>();
      for (JsonNode node : owner.path("fields")) {
        fields.add(parseField(node, context));
      }
      return fields;
    }

    private FieldSpec parseField(JsonNode node, Versions context) {
      checkKeys(node, FIELD_KEYS);
      String name = required(node, "name");
      FieldType type = FieldType.parse(required(node, "type"));
      Versions versions = Versions.parse(required(node, "versions"));
      Versions tagged = Versions.parse(node.path("taggedVersions").asText("none"));
      OptionalInt tag =
          node.has("tag") ? OptionalInt.of(node.get("tag").intValue()) : OptionalInt.empty();
      if (tag.isPresent() == tagged.isEmpty()) {
        throw new SchemaException("field " + name + " needs both tag and taggedVersions");
      }
      if (!tagged.isEmpty() && tagged.highest() != Versions.OPEN) {
        throw new SchemaException("field " + name + ": taggedVersions must have no end");
      }
      String about = node.path("about").asText("");
      if (node.has("fields")) {
        addInline(name, type, versions.intersect(context), node, about);
      }
      return new FieldSpec(
          name,
          type,
          versions,
          Versions.parse(node.path("nullableVersions").asText("none")),
          tagged,
          tag,
          node.has("flexibleVersions") ? Versions.parse(required(node, "flexibleVersions")) : null,
          node.path("default").asText(""),
          node.path("ignorable").asBoolean(false),
          node.path("entityType").asText("").equals("topicName"),
          about);
    }

    private void addInline(
        String fieldName, FieldType type, Versions versions, JsonNode node, String about) {
      FieldType target = type instanceof FieldType.ArrayType array ? array.element() : type;
      if (!(target instanceof FieldType.StructType struct)) {
        throw new SchemaException("field " + fieldName + " has fields but is no struct");
      }
      add(struct.name(), versions, node, about);
    }
  }
}
