package io.weirmq.protocol.oracle;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** What a transport would send for a frame. */
final class FrameBytes {

  private FrameBytes() {}

  static ByteBuffer of(OutboundFrame frame) {
    ByteBuffer all = ByteBuffer.allocate((int) frame.lengthBytes());
    for (OutboundPart part : frame.parts()) {
      if (part instanceof OutboundPart.Bytes bytes) {
        all.put(bytes.buffer().duplicate());
      } else if (part instanceof FileSlice slice) {
        all.put(read(slice));
      }
    }
    return all.flip();
  }

  private static ByteBuffer read(FileSlice slice) {
    ByteBuffer content = ByteBuffer.allocate((int) slice.lengthBytes());
    try {
      while (content.hasRemaining()) {
        slice.channel().read(content, slice.position() + content.position());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return content.flip();
  }

  static String hex(OutboundFrame frame) {
    return hex(of(frame));
  }

  static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
