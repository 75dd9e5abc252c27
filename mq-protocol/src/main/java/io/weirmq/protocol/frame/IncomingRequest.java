package io.weirmq.protocol.frame;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.message.Messages;

/**
 * A request whose header has been read.
 *
 * <p>Valid as long as its frame. Confined to one thread at a time.
 */
public final class IncomingRequest {

  private final ApiKey apiKey;
  private final short version;
  private final int correlationId;
  private final String clientId;
  private final ProtocolReader reader;

  IncomingRequest(
      ApiKey apiKey, short version, int correlationId, String clientId, ProtocolReader reader) {
    this.apiKey = apiKey;
    this.version = version;
    this.correlationId = correlationId;
    this.clientId = clientId;
    this.reader = reader;
  }

  /** The API that is asked for. */
  public ApiKey apiKey() {
    return apiKey;
  }

  /** The version of the API, which need not exist. */
  public short version() {
    return version;
  }

  /** What the response must repeat. */
  public int correlationId() {
    return correlationId;
  }

  /** How the client calls itself; empty where it does not. */
  public String clientId() {
    return clientId;
  }

  /**
   * Reads the message behind the header; to be called once.
   *
   * <p>Bytes behind the message are ignored, as brokers always did.
   *
   * @return the message; its records are slices of the frame
   * @throws ProtocolException where the API has no message classes or no such version, or where the
   *     bytes are no such message
   */
  public ApiMessage readMessage() throws ProtocolException {
    if (!Messages.contains(apiKey)) {
      throw new ProtocolException("requests of %s are not understood".formatted(apiKey.apiName()));
    }
    return Messages.readRequest(apiKey, reader, version);
  }

  /** The header for a log: API, version, correlation id, client. */
  @Override
  public String toString() {
    return "%s v%d, correlation id %d, client \"%s\""
        .formatted(apiKey.apiName(), version, correlationId, clientId);
  }
}
