package io.weirmq.server;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.message.RequestHeader;
import io.weirmq.protocol.message.ResponseHeader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A blocking client that sends single requests, good and bad ones. Confined to one thread. */
public final class RawClient implements AutoCloseable {

  private static final int TIMEOUT_MS = 30_000;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final String clientId;
  private int nextCorrelationId = 1;

  private RawClient(Socket socket, String clientId) throws IOException {
    this.socket = socket;
    this.clientId = clientId;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** Connects to a port of this machine. */
  public static RawClient connect(int port) throws IOException {
    return connect(port, "raw");
  }

  /** Connects under a client id. */
  public static RawClient connect(int port, String clientId) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    return new RawClient(socket, clientId);
  }

  /** Decodes a response. */
  @FunctionalInterface
  public interface Decoder<P> {

    /** Reads the body. */
    P decode(ProtocolReader reader, short version) throws ProtocolException;
  }

  /** Sends a request and waits for its response. */
  public <P> P ask(ApiKey key, int version, ApiMessage request, Decoder<P> decoder)
      throws IOException {
    int id = send(key, version, request);
    return receive(key, version, id, decoder);
  }

  /** Sends a request; returns its correlation id. */
  public int send(ApiKey key, int version, ApiMessage request) throws IOException {
    int correlationId = nextCorrelationId++;
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(key.id())
        .setRequestApiVersion((short) version)
        .setCorrelationId(correlationId)
        .setClientId(clientId)
        .write(writer, key.requestHeaderVersion(version));
    request.write(writer, (short) version);
    sendFrame(writer.toBuffer());
    return correlationId;
  }

  /** Sends a frame of these bytes. */
  public void sendFrame(ByteBuffer content) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + content.remaining());
    frame.putInt(content.remaining()).put(content.duplicate()).flip();
    sendBytes(frame);
  }

  /** Sends bytes as they are. */
  public void sendBytes(ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    out.write(copy);
    out.flush();
  }

  /** Waits for the response to a request, which must be the next one. */
  public <P> P receive(ApiKey key, int version, int correlationId, Decoder<P> decoder)
      throws IOException {
    ByteBuffer frame = receiveFrame();
    try {
      ProtocolReader reader = new ProtocolReader(frame);
      ResponseHeader header = new ResponseHeader(reader, key.responseHeaderVersion(version));
      if (header.correlationId() != correlationId) {
        throw new IOException(
            "response to %d, expected the one to %d"
                .formatted(header.correlationId(), correlationId));
      }
      P body = decoder.decode(reader, (short) version);
      if (reader.remaining() != 0) {
        throw new IOException(reader.remaining() + " bytes behind the response");
      }
      return body;
    } catch (ProtocolException e) {
      throw new IOException(e);
    }
  }

  /** Waits for a frame. */
  public ByteBuffer receiveFrame() throws IOException {
    byte[] content = new byte[in.readInt()];
    in.readFully(content);
    return ByteBuffer.wrap(content);
  }

  /** The broker's port. */
  public int port() {
    return socket.getPort();
  }

  /** Whether bytes have arrived that nobody has read. */
  public boolean hasResponse() throws IOException {
    return in.available() > 0;
  }

  /** Waits until the broker closes the connection; false where it sends something instead. */
  public boolean awaitEnd() throws IOException {
    try {
      return in.read() < 0;
    } catch (EOFException | java.net.SocketException e) {
      return true;
    }
  }

  /** Reads and drops whatever comes until the broker closes the connection. */
  public void drainUntilEnd() throws IOException {
    byte[] dropped = new byte[1024];
    try {
      int count = in.read(dropped);
      while (count >= 0) {
        count = in.read(dropped);
      }
    } catch (java.net.SocketException e) {
      // A reset is an end, too.
      return;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
