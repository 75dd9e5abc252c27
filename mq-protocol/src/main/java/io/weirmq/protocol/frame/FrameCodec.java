package io.weirmq.protocol.frame;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.StringInterner;
import io.weirmq.transport.OutboundFrame;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Goes between frames and requests or responses, for servers and for clients.
 *
 * <pre>
 *   request frame   = api key int16, version int16, correlation id int32, client id (int16 length),
 *                     tagged fields where the version is flexible, message
 *   response frame  = correlation id int32, tagged fields where the version is flexible (never for
 *                     ApiVersions), message
 * </pre>
 *
 * <p>A server opens a request, looks at its API and version, and then reads the message. A client
 * opens a response, finds by its correlation id what was asked, and then reads the message. Safe
 * for use by several threads.
 */
public final class FrameCodec {

  private static final Runnable NOTHING_TO_RELEASE = () -> {};

  private final @Nullable StringInterner names;

  /** Makes a codec that makes each string anew. */
  public FrameCodec() {
    this.names = null;
  }

  /**
   * Makes a codec that takes topic names and client ids from a table.
   *
   * @param names may be shared with other codecs
   */
  public FrameCodec(StringInterner names) {
    this.names = names;
  }

  /**
   * Reads the header of a request.
   *
   * <p>The API may be one without message classes, and the version one that does not exist: it is
   * for the caller to decide what to answer.
   *
   * @param frame borrowed for the life of the request, from its position to its limit, big-endian;
   *     not moved
   * @throws ProtocolException where the API key is unknown or the header is cut short; the
   *     connection cannot go on
   */
  public IncomingRequest openRequest(ByteBuffer frame) throws ProtocolException {
    ProtocolReader reader = new ProtocolReader(frame, names);
    short id = reader.readInt16("RequestHeader.RequestApiKey");
    short version = reader.readInt16("RequestHeader.RequestApiVersion");
    ApiKey apiKey = ApiKey.forId(id);
    if (apiKey == null) {
      throw new ProtocolException("request for the unknown API key %d".formatted(id));
    }
    int correlationId = reader.readInt32("RequestHeader.CorrelationId");
    String clientId = reader.readNullableName("RequestHeader.ClientId", false);
    if (apiKey.requestHeaderVersion(version) >= 2) {
      reader.skipTaggedFields("RequestHeader");
    }
    return new IncomingRequest(
        apiKey, version, correlationId, clientId == null ? "" : clientId, reader);
  }

  /**
   * Reads the header of a response, as far as it is the same for all.
   *
   * @param frame borrowed for the life of the response, from its position to its limit, big-endian;
   *     not moved
   * @throws ProtocolException where there is no whole correlation id
   */
  public IncomingResponse openResponse(ByteBuffer frame) throws ProtocolException {
    ProtocolReader reader = new ProtocolReader(frame, names);
    int correlationId = reader.readInt32("ResponseHeader.CorrelationId");
    return new IncomingResponse(correlationId, frame, names);
  }

  /**
   * Encodes a request.
   *
   * @param clientId may be null; brokers take that for an empty one
   * @param message its records become parts of the frame, uncopied
   * @return a frame that releases the file slices of the message
   * @throws io.weirmq.protocol.UnsupportedVersionException where the version does not exist
   * @throws io.weirmq.protocol.UnsupportedFieldException where the version cannot carry a value;
   *     the message's records then stay the caller's
   */
  public OutboundFrame encodeRequest(
      ApiKey apiKey,
      short version,
      int correlationId,
      @Nullable String clientId,
      ApiMessage message) {
    ProtocolWriter writer = new ProtocolWriter();
    writer.writeInt16(apiKey.id());
    writer.writeInt16(version);
    writer.writeInt32(correlationId);
    writer.writeNullableString(clientId, false);
    if (apiKey.requestHeaderVersion(version) >= 2) {
      writer.writeUnsignedVarint(0);
    }
    message.write(writer, version);
    return writer.toFrame();
  }

  /**
   * Encodes a response whose records need no release beyond that of their file slices.
   *
   * @see #encodeResponse(ApiKey, short, int, ApiMessage, Runnable)
   */
  public OutboundFrame encodeResponse(
      ApiKey apiKey, short version, int correlationId, ApiMessage message) {
    return encodeResponse(apiKey, version, correlationId, message, NOTHING_TO_RELEASE);
  }

  /**
   * Encodes a response.
   *
   * @param message its records become parts of the frame, uncopied
   * @param onRelease run once after the frame was sent or dropped
   * @return a frame that releases the file slices of the message
   * @throws io.weirmq.protocol.UnsupportedVersionException where the version does not exist
   * @throws io.weirmq.protocol.UnsupportedFieldException where the version cannot carry a value;
   *     the message's records then stay the caller's
   */
  public OutboundFrame encodeResponse(
      ApiKey apiKey, short version, int correlationId, ApiMessage message, Runnable onRelease) {
    ProtocolWriter writer = new ProtocolWriter();
    writer.writeInt32(correlationId);
    if (apiKey.responseHeaderVersion(version) >= 1) {
      writer.writeUnsignedVarint(0);
    }
    message.write(writer, version);
    return writer.toFrame(onRelease);
  }
}
