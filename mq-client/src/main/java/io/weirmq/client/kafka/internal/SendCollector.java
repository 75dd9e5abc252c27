package io.weirmq.client.kafka.internal;

import io.weirmq.transport.OutboundPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.TransferableChannel;

/**
 * Takes the buffers of one request as Kafka would write them to a socket, without a copy, and
 * leaves the length prefix out.
 *
 * <p>Kafka's buffers are moved to their end, as a socket would have done; what is collected are
 * views of them.
 */
final class SendCollector implements TransferableChannel {

  private static final int PREFIX_BYTES = Integer.BYTES;

  private final List<OutboundPart> parts = new ArrayList<>();
  private long length;
  private int prefix;
  private int prefixBytes;

  private SendCollector() {}

  /**
   * Returns the frame that a request consists of.
   *
   * @throws IOException where the request is not one length prefix and that many bytes, which no
   *     known version of Kafka's client does
   */
  static List<OutboundPart> collect(NetworkSend send) throws IOException {
    SendCollector collector = new SendCollector();
    while (!send.completed()) {
      if (send.writeTo(collector) == 0) {
        throw new IOException(
            "request of %d bytes gives none after %d"
                .formatted(send.size(), collector.length + collector.prefixBytes));
      }
    }
    if (collector.prefixBytes != PREFIX_BYTES || collector.length != collector.prefix) {
      throw new IOException(
          "request has %d bytes behind a prefix of %d bytes that says %d"
              .formatted(collector.length, collector.prefixBytes, collector.prefix));
    }
    return collector.parts;
  }

  @Override
  public int write(ByteBuffer source) {
    int taken = source.remaining();
    while (prefixBytes < PREFIX_BYTES && source.hasRemaining()) {
      prefix = (prefix << Byte.SIZE) | (source.get() & 0xff);
      prefixBytes++;
    }
    if (source.hasRemaining()) {
      length += source.remaining();
      parts.add(new OutboundPart.Bytes(source.duplicate()));
      source.position(source.limit());
    }
    return taken;
  }

  @Override
  public long write(ByteBuffer[] sources) {
    return write(sources, 0, sources.length);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int count) {
    long taken = 0;
    for (int i = offset; i < offset + count; i++) {
      taken += write(sources[i]);
    }
    return taken;
  }

  @Override
  public boolean hasPendingWrites() {
    return false;
  }

  @Override
  public long transferFrom(FileChannel file, long position, long count) throws IOException {
    throw new IOException("a client's request has no file ranges, found one of " + count);
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {}
}
