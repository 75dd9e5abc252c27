package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fetch responses whose records are file ranges, against the bytes of kafka-clients. */
class FetchResponseFileTest {

  private static final int CORRELATION_ID = 77;
  private static final int FIRST_TAGGED = 12;

  @TempDir Path folder;
  private byte[] content;
  private FileChannel segment;
  private final AtomicInteger released = new AtomicInteger();

  static List<Short> versions() {
    return IntStream.rangeClosed(4, 18).mapToObj(v -> (short) v).toList();
  }

  @BeforeEach
  void writeSegment() throws IOException {
    content = new byte[100_000];
    new Random(5).nextBytes(content);
    Path file = Files.write(folder.resolve("00000000000000000000.log"), content);
    segment = FileChannel.open(file);
  }

  @AfterEach
  void closeSegment() throws IOException {
    segment.close();
  }

  @ParameterizedTest
  @MethodSource("versions")
  void fileRangesStandBetweenTheBytesThatKafkaClientsWrites(short version) {
    FetchResponse ours =
        new FetchResponse()
            .setThrottleTimeMs(3)
            .setResponses(
                List.of(
                    new FetchResponse.FetchableTopicResponse()
                        .setTopic(version < 13 ? "topic" : "")
                        .setPartitions(
                            List.of(
                                ourPartition(0, file(10, 40_000), version),
                                ourPartition(1, null, version),
                                ourPartition(2, RecordsData.empty(), version),
                                ourPartition(3, buffer(60_000, 20), version),
                                ourPartition(4, file(50_000, 0), version),
                                ourPartition(5, file(50_000, 1), version)))));

    OutboundFrame frame =
        new FrameCodec().encodeResponse(ApiKey.FETCH, version, CORRELATION_ID, ours);

    String header = "0000004d" + (version >= FIRST_TAGGED ? "00" : "");
    ByteBuffer body = MessageUtil.toByteBufferAccessor(theirs(version), version).buffer();
    assertThat(FrameBytes.hex(frame)).isEqualTo(header + FrameBytes.hex(body));
    assertThat(frame.parts()).filteredOn(FileSlice.class::isInstance).hasSize(3);
    assertThat(released).hasValue(0);
    frame.release();
    assertThat(released).hasValue(3);
  }

  private FetchResponse.PartitionData ourPartition(int index, RecordsData records, short version) {
    FetchResponse.PartitionData partition =
        new FetchResponse.PartitionData()
            .setPartitionIndex(index)
            .setHighWatermark(1000 + index)
            .setRecords(records);
    if (version >= FIRST_TAGGED && index % 2 == 0) {
      partition.currentLeader().setLeaderId(index).setLeaderEpoch(5);
      partition.divergingEpoch().setEpoch(4).setEndOffset(90);
    }
    return partition;
  }

  private FetchResponseData theirs(short version) {
    return new FetchResponseData()
        .setThrottleTimeMs(3)
        .setResponses(
            List.of(
                new FetchResponseData.FetchableTopicResponse()
                    .setTopic(version < 13 ? "topic" : "")
                    .setTopicId(Uuid.ZERO_UUID)
                    .setPartitions(
                        List.of(
                            theirPartition(0, memory(10, 40_000), version),
                            theirPartition(1, null, version),
                            theirPartition(2, MemoryRecords.EMPTY, version),
                            theirPartition(3, memory(60_000, 20), version),
                            theirPartition(4, MemoryRecords.EMPTY, version),
                            theirPartition(5, memory(50_000, 1), version)))));
  }

  private static FetchResponseData.PartitionData theirPartition(
      int index, MemoryRecords records, short version) {
    FetchResponseData.PartitionData partition =
        new FetchResponseData.PartitionData()
            .setPartitionIndex(index)
            .setHighWatermark(1000 + index)
            .setRecords(records);
    if (version >= FIRST_TAGGED && index % 2 == 0) {
      partition.currentLeader().setLeaderId(index).setLeaderEpoch(5);
      partition.divergingEpoch().setEpoch(4).setEndOffset(90);
    }
    return partition;
  }

  private RecordsData file(int position, int length) {
    return RecordsData.of(new FileSlice(segment, position, length, released::incrementAndGet));
  }

  private RecordsData buffer(int position, int length) {
    return RecordsData.of(ByteBuffer.wrap(content, position, length));
  }

  private MemoryRecords memory(int position, int length) {
    return MemoryRecords.readableRecords(ByteBuffer.wrap(content, position, length).slice());
  }
}
