package io.weirmq.protocol.oracle;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.message.Messages;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.Schema;

/**
 * A message of ours beside the same message of kafka-clients, which is the oracle.
 *
 * @param schemas the oracle's description of the wire by version
 */
record OracleMessage(
    String name,
    Constructor<? extends ApiMessage> decoder,
    Constructor<? extends Message> oracle,
    List<Schema> schemas,
    short lowestVersion,
    short highestVersion) {

  private static final String OURS = "io.weirmq.protocol.message.";
  private static final String THEIRS = "org.apache.kafka.common.message.";

  /** All messages that are generated and that Kafka has too. */
  static List<OracleMessage> all() {
    List<OracleMessage> all = new ArrayList<>();
    all.add(named("RequestHeader", "RequestHeaderData"));
    all.add(named("ResponseHeader", "ResponseHeaderData"));
    all.add(named("ConsumerProtocolSubscription", "ConsumerProtocolSubscription"));
    all.add(named("ConsumerProtocolAssignment", "ConsumerProtocolAssignment"));
    for (ApiKey key : ApiKey.values()) {
      if (Messages.contains(key) && !key.isOwn()) {
        all.add(of(key, "Request"));
        all.add(of(key, "Response"));
      }
    }
    return all;
  }

  static OracleMessage of(ApiKey key, String requestOrResponse) {
    String name = key.apiName() + requestOrResponse;
    return named(name, name + "Data");
  }

  private static OracleMessage named(String name, String oracleName) {
    try {
      Class<? extends ApiMessage> ours = Class.forName(OURS + name).asSubclass(ApiMessage.class);
      Class<? extends Message> theirs =
          Class.forName(THEIRS + oracleName).asSubclass(Message.class);
      return new OracleMessage(
          name,
          ours.getConstructor(ProtocolReader.class, short.class),
          theirs.getConstructor(),
          Arrays.asList((Schema[]) theirs.getField("SCHEMAS").get(null)),
          theirs.getField("LOWEST_SUPPORTED_VERSION").getShort(null),
          theirs.getField("HIGHEST_SUPPORTED_VERSION").getShort(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  Schema schema(short version) {
    return schemas.get(version);
  }

  List<Short> versions() {
    return IntStream.rangeClosed(lowestVersion, highestVersion).mapToObj(v -> (short) v).toList();
  }

  /** Decodes with our class; the message must end where the bytes end. */
  ApiMessage decode(ByteBuffer bytes, short version) throws ProtocolException {
    ProtocolReader reader = new ProtocolReader(bytes);
    ApiMessage message = decode(reader, version);
    reader.endMessage();
    return message;
  }

  ApiMessage decode(ProtocolReader reader, short version) throws ProtocolException {
    try {
      return decoder.newInstance(reader, version);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof ProtocolException wrong) {
        throw wrong;
      }
      throw new AssertionError(name + " v" + version + ": " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  /** Decodes with the oracle's class. */
  Message decodeByOracle(ByteBuffer bytes, short version) {
    try {
      Message message = oracle.newInstance();
      message.read(new ByteBufferAccessor(bytes.duplicate()), version);
      return message;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  static ByteBuffer encodeByOracle(Message message, short version) {
    return MessageUtil.toByteBufferAccessor(message, version).buffer();
  }

  static ByteBuffer encode(ApiMessage message, short version) {
    ProtocolWriter writer = new ProtocolWriter(1);
    message.write(writer, version);
    return writer.toBuffer();
  }

  @Override
  public String toString() {
    return name;
  }
}
