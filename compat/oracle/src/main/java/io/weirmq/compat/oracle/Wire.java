package io.weirmq.compat.oracle;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** One connection that moves frames. Confined to one thread. */
final class Wire implements AutoCloseable {
  private static final int CONNECT_MS = 5_000;
  private static final int FRAME_BYTES_MAX = 64 << 20;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  private Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  static Wire connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(address, CONNECT_MS);
    return new Wire(socket);
  }

  /** Sends bytes as they are, without a length. */
  void sendBytes(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Sends a body with its length before it. */
  void sendFrame(ByteBuffer body) throws IOException {
    byte[] frame = new byte[4 + body.remaining()];
    ByteBuffer.wrap(frame).putInt(body.remaining()).put(body.duplicate());
    sendBytes(frame);
  }

  /**
   * The next frame without its length.
   *
   * @param timeoutMs how long to wait
   * @throws ConnectionClosed when the peer has closed the connection, or reset it
   * @throws SocketTimeoutException when nothing came in time
   */
  ByteBuffer receive(int timeoutMs) throws IOException {
    socket.setSoTimeout(timeoutMs);
    try {
      int length = in.readInt();
      if (length < 0 || length > FRAME_BYTES_MAX) {
        throw new IOException("a frame of " + length + " bytes");
      }
      byte[] frame = new byte[length];
      in.readFully(frame);
      return ByteBuffer.wrap(frame);
    } catch (EOFException | SocketException e) {
      throw new ConnectionClosed(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      System.err.println("oracle: closing " + socket + ": " + e);
    }
  }

  /** The peer closed the connection. */
  static final class ConnectionClosed extends IOException {
    private static final long serialVersionUID = 1;

    ConnectionClosed(Throwable cause) {
      super("closed by the peer", cause);
    }
  }
}
