package io.weirmq.transport.shm.internal.handshake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weirmq.transport.shm.internal.folder.RingSizes;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The second message, from the listening side; big-endian:
 *
 * <pre>
 *   0   6   "WeirMQ"
 *   6   2   version
 *   8   1   0: granted, 1: refused
 *   9   4   capacity of the ring to the listening side
 *   13  4   capacity of the ring to the connecting side
 *   17  2   length of the text, 0 to 512
 *   19      UTF-8: name of the ring file in the folder, or why it was refused
 * </pre>
 *
 * <p>The connecting side maps the file and answers with one byte, {@link #CONFIRMED}.
 */
sealed interface Answer {

  int HEADER_BYTES = 19;

  int TEXT_BYTES_MAX = 512;

  /** The third message. */
  byte CONFIRMED = 1;

  /**
   * Come in.
   *
   * @param name of the ring file
   */
  record Granted(String name, RingSizes sizes) implements Answer {}

  /** Stay outside. */
  record Refused(String reason) implements Answer {}

  /** Returns the message. */
  default ByteBuffer encode() {
    boolean granted = this instanceof Granted;
    RingSizes sizes = this instanceof Granted g ? g.sizes() : new RingSizes(0, 0);
    String text = this instanceof Granted g ? g.name() : ((Refused) this).reason();
    byte[] bytes = text.getBytes(UTF_8);
    int length = Math.min(bytes.length, TEXT_BYTES_MAX);
    return ByteBuffer.allocate(HEADER_BYTES + length)
        .putLong(Hello.MAGIC)
        .put((byte) (granted ? 0 : 1))
        .putInt(sizes.toServerBytes())
        .putInt(sizes.toClientBytes())
        .putShort((short) length)
        .put(bytes, 0, length)
        .flip();
  }

  /**
   * Returns how many bytes the whole message has.
   *
   * @param header the first {@link #HEADER_BYTES}
   * @throws IOException where it is no such message
   */
  static int lengthBytes(ByteBuffer header) throws IOException {
    Hello.requireMagic(header.getLong(0));
    int text = header.getShort(17);
    if (text < 0 || text > TEXT_BYTES_MAX) {
      throw new IOException(
          "answer with a text of %d bytes; expected 0 to %d".formatted(text, TEXT_BYTES_MAX));
    }
    return HEADER_BYTES + text;
  }

  /** Reads a whole message. */
  static Answer decode(ByteBuffer message) throws IOException {
    byte[] text = new byte[lengthBytes(message) - HEADER_BYTES];
    message.get(HEADER_BYTES, text);
    return switch (message.get(8)) {
      case 0 ->
          new Granted(
              new String(text, UTF_8), new RingSizes(message.getInt(9), message.getInt(13)));
      case 1 -> new Refused(new String(text, UTF_8));
      default ->
          throw new IOException("answer with status %d; expected 0 or 1".formatted(message.get(8)));
    };
  }
}
