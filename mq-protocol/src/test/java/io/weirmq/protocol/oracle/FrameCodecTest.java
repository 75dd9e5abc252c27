package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.UnsupportedFieldException;
import io.weirmq.protocol.UnsupportedVersionException;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.frame.IncomingRequest;
import io.weirmq.protocol.frame.IncomingResponse;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.HeartbeatRequest;
import io.weirmq.protocol.message.Messages;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Headers and whole frames, against golden bytes and against kafka-clients. */
class FrameCodecTest {

  private static final int CORRELATION_ID = 0x01020304;

  private final FrameCodec codec = new FrameCodec();

  static List<ApiKey> apis() {
    return Arrays.stream(ApiKey.values())
        .filter(key -> Messages.contains(key) && !key.isOwn())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("apis")
  void requestHeadersAreThoseOfKafkaClients(ApiKey key) throws ProtocolException {
    for (short version = key.lowestVersion(); version <= key.highestVersion(); version++) {
      RequestHeader oracle =
          new RequestHeader(ApiKeys.forId(key.id()), version, "client-\u00e9", CORRELATION_ID);
      ByteBuffer header =
          MessageUtil.toByteBufferAccessor(oracle.data(), oracle.headerVersion()).buffer();
      ApiMessage empty = Messages.newRequest(key);
      ByteBuffer body = OracleMessage.encode(empty, version);

      OutboundFrame frame =
          codec.encodeRequest(key, version, CORRELATION_ID, "client-\u00e9", empty);

      assertThat(FrameBytes.hex(frame)).isEqualTo(FrameBytes.hex(header) + FrameBytes.hex(body));
      IncomingRequest read = codec.openRequest(FrameBytes.of(frame));
      assertThat(read.apiKey()).isEqualTo(key);
      assertThat(read.version()).isEqualTo(version);
      assertThat(read.correlationId()).isEqualTo(CORRELATION_ID);
      assertThat(read.clientId()).isEqualTo("client-\u00e9");
      assertThat(read.readMessage()).isEqualTo(empty);
    }
  }

  @ParameterizedTest
  @MethodSource("apis")
  void responseHeadersAreThoseOfKafkaClients(ApiKey key) throws ProtocolException {
    for (short version = key.lowestVersion(); version <= key.highestVersion(); version++) {
      short headerVersion = ApiKeys.forId(key.id()).responseHeaderVersion(version);
      ByteBuffer header =
          MessageUtil.toByteBufferAccessor(
                  new ResponseHeader(CORRELATION_ID, headerVersion).data(), headerVersion)
              .buffer();
      ApiMessage empty = Messages.newResponse(key);
      ByteBuffer body = OracleMessage.encode(empty, version);

      OutboundFrame frame = codec.encodeResponse(key, version, CORRELATION_ID, empty);

      assertThat(FrameBytes.hex(frame)).isEqualTo(FrameBytes.hex(header) + FrameBytes.hex(body));
      IncomingResponse read = codec.openResponse(FrameBytes.of(frame));
      assertThat(read.correlationId()).isEqualTo(CORRELATION_ID);
      assertThat(read.readMessage(key, version)).isEqualTo(empty);
    }
  }

  @Test
  void writesGoldenHeartbeat() {
    HeartbeatRequest heartbeat =
        new HeartbeatRequest().setGroupId("g").setGenerationId(7).setMemberId("m");

    OutboundFrame frame =
        codec.encodeRequest(ApiKey.HEARTBEAT, (short) 4, CORRELATION_ID, "c", heartbeat);

    assertThat(FrameBytes.hex(frame))
        .isEqualTo(
            "000c" // api key 12
                + "0004" // version
                + "01020304" // correlation id
                + "000163" // client id, with the old length
                + "00" // tagged fields of the header
                + "0267" // group id, compact
                + "00000007" // generation
                + "026d" // member id, compact
                + "00" // group instance id: null
                + "00"); // tagged fields
  }

  @Test
  void opensApiVersionsRequestsOfAVersionThatDoesNotExist() throws ProtocolException {
    byte[] frame =
        HexFormat.of().parseHex("0012" + "0063" + "00000009" + "0002" + "6162" + "00" + "ff");

    IncomingRequest request = codec.openRequest(ByteBuffer.wrap(frame));

    assertThat(request.apiKey()).isEqualTo(ApiKey.API_VERSIONS);
    assertThat(request.version()).isEqualTo((short) 99);
    assertThat(request.correlationId()).isEqualTo(9);
    assertThat(request.clientId()).isEqualTo("ab");
    assertThatThrownBy(request::readMessage)
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("ApiVersionsRequest has no version 99");
  }

  @Test
  void readsTheAnswerOfABrokerThatDoesNotKnowTheVersion() throws ProtocolException {
    ApiVersionsResponse answer = new ApiVersionsResponse().setErrorCode((short) 35);
    answer.apiKeys().add(new ApiVersionsResponse.ApiVersion().setApiKey((short) 18));
    OutboundFrame frame =
        codec.encodeResponse(ApiKey.API_VERSIONS, (short) 0, CORRELATION_ID, answer);

    IncomingResponse response = codec.openResponse(FrameBytes.of(frame));

    assertThatThrownBy(() -> response.readMessage(ApiKey.API_VERSIONS, (short) 4))
        .isInstanceOf(ProtocolException.class);
    assertThat(response.readMessage(ApiKey.API_VERSIONS, (short) 0)).isEqualTo(answer);
  }

  @Test
  void aNullClientIdCountsAsEmpty() throws ProtocolException {
    OutboundFrame frame =
        codec.encodeRequest(
            ApiKey.API_VERSIONS, (short) 0, CORRELATION_ID, null, new ApiVersionsRequest());

    assertThat(FrameBytes.hex(frame)).isEqualTo("0012" + "0000" + "01020304" + "ffff");
    assertThat(codec.openRequest(FrameBytes.of(frame)).clientId()).isEmpty();
  }

  @Test
  void refusesWhatIsNoHeader() {
    for (String hex :
        List.of(
            "",
            "00",
            "0012",
            "00120000",
            "001200000000",
            "0012000000000001",
            "03e70000000000010000")) {
      assertThatThrownBy(() -> codec.openRequest(ByteBuffer.wrap(HexFormat.of().parseHex(hex))))
          .as(hex)
          .isInstanceOf(ProtocolException.class);
    }
    assertThatThrownBy(() -> codec.openResponse(ByteBuffer.wrap(new byte[3])))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void refusesMessagesOfApisWithoutClasses() throws ProtocolException {
    byte[] frame = HexFormat.of().parseHex("0004" + "0000" + "00000009" + "ffff");

    IncomingRequest request = codec.openRequest(ByteBuffer.wrap(frame));

    assertThat(request.apiKey()).isEqualTo(ApiKey.LEADER_AND_ISR);
    assertThatThrownBy(request::readMessage)
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("LeaderAndIsr");
  }

  @Test
  void refusesToWriteWhatTheVersionCannotCarry() {
    FetchRequest fetch = new FetchRequest().setReplicaId(3);

    assertThatThrownBy(
            () -> codec.encodeRequest(ApiKey.FETCH, (short) 15, CORRELATION_ID, null, fetch))
        .isInstanceOf(UnsupportedFieldException.class)
        .hasMessage("field FetchRequest.ReplicaId has a value, but version 15 cannot carry it");
    assertThatThrownBy(
            () ->
                codec.encodeRequest(
                    ApiKey.METADATA,
                    (short) 0,
                    CORRELATION_ID,
                    null,
                    new MetadataRequest().setTopics(null)))
        .isInstanceOf(UnsupportedFieldException.class)
        .hasMessage("field MetadataRequest.Topics is null, which version 0 cannot carry");
    assertThatThrownBy(
            () -> codec.encodeRequest(ApiKey.FETCH, (short) 3, CORRELATION_ID, null, fetch))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessage("FetchRequest has no version 3; versions are 4 to 18");
  }

  @Test
  void skipsTagsThatItDoesNotKnow() throws ProtocolException {
    // One tagged field in the header and one in the message: tag 200, three bytes.
    String tag = "01" + "c801" + "03" + "aabbcc";
    byte[] frame =
        HexFormat.of()
            .parseHex(
                "000c"
                    + "0004"
                    + "00000009"
                    + "0000"
                    + tag
                    + "0267"
                    + "00000007"
                    + "026d"
                    + "00"
                    + tag);

    IncomingRequest request = codec.openRequest(ByteBuffer.wrap(frame));

    assertThat(request.readMessage())
        .isEqualTo(new HeartbeatRequest().setGroupId("g").setGenerationId(7).setMemberId("m"));
  }

  @Test
  void sharesRepeatedNames() throws ProtocolException {
    FrameCodec interning = new FrameCodec(new StringInterner(64));
    ProduceRequest produce = produce(RecordsData.of(ByteBuffer.wrap(new byte[10])));
    ByteBuffer frame =
        FrameBytes.of(codec.encodeRequest(ApiKey.PRODUCE, (short) 9, 1, "client", produce));

    IncomingRequest first = interning.openRequest(frame);
    IncomingRequest second = interning.openRequest(frame);

    assertThat(first.clientId()).isEqualTo("client").isSameAs(second.clientId());
    String name = ((ProduceRequest) first.readMessage()).topicData().get(0).name();
    String again = ((ProduceRequest) second.readMessage()).topicData().get(0).name();
    assertThat(name).isEqualTo("topic").isSameAs(again);
  }

  @Test
  void producedRecordsAreSlicesOfTheFrameAndAreNotCopied() throws ProtocolException {
    byte[] records = new byte[4 << 20];
    Arrays.fill(records, (byte) 7);
    ProduceRequest produce = produce(RecordsData.of(ByteBuffer.wrap(records)));

    OutboundFrame frame = codec.encodeRequest(ApiKey.PRODUCE, (short) 9, 1, "client", produce);

    List<OutboundPart> parts = frame.parts();
    assertThat(parts).hasSize(3);
    assertThat(((OutboundPart.Bytes) parts.get(1)).buffer().array()).isSameAs(records);
    ByteBuffer received = FrameBytes.of(frame);
    ProduceRequest read = (ProduceRequest) codec.openRequest(received).readMessage();
    var partition = read.topicData().get(0).partitionData().get(0);
    var slice = ((RecordsData.Buffers) partition.records()).buffers().get(0);
    assertThat(slice).isEqualTo(ByteBuffer.wrap(records));
    assertThat(received.position()).isZero();
    String before = FrameBytes.hex(received);
    slice.put(0, (byte) 8);
    assertThat(FrameBytes.hex(received)).isEqualTo(before.replaceFirst("0707", "0807"));
  }

  @Test
  void readsDirectBuffersThatDoNotBeginAtZero() throws ProtocolException {
    ByteBuffer frame =
        FrameBytes.of(
            codec.encodeRequest(
                ApiKey.HEARTBEAT,
                (short) 4,
                5,
                "c",
                new HeartbeatRequest().setGroupId("gr\u00fcppe")));
    ByteBuffer direct = ByteBuffer.allocateDirect(frame.remaining() + 20);
    direct.position(13).put(frame.duplicate()).flip().position(13);

    IncomingRequest request = codec.openRequest(direct);

    assertThat(((HeartbeatRequest) request.readMessage()).groupId()).isEqualTo("gr\u00fcppe");
  }

  private static ProduceRequest produce(RecordsData records) {
    ProduceRequest.PartitionProduceData partition =
        new ProduceRequest.PartitionProduceData().setIndex(0).setRecords(records);
    ProduceRequest.TopicProduceData topic =
        new ProduceRequest.TopicProduceData().setName("topic").setPartitionData(List.of(partition));
    return new ProduceRequest().setAcks((short) 1).setTopicData(List.of(topic));
  }
}
