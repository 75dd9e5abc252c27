package io.weirmq.server.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataRequest.MetadataRequestTopic;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceRequest.PartitionProduceData;
import io.weirmq.protocol.message.ProduceRequest.TopicProduceData;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.protocol.message.RequestHeader;
import io.weirmq.server.internal.handler.ApiVersionsHandler;
import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestDecodingTest {

  private static final int PLAIN_BYTES_MAX = 4_194_304;

  private final StubClient client = new StubClient("PLAINTEXT");
  private final RequestDecoding decoding =
      new RequestDecoding(
          ApiTable.builder()
              .serve(ApiKey.PRODUCE, 3, 13, ProduceRequest::new, new Produces())
              .serve(
                  ApiKey.METADATA,
                  0,
                  13,
                  MetadataRequest::new,
                  (RequestContext context, MetadataRequest request) ->
                      CompletableFuture.completedFuture(new MetadataResponse()))
              .build(0, 4, ApiVersionsRequest::new, ApiVersionsHandler::new),
          new StringInterner(64));

  @Test
  void readsWhoAsksWhatAndLeavesTheFrameAsItWas() throws Exception {
    ByteBuffer frame = metadata();
    int bytes = frame.remaining();

    RequestDecoding.Decoded<?, ?> decoded = decoding.decode(frame, client);

    assertThat(decoded.entry().key()).isEqualTo(ApiKey.METADATA);
    assertThat(decoded.context()).isEqualTo(new RequestContext((short) 1, 77, "app", client));
    assertThat(decoded.body()).isInstanceOf(MetadataRequest.class);
    assertThat(frame.position()).isZero();
    assertThat(frame.remaining()).isEqualTo(bytes);
  }

  @Test
  void leavesTheBodyOfAnUnknownVersionUnread() throws Exception {
    ByteBuffer frame = ByteBuffer.allocate(8).putShort((short) 18).putShort((short) 99);
    frame.putInt(77).flip();

    RequestDecoding.Decoded<?, ?> decoded = decoding.decode(frame, client);

    assertThat(decoded.entry().key()).isEqualTo(ApiKey.API_VERSIONS);
    assertThat(decoded.context()).isEqualTo(new RequestContext((short) 0, 77, "", client));
    assertThat(decoded.body()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0003000c,         'a request of 4 bytes, too short for a header'",
    "0004000000000000, 'API key 4 v0, which is not served'",
    "ffff000000000000, 'API key -1 v0, which is not served'",
    "2710000000000000, 'API key 10000 v0, which is not served'",
    "0000000200000000, 'Produce v2; served versions are 3 to 13'",
    "0003ffff00000000, 'Metadata v-1; served versions are 0 to 13'",
  })
  void namesWhatIsNotServed(String hex, String expected) {
    ByteBuffer frame = ByteBuffer.wrap(HexFormat.of().parseHex(hex));

    assertThatThrownBy(() -> decoding.decode(frame, client))
        .isInstanceOf(BadRequestException.class)
        .hasMessage(expected);
  }

  @Test
  void namesTheMessageThatCannotBeRead() {
    ByteBuffer frame = metadata();
    frame.limit(frame.limit() - 1);

    assertThatThrownBy(() -> decoding.decode(frame, client))
        .isInstanceOf(BadRequestException.class)
        .hasMessageStartingWith("Metadata v1: MetadataRequest v1: ");
  }

  @Test
  void boundsARequestThatCarriesNoRecords() throws Exception {
    ByteBuffer most = metadataOf(PLAIN_BYTES_MAX);
    ByteBuffer tooMuch = metadataOf(PLAIN_BYTES_MAX + 1);

    assertThat(decoding.decode(most, client).body()).isNotNull();
    assertThatThrownBy(() -> decoding.decode(tooMuch, client))
        .isInstanceOf(BadRequestException.class)
        .hasMessage(
            "Metadata v1 of 4194305 bytes; the limit of requests without records is 4194304");
  }

  @Test
  void letsARequestWithRecordsBeLarger() throws Exception {
    ProduceRequest request = new ProduceRequest();
    TopicProduceData topic = new TopicProduceData().setName("a");
    RecordsData records = RecordsData.of(ByteBuffer.allocate(PLAIN_BYTES_MAX));
    topic.partitionData().add(new PartitionProduceData().setRecords(records));
    request.topicData().add(topic);
    ProtocolWriter writer = header(ApiKey.PRODUCE, 7);
    request.write(writer, (short) 7);

    assertThat(decoding.decode(writer.toBuffer(), client).body()).isNotNull();
  }

  private static ByteBuffer metadata() {
    ProtocolWriter writer = header(ApiKey.METADATA, 1);
    new MetadataRequest().write(writer, (short) 1);
    return writer.toBuffer();
  }

  private static ProtocolWriter header(ApiKey key, int version) {
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(key.id())
        .setRequestApiVersion((short) version)
        .setCorrelationId(77)
        .setClientId("app")
        .write(writer, key.requestHeaderVersion(version));
    return writer;
  }

  /** A request that is so many bytes long by the names of topics that it asks for. */
  private static ByteBuffer metadataOf(int bytes) {
    int left = bytes - 13 - 4; // header; count of topics
    MetadataRequest request = new MetadataRequest();
    List<MetadataRequestTopic> topics = new ArrayList<>();
    while (left > 0) {
      int nameBytes = Math.min(left, 30_000) - 2;
      topics.add(new MetadataRequestTopic().setName("t".repeat(nameBytes)));
      left -= 2 + nameBytes;
    }
    ProtocolWriter writer = header(ApiKey.METADATA, 1);
    request.setTopics(topics).write(writer, (short) 1);
    ByteBuffer frame = writer.toBuffer();
    assertThat(frame.remaining()).isEqualTo(bytes);
    return frame;
  }

  /** Only its kind matters. */
  private static final class Produces implements FrameHandler<ProduceRequest, ProduceResponse> {
    @Override
    public CompletionStage<@Nullable ProduceResponse> handle(
        RequestContext context, ProduceRequest request, InboundFrame frame) {
      throw new UnsupportedOperationException();
    }
  }
}
