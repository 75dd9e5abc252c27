package io.weirmq.protocol.frame;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.message.Messages;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A response whose correlation id has been read.
 *
 * <p>Valid as long as its frame. Confined to one thread at a time.
 */
public final class IncomingResponse {

  private final int correlationId;
  private final ByteBuffer frame;
  private final @Nullable StringInterner names;

  IncomingResponse(int correlationId, ByteBuffer frame, @Nullable StringInterner names) {
    this.correlationId = correlationId;
    this.frame = frame;
    this.names = names;
  }

  /** Which request this answers. */
  public int correlationId() {
    return correlationId;
  }

  /**
   * Reads the message. May be called again with another version: a broker that does not know the
   * version of an ApiVersions request answers in version 0.
   *
   * @param apiKey the API that was asked for
   * @param version the version that was asked for
   * @return the message; its records are slices of the frame
   * @throws ProtocolException where the bytes are no such message
   * @throws IllegalArgumentException where the API has no message classes
   */
  public ApiMessage readMessage(ApiKey apiKey, short version) throws ProtocolException {
    ProtocolReader reader = new ProtocolReader(frame, names);
    reader.readInt32("ResponseHeader.CorrelationId");
    if (apiKey.responseHeaderVersion(version) >= 1) {
      reader.skipTaggedFields("ResponseHeader");
    }
    return Messages.readResponse(apiKey, reader, version);
  }
}
