package io.weirmq.compat.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;

/** Frames that are no requests, requests that are not served, and the order of answers. */
final class BadFrameScenarios {
  private static final short METADATA = 3;
  private static final short API_VERSIONS = 18;

  private BadFrameScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("bad-frames", BadFrameScenarios::frames),
        new Scenario("unknown-apis", BadFrameScenarios::unknownApis),
        new Scenario("bad-bodies", BadFrameScenarios::bodies),
        new Scenario("pipelining", BadFrameScenarios::pipelining));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private static void frames(Session s) {
    s.raw("http", "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    s.raw("tls hello", bytes("16 03 01 00 20 01 00 00 1c 03 03" + "00".repeat(26)));
    s.raw("length -1", bytes("ff ff ff ff"));
    s.raw("length -2^31", bytes("80 00 00 00"));
    s.raw("length 2^31-1", bytes("7f ff ff ff 00 00"));
    s.raw("length 0", bytes("00 00 00 00"));
    s.raw("length 3", bytes("00 00 00 03 01 02 03"));
    s.raw("length 8, no client id", bytes("00 00 00 08 00 12 00 00 00 00 00 05"));
    s.raw("a half length", bytes("00 00"));
    s.raw("a half frame", bytes("00 00 00 20 00 12 00 00"));
    s.raw("nothing", new byte[0]);
  }

  /** A request with header version 1: api, version, correlation id, client id; then a body. */
  private static ByteBuffer header1(int api, int version, String hexBody) {
    byte[] body = bytes(hexBody);
    return ByteBuffer.allocate(2 + 2 + 4 + 2 + 1 + body.length)
        .putShort((short) api)
        .putShort((short) version)
        .putInt(77)
        .putShort((short) 1)
        .put((byte) 'c')
        .put(body)
        .flip();
  }

  private static void request(Session s, String label, int api, int version, String hexBody) {
    // Recorded under Metadata: what counts is whether the connection is closed.
    s.peer("bad").sendBody(label, METADATA, 0, 77, header1(api, version, hexBody)).answer();
  }

  private static void unknownApis(Session s) {
    for (int api : new int[] {-1, 4, 5, 6, 7, 58, 94, 999, 32767}) {
      request(s, "api " + api, api, 0, "");
    }
    request(s, "produce v0", 0, 0, "0001 000003e8 00000000");
    request(s, "produce v2", 0, 2, "0001 000003e8 00000000");
    request(s, "produce v99", 0, 99, "");
    request(s, "fetch v3", 1, 3, "");
    request(s, "metadata v99", 3, 99, "");
    request(s, "metadata v-1", 3, -1, "");
    request(s, "create topics v1", 19, 1, "00000000 000003e8 00");
    for (int version : new int[] {6, 99, 32767, -1}) {
      s.peer("new")
          .sendBody(
              "api versions v" + version,
              API_VERSIONS,
              99,
              77,
              header1(API_VERSIONS, version, "00 01 02 03"))
          .answer();
    }
  }

  /** A request whose answer, if there is one, can be decoded. */
  private static void body(Session s, String label, int api, int version, String hexBody) {
    s.peer("bad")
        .sendBody(label, (short) api, version, 77, header1(api, version, hexBody))
        .answer();
  }

  private static void bodies(Session s) {
    body(s, "metadata v1 without a body", METADATA, 1, "");
    body(s, "metadata v1, a huge array", METADATA, 1, "7fffffff");
    body(s, "metadata v1, array of -5", METADATA, 1, "fffffffb");
    body(s, "metadata v1, a topic of length 32767", METADATA, 1, "00000001 7fff 61");
    body(s, "metadata v1, a topic of length -7", METADATA, 1, "00000001 fff9 61");
    body(s, "metadata v1, a null topic", METADATA, 1, "00000001 ffff");
    body(s, "heartbeat v0 with bytes left over", 12, 0, "0001 67 00000001 0001 6d 00 00 00 00");
    body(s, "metadata v9, endless tags", METADATA, 9, "00 01 00 00 00 ffffffff0f");
    body(s, "metadata v9, huge compact array", METADATA, 9, "00 ffffffff0f");
    body(s, "metadata v12, bad varint", METADATA, 12, "00 ffffffffffffff");
  }

  /** Many requests at once: answers come in the order of the requests. */
  private static void pipelining(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    String quiet = s.name("quiet");
    Uuid quietId = Requests.createTopic(s, quiet, 1, Map.of());
    Session.Peer peer = s.peer("pipelining");
    List<Session.Pending> pending = new ArrayList<>();
    pending.add(
        peer.send(
            "a parked fetch",
            12,
            Requests.fetch(quiet, quietId, Requests.fetchPartition(0, 0))
                .setMinBytes(1)
                .setMaxWaitMs(300)));
    pending.add(
        peer.send("metadata behind it", 12, new MetadataRequestData().setTopics(List.of())));
    for (int i = 0; i < 20; i++) {
      pending.add(
          peer.send("append " + i, 9, Requests.produce(topic, id, 0, -1, Batches.plain("v" + i))));
    }
    pending.add(peer.send("versions", 0, new ApiVersionsRequestData()));
    pending.forEach(Session.Pending::answer);
    s.call("all of it", 12, Requests.fetch(topic, id, Requests.fetchPartition(0, 0)));
  }
}
