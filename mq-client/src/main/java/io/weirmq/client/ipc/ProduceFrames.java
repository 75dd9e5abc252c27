package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.transport.OutboundFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Produce requests of one batch for one partition, written around the batch without a copy and
 * without garbage to speak of. Versions 9 to 12, which are the same as far as this goes.
 *
 * <pre>
 *   head  apiKey version correlationId clientId tags | transactionalId acks timeoutMs
 *         | one topic: name | one partition: index | length of the batch
 *   batch
 *   tail  tags of partition, topic and request
 * </pre>
 *
 * <p>Immutable.
 */
final class ProduceFrames {

  static final short VERSION_MIN = 9;
  static final short VERSION_MAX = 12;

  /** Three empty sets of tagged fields. */
  static final int TAIL_BYTES = 3;

  private static final int CORRELATION_ID_POSITION = 4;
  private static final int LENGTH_BYTES_MAX = 5;

  private final short version;
  private final byte[] head;
  private final FrameCodec codec = new FrameCodec();

  ProduceFrames(
      short version, String clientId, short acks, int timeoutMs, String topic, int partition) {
    this.version = version;
    this.head = head(version, clientId, acks, timeoutMs, topic, partition);
    if (head.length + LENGTH_BYTES_MAX > OutgoingBatch.BATCH_POSITION) {
      throw new IllegalArgumentException(
          "topic name of %d characters is too long".formatted(topic.length()));
    }
  }

  private static byte[] head(
      short version, String clientId, short acks, int timeoutMs, String topic, int partition) {
    byte[] client = clientId.getBytes(StandardCharsets.UTF_8);
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(64 + client.length + name.length);
    bytes.putShort(ApiKey.PRODUCE.id()).putShort(version).putInt(0);
    bytes.putShort((short) client.length).put(client).put((byte) 0);
    bytes.put((byte) 0).putShort(acks).putInt(timeoutMs);
    bytes.put((byte) 2);
    bytes.position(Varints.putUnsigned(bytes, bytes.position(), name.length + 1));
    bytes.put(name);
    bytes.put((byte) 2).putInt(partition);
    byte[] head = new byte[bytes.flip().remaining()];
    bytes.get(head);
    return head;
  }

  /**
   * Writes the request around a sealed batch.
   *
   * @return a frame that lends the batch's bytes to the transport
   */
  OutboundFrame request(OutgoingBatch batch, int correlationId) {
    ByteBuffer buffer = batch.buffer();
    int lengthField = batch.sizeInBytes() + 1;
    int lengthBytes = unsignedSize(lengthField);
    int start = OutgoingBatch.BATCH_POSITION - lengthBytes - head.length;
    buffer.put(start, head);
    buffer.putInt(start + CORRELATION_ID_POSITION, correlationId);
    Varints.putUnsigned(buffer, start + head.length, lengthField);
    int end = batch.end();
    for (int i = 0; i < TAIL_BYTES; i++) {
      buffer.put(end + i, (byte) 0);
    }
    batch.lend();
    return new OutboundFrame(
        java.util.List.of(
            new io.weirmq.transport.OutboundPart.Bytes(
                buffer.slice(start, end + TAIL_BYTES - start))),
        batch::returned);
  }

  private static int unsignedSize(int value) {
    return (value & ~0x7f) == 0 ? 1 : (38 - Integer.numberOfLeadingZeros(value)) / 7;
  }

  /** Reads the correlation id of a response. */
  int correlationId(ByteBuffer frame) throws ProtocolException {
    return codec.openResponse(frame).correlationId();
  }

  /** Reads what became of the batch. */
  ProduceResponse.PartitionProduceResponse response(ByteBuffer frame) throws ProtocolException {
    ProduceResponse response =
        (ProduceResponse) codec.openResponse(frame).readMessage(ApiKey.PRODUCE, version);
    if (response.responses().size() != 1
        || response.responses().get(0).partitionResponses().size() != 1) {
      throw new ProtocolException("the answer to a batch is not about one partition");
    }
    return response.responses().get(0).partitionResponses().get(0);
  }
}
