package io.weirmq.transport.netty.internal;

import io.weirmq.transport.Endpoint;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A plain socket, for peers that do what no transport of ours would. Confined to one thread. */
final class RawClient implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket;
  private final DataInputStream input;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    this.input = new DataInputStream(socket.getInputStream());
  }

  static RawClient connect(Endpoint endpoint) throws IOException {
    return connect(endpoint, 0);
  }

  /** Connects with a receive buffer of about the given size; 0 leaves it to the system. */
  static RawClient connect(Endpoint endpoint, int receiveBufferBytes) throws IOException {
    Socket socket = new Socket();
    if (receiveBufferBytes > 0) {
      socket.setReceiveBufferSize(receiveBufferBytes);
    }
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), TIMEOUT_MILLIS);
    return new RawClient(socket);
  }

  void write(byte... bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  void writeFrame(byte... content) throws IOException {
    write(ByteBuffer.allocate(4 + content.length).putInt(content.length).put(content).array());
  }

  byte[] readFrame() throws IOException {
    byte[] content = new byte[input.readInt()];
    input.readFully(content);
    return content;
  }

  void readFully(byte[] target) throws IOException {
    input.readFully(target);
  }

  /** Waits until the other side has closed, be it by an end or by a reset. */
  void awaitEnd() {
    try {
      while (input.read() >= 0) {
        // Whatever still comes is of no interest.
      }
    } catch (EOFException e) {
      return;
    } catch (IOException e) {
      if (e instanceof java.net.SocketTimeoutException) {
        throw new AssertionError("the connection is still open", e);
      }
    }
  }

  /** Ends the output and goes on reading. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Closes with a reset, as a killed process with unread data does. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
