package io.weirmq.protocol.oracle;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Random contents of a message, made and encoded by the oracle's schema of one version. */
final class RandomWire {

  private static final int DEEP = 2;

  private final Random random;

  RandomWire(long seed) {
    this.random = new Random(seed);
  }

  ByteBuffer next(Schema schema) {
    Struct struct = struct(schema, 0);
    ByteBuffer bytes = ByteBuffer.allocate(schema.sizeOf(struct));
    schema.write(bytes, struct);
    return bytes.flip();
  }

  private Struct struct(Schema schema, int depth) {
    Struct struct = new Struct(schema);
    for (BoundField field : schema.fields()) {
      struct.set(field, value(field.def.type, depth));
    }
    return struct;
  }

  private Object value(Type type, int depth) {
    if (type.isNullable() && random.nextInt(4) == 0) {
      return null;
    }
    if (type instanceof TaggedFields tagged) {
      return tagged(tagged, depth);
    }
    if (type instanceof Schema schema) {
      return struct(schema, depth + 1);
    }
    if (type.isArray()) {
      Type element = type.arrayElementType().orElseThrow();
      Object[] values = new Object[count(depth)];
      for (int i = 0; i < values.length; i++) {
        values[i] = value(element, depth + 1);
      }
      return values;
    }
    return scalar(type);
  }

  private Object tagged(TaggedFields tagged, int depth) {
    TreeMap<Integer, Object> values = new TreeMap<>();
    for (var entry : tagged.fields().entrySet()) {
      Field field = entry.getValue();
      if (random.nextBoolean()) {
        values.put(entry.getKey(), value(field.type, depth));
      }
    }
    return values;
  }

  /** Mostly few, sometimes as many as make the count's varint longer. */
  private int count(int depth) {
    int dice = random.nextInt(100);
    if (dice < 3 && depth < DEEP) {
      return 100 + random.nextInt(60);
    }
    return dice < 20 ? 0 : random.nextInt(4);
  }

  private Object scalar(Type type) {
    return switch (type.toString().replace("COMPACT_", "").replace("NULLABLE_", "")) {
      case "BOOLEAN" -> random.nextBoolean();
      case "INT8" -> (byte) integer();
      case "INT16" -> (short) integer();
      case "UINT16" -> (int) integer() & 0xFFFF;
      case "INT32" -> (int) integer();
      case "UINT32" -> integer() & 0xFFFF_FFFFL;
      case "INT64" -> integer();
      case "FLOAT64" -> random.nextGaussian();
      case "UUID" ->
          random.nextInt(4) == 0 ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
      case "STRING" -> string();
      case "BYTES" -> ByteBuffer.wrap(bytes());
      case "RECORDS" -> MemoryRecords.readableRecords(ByteBuffer.wrap(bytes()));
      default -> throw new AssertionError("no random value for type " + type);
    };
  }

  /** Often one of the values that defaults have. */
  private long integer() {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> -1;
      default -> random.nextLong();
    };
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(400) : random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private String string() {
    int length = random.nextInt(8) == 0 ? random.nextInt(200) : random.nextInt(12);
    boolean ascii = random.nextInt(3) > 0;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(ascii ? ' ' + random.nextInt(95) : anyCodePoint());
    }
    return text.toString();
  }

  private int anyCodePoint() {
    int codePoint = random.nextInt(Character.MAX_CODE_POINT + 1);
    boolean isSurrogate =
        codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    return isSurrogate ? 'é' : codePoint;
  }
}
