package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.ProduceRequest;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What decoding a produce request and encoding a fetch response cost in heap, per partition. */
class HotPathAllocationTest {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int PARTITIONS = 50;
  private static final int RECORD_BYTES = 16_384;
  private static final int ROUNDS = 2000;

  private final FrameCodec codec = new FrameCodec(new StringInterner(1024));

  @Test
  void aProducedPartitionCostsAFewObjectsWhateverItsRecords() throws ProtocolException {
    ByteBuffer few = produceFrame(1);
    ByteBuffer many = produceFrame(PARTITIONS);

    long perPartition = (decoding(many) - decoding(few)) / (PARTITIONS - 1);

    // The struct, its place in the list, the records' slice, the list around it.
    assertThat(perPartition).as("heap bytes per partition").isBetween(1L, 200L);
  }

  @Test
  void aFetchedPartitionCostsAFewObjectsWhateverItsRecords() {
    FetchResponse few = fetchResponse(1);
    FetchResponse many = fetchResponse(PARTITIONS);

    long perPartition = (encoding(many) - encoding(few)) / (PARTITIONS - 1);

    // Its bytes on the wire, once or twice as the buffer grows; two parts of the frame.
    assertThat(perPartition).as("heap bytes per partition").isBetween(1L, 500L);
  }

  private ByteBuffer produceFrame(int partitionCount) {
    List<ProduceRequest.PartitionProduceData> partitions = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      partitions.add(
          new ProduceRequest.PartitionProduceData()
              .setIndex(i)
              .setRecords(RecordsData.of(ByteBuffer.allocate(RECORD_BYTES))));
    }
    ProduceRequest request =
        new ProduceRequest()
            .setTopicData(
                List.of(
                    new ProduceRequest.TopicProduceData()
                        .setName("orders")
                        .setPartitionData(partitions)));
    return FrameBytes.of(codec.encodeRequest(ApiKey.PRODUCE, (short) 10, 1, "client", request));
  }

  private long decoding(ByteBuffer frame) throws ProtocolException {
    long before = 0;
    for (int round = -ROUNDS; round < ROUNDS; round++) {
      if (round == 0) {
        before = THREADS.getCurrentThreadAllocatedBytes();
      }
      assertThatIsRead(codec.openRequest(frame).readMessage());
    }
    return (THREADS.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
  }

  private static void assertThatIsRead(Object message) {
    if (!(message instanceof ProduceRequest)) {
      throw new AssertionError(message);
    }
  }

  private static FetchResponse fetchResponse(int partitionCount) {
    List<FetchResponse.PartitionData> partitions = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      partitions.add(
          new FetchResponse.PartitionData()
              .setPartitionIndex(i)
              .setRecords(RecordsData.of(ByteBuffer.allocate(RECORD_BYTES))));
    }
    return new FetchResponse()
        .setResponses(
            List.of(
                new FetchResponse.FetchableTopicResponse()
                    .setTopicId(new UUID(1, 2))
                    .setPartitions(partitions)));
  }

  private long encoding(FetchResponse response) {
    long before = 0;
    for (int round = -ROUNDS; round < ROUNDS; round++) {
      if (round == 0) {
        before = THREADS.getCurrentThreadAllocatedBytes();
      }
      if (codec.encodeResponse(ApiKey.FETCH, (short) 17, 1, response).lengthBytes() == 0) {
        throw new AssertionError("an empty frame");
      }
    }
    return (THREADS.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
  }
}
