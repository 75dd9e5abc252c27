package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Kafka's own message classes, from objects to frames and from frames to JSON. */
final class MessageCodec {
  private MessageCodec() {}

  /** Header and body of a request, ready to be framed. */
  static ByteBuffer encodeRequest(
      ApiMessage request, short version, int correlationId, String clientId) {
    ApiMessageType api = ApiMessageType.fromApiKey(request.apiKey());
    short headerVersion = api.requestHeaderVersion(version);
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey(request.apiKey())
            .setRequestApiVersion(version)
            .setCorrelationId(correlationId)
            .setClientId(clientId);
    return concatenate(encode(header, headerVersion), encode(request, version));
  }

  static ByteBuffer encode(Message message, short version) {
    ObjectSerializationCache cache = new ObjectSerializationCache();
    MessageSizeAccumulator size = new MessageSizeAccumulator();
    message.addSize(size, cache, version);
    ByteBufferAccessor accessor = new ByteBufferAccessor(ByteBuffer.allocate(size.totalSize()));
    message.write(accessor, cache, version);
    accessor.flip();
    return accessor.buffer();
  }

  private static ByteBuffer concatenate(ByteBuffer first, ByteBuffer second) {
    ByteBuffer all = ByteBuffer.allocate(first.remaining() + second.remaining());
    return all.put(first).put(second).flip();
  }

  /**
   * Decodes a response frame and checks its correlation id and that nothing is left over.
   *
   * @throws IllegalStateException if the frame does not fit
   */
  static ApiMessage decodeResponse(
      short apiKey, short version, int correlationId, ByteBuffer frame) {
    ApiMessageType api = ApiMessageType.fromApiKey(apiKey);
    ByteBufferAccessor accessor = new ByteBufferAccessor(frame);
    ResponseHeaderData header =
        new ResponseHeaderData(accessor, api.responseHeaderVersion(version));
    if (header.correlationId() != correlationId) {
      throw new IllegalStateException(
          "correlation id " + header.correlationId() + ", expected " + correlationId);
    }
    ApiMessage response = api.newResponse();
    response.read(accessor, version);
    if (frame.hasRemaining()) {
      throw new IllegalStateException(frame.remaining() + " bytes after the response");
    }
    return response;
  }

  /** All fields that the version has, by Kafka's own converter; record sets as their size. */
  static JsonNode toJson(ApiMessage message, short version) {
    try {
      Class<?> converter = Class.forName(message.getClass().getName() + "JsonConverter");
      return (JsonNode)
          converter
              .getMethod("write", message.getClass(), short.class, boolean.class)
              .invoke(null, message, version, false);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("cannot show " + message, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no converter for " + message.getClass(), e);
    }
  }
}
