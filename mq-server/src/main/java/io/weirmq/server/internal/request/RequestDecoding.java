package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.message.RequestHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * From the bytes of a frame to the row of the {@linkplain ApiTable registration table}, the context
 * and the body of a request. Safe for use by several threads.
 */
final class RequestDecoding {

  /** API key, API version and correlation id. */
  private static final int FIXED_HEADER_BYTES = 8;

  /**
   * The largest request that carries no records. Decoded it takes many times its size on the heap,
   * so that such requests get less than a frame may have.
   */
  static final int PLAIN_REQUEST_BYTES_MAX = 4 * 1024 * 1024;

  private final ApiTable apis;
  private final StringInterner names;

  /**
   * Makes a decoding by a table.
   *
   * @param names topic names that are remembered over requests
   */
  RequestDecoding(ApiTable apis, StringInterner names) {
    this.apis = apis;
    this.names = names;
  }

  /**
   * A request as its handler gets it.
   *
   * @param entry who answers it
   * @param context who asks, and in which version the answer is encoded
   * @param body null where the version is not known and {@link VersionNegotiation} answers that
   */
  record Decoded<Q extends ApiMessage, P extends ApiMessage>(
      ApiTable.Entry<Q, P> entry, RequestContext context, @Nullable Q body) {}

  /**
   * Reads a request.
   *
   * @param frame borrowed, neither its position nor its limit is moved; {@code records} fields of
   *     the body are slices of it
   * @param client sent the frame
   * @throws BadRequestException where it is not served, not to this client, or can't be read
   */
  Decoded<?, ?> decode(ByteBuffer frame, ClientConnection client) throws BadRequestException {
    if (frame.remaining() < FIXED_HEADER_BYTES) {
      throw new BadRequestException(
          "a request of " + frame.remaining() + " bytes, too short for a header");
    }
    short apiKey = frame.getShort(frame.position());
    short version = frame.getShort(frame.position() + Short.BYTES);
    ApiTable.Entry<?, ?> entry = apis.entry(apiKey);
    if (entry == null || !entry.isFor(client)) {
      throw new BadRequestException("API key " + apiKey + " v" + version + ", which is not served");
    }
    if (frame.remaining() > PLAIN_REQUEST_BYTES_MAX && !(entry.handler() instanceof FrameHandler)) {
      throw new BadRequestException(
          "%s v%d of %d bytes; the limit of requests without records is %d"
              .formatted(
                  entry.key().apiName(), version, frame.remaining(), PLAIN_REQUEST_BYTES_MAX));
    }
    if (entry.serves(version)) {
      return decode(entry, version, frame, client);
    }
    if (entry.handler() instanceof VersionNegotiation) {
      return ofUnknownVersion(entry, frame, client);
    }
    throw new BadRequestException(
        "%s v%d; served versions are %d to %d"
            .formatted(entry.key().apiName(), version, entry.minVersion(), entry.maxVersion()));
  }

  private <Q extends ApiMessage, P extends ApiMessage> Decoded<Q, P> decode(
      ApiTable.Entry<Q, P> entry, short version, ByteBuffer frame, ClientConnection client)
      throws BadRequestException {
    try {
      ProtocolReader reader = new ProtocolReader(frame, names);
      RequestHeader header = new RequestHeader(reader, entry.key().requestHeaderVersion(version));
      RequestContext context = contextOf(header, version, client);
      return new Decoded<>(entry, context, entry.decoder().decode(reader, version));
    } catch (ProtocolException e) {
      throw new BadRequestException(
          "%s v%d: %s".formatted(entry.key().apiName(), version, e.getMessage()));
    }
  }

  private static RequestContext contextOf(
      RequestHeader header, short version, ClientConnection client) {
    String clientId = header.clientId();
    return new RequestContext(
        version, header.correlationId(), clientId == null ? "" : clientId, client);
  }

  /**
   * A request of a version that is not known: its body is not looked at, and its answer has the
   * form of version 0, which every client can read.
   */
  private static <Q extends ApiMessage, P extends ApiMessage> Decoded<Q, P> ofUnknownVersion(
      ApiTable.Entry<Q, P> entry, ByteBuffer frame, ClientConnection client) {
    int correlationId = frame.getInt(frame.position() + 2 * Short.BYTES);
    return new Decoded<>(entry, new RequestContext((short) 0, correlationId, "", client), null);
  }
}
