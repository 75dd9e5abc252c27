package io.weirmq.server.internal.group.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.offsets.CommittedOffset;
import io.weirmq.server.internal.group.records.GroupRecord.GroupRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.GroupStored;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetCommitted;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.Unknown;
import io.weirmq.storage.TopicPartition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.LegacyOffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The oracle is Kafka's own generated code of the same records; two records are hand-made hex. */
class GroupRecordCodecTest {

  private static final TopicPartition ORDERS_7 = new TopicPartition("orders", 7);

  @Test
  void anOffsetHasTheBytesOfTheDocumentedLayout() {
    KeyValue written =
        GroupRecordCodec.encode(
            new OffsetCommitted("g1", ORDERS_7, new CommittedOffset(258, 3, "ab", 1024, -1)));

    assertThat(hex(written.key())).isEqualTo("0001" + "00026731" + "00066f7264657273" + "00000007");
    assertThat(hex(written.value()))
        .isEqualTo("0003" + "0000000000000102" + "00000003" + "00026162" + "0000000000000400");
  }

  @Test
  void aGroupHasTheBytesOfTheDocumentedLayout() {
    KeyValue written =
        GroupRecordCodec.encode(
            new GroupStored(
                new GroupMetadata(
                    "g1",
                    "consumer",
                    5,
                    "range",
                    "m1",
                    256,
                    List.of(
                        new GroupMetadata.Member(
                            "m1",
                            null,
                            "c",
                            "/h",
                            60,
                            10,
                            OpaqueBytes.of(new byte[] {1}),
                            OpaqueBytes.of(new byte[] {2, 3}))))));

    assertThat(hex(written.key())).isEqualTo("0002" + "00026731");
    assertThat(hex(written.value()))
        .isEqualTo(
            "0003"
                + "0008636f6e73756d6572"
                + "00000005"
                + "000572616e6765"
                + "00026d31"
                + "0000000000000100"
                + "00000001"
                + ("00026d31" + "ffff" + "000163" + "00022f68" + "0000003c" + "0000000a")
                + ("0000000101" + "000000020203"));
  }

  @Test
  void kafkaReadsTheOffsetsWeWrite() {
    Random random = new Random(11);
    for (int i = 0; i < 200; i++) {
      boolean expires = random.nextBoolean();
      OffsetCommitted record =
          new OffsetCommitted(
              text(random),
              new TopicPartition(text(random), random.nextInt(1000)),
              new CommittedOffset(
                  random.nextLong(),
                  expires ? -1 : random.nextInt(),
                  text(random),
                  random.nextLong(),
                  expires ? random.nextLong(1, Long.MAX_VALUE) : CommittedOffset.NO_EXPIRY));

      KeyValue written = GroupRecordCodec.encode(record);

      OffsetCommitKey key = new OffsetCommitKey();
      assertThat(readBehindVersion(key, written.key(), (short) 0)).isEqualTo((short) 1);
      assertThat(key.group()).isEqualTo(record.groupId());
      assertThat(key.topic()).isEqualTo(record.partition().topic());
      assertThat(key.partition()).isEqualTo(record.partition().partition());
      OffsetCommitValue value = new OffsetCommitValue();
      short version = readBehindVersion(value, Objects.requireNonNull(written.value()), null);
      assertThat(version).isEqualTo(expires ? (short) 1 : (short) 3);
      assertThat(value.offset()).isEqualTo(record.offset().offset());
      assertThat(value.leaderEpoch()).isEqualTo(record.offset().leaderEpoch());
      assertThat(value.metadata()).isEqualTo(record.offset().metadata());
      assertThat(value.commitTimestamp()).isEqualTo(record.offset().commitTimestampMs());
      assertThat(value.expireTimestamp()).isEqualTo(record.offset().expireTimestampMs());
    }
  }

  @Test
  void kafkaReadsTheGroupsWeWrite() {
    Random random = new Random(12);
    for (int i = 0; i < 200; i++) {
      GroupMetadata metadata = randomGroup(random);

      KeyValue written = GroupRecordCodec.encode(new GroupStored(metadata));

      GroupMetadataKey key = new GroupMetadataKey();
      assertThat(readBehindVersion(key, written.key(), (short) 0)).isEqualTo((short) 2);
      assertThat(key.group()).isEqualTo(metadata.groupId());
      GroupMetadataValue value = new GroupMetadataValue();
      assertThat(readBehindVersion(value, Objects.requireNonNull(written.value()), null))
          .isEqualTo((short) 3);
      assertThat(value).isEqualTo(kafkaValue(metadata));
    }
  }

  @ParameterizedTest
  @ValueSource(shorts = {0, 1, 2, 3, 4})
  void weReadTheOffsetsOfAllKafkas(short version) throws Exception {
    Random random = new Random(version);
    for (int i = 0; i < 50; i++) {
      OffsetCommitValue value =
          new OffsetCommitValue()
              .setOffset(random.nextLong())
              .setMetadata(text(random))
              .setCommitTimestamp(random.nextLong());
      if (version >= 3) {
        value.setLeaderEpoch(random.nextInt());
      }
      if (version == 1) {
        value.setExpireTimestamp(random.nextLong());
      }
      if (version >= 4) {
        value.setTopicId(new org.apache.kafka.common.Uuid(random.nextLong(), 1));
      }
      Message key =
          random.nextBoolean()
              ? new OffsetCommitKey().setGroup("g").setTopic("orders").setPartition(7)
              : new LegacyOffsetCommitKey().setGroup("g").setTopic("orders").setPartition(7);
      short keyType = (short) (key instanceof OffsetCommitKey ? 1 : 0);

      GroupRecord read =
          GroupRecordCodec.decode(
              MessageUtil.toVersionPrefixedByteBuffer(keyType, key),
              MessageUtil.toVersionPrefixedByteBuffer(version, value));

      assertThat(read)
          .isEqualTo(
              new OffsetCommitted(
                  "g",
                  ORDERS_7,
                  new CommittedOffset(
                      value.offset(),
                      value.leaderEpoch(),
                      value.metadata(),
                      value.commitTimestamp(),
                      value.expireTimestamp())));
    }
  }

  @ParameterizedTest
  @ValueSource(shorts = {0, 1, 2, 3, 4})
  void weReadTheGroupsOfAllKafkas(short version) throws Exception {
    Random random = new Random(100 + version);
    for (int i = 0; i < 50; i++) {
      GroupMetadata metadata = randomGroup(random);
      GroupMetadataValue value = kafkaValue(metadata);

      GroupRecord read =
          GroupRecordCodec.decode(
              GroupRecordCodec.encode(new GroupRemoved("g")).key(),
              MessageUtil.toVersionPrefixedByteBuffer(version, value));

      assertThat(read).isEqualTo(new GroupStored(asOfVersion(metadata, version)));
    }
  }

  private static GroupMetadata asOfVersion(GroupMetadata metadata, short version) {
    List<GroupMetadata.Member> members = new ArrayList<>();
    for (GroupMetadata.Member member : metadata.members()) {
      members.add(
          new GroupMetadata.Member(
              member.memberId(),
              version >= 3 ? member.instanceId() : null,
              member.clientId(),
              member.clientHost(),
              version >= 1 ? member.rebalanceTimeoutMs() : member.sessionTimeoutMs(),
              member.sessionTimeoutMs(),
              member.subscription(),
              member.assignment()));
    }
    return new GroupMetadata(
        "g",
        metadata.protocolType(),
        metadata.generation(),
        metadata.protocol(),
        metadata.leader(),
        version >= 2 ? metadata.stateTimestampMs() : GroupMetadata.NO_TIMESTAMP,
        members);
  }

  @Test
  void aNullValueIsATombstone() throws Exception {
    KeyValue offset = GroupRecordCodec.encode(new OffsetRemoved("g", ORDERS_7));
    KeyValue group = GroupRecordCodec.encode(new GroupRemoved("g"));

    assertThat(offset.value()).isNull();
    assertThat(group.value()).isNull();
    assertThat(GroupRecordCodec.decode(offset.key(), null))
        .isEqualTo(new OffsetRemoved("g", ORDERS_7));
    assertThat(GroupRecordCodec.decode(group.key(), null)).isEqualTo(new GroupRemoved("g"));
  }

  @ParameterizedTest
  @ValueSource(shorts = {3, 4, 5, 8, 16, 23, 999})
  void aKeyOfAnotherKindIsNamedAndNotRead(short keyType) throws Exception {
    ByteBuffer key = ByteBuffer.allocate(4).putShort(keyType).putShort((short) -7).flip();
    assertThat(GroupRecordCodec.decode(key, ByteBuffer.allocate(3)))
        .isEqualTo(new Unknown(keyType));
  }

  @Test
  @DisplayName("garbage in a key or value is an error that says where, whatever is cut or changed")
  void garbageIsAnError() {
    Random random = new Random(13);
    KeyValue written = GroupRecordCodec.encode(new GroupStored(randomGroup(random)));
    ByteBuffer value = Objects.requireNonNull(written.value());

    assertThatThrownBy(() -> GroupRecordCodec.decode(ByteBuffer.allocate(1), null))
        .isInstanceOf(MalformedGroupRecordException.class);
    assertThatThrownBy(() -> GroupRecordCodec.decode(written.key(), bytes("0009")))
        .isInstanceOf(MalformedGroupRecordException.class)
        .hasMessageContaining("9");
    for (int length = 0; length < value.remaining(); length++) {
      ByteBuffer cut = value.duplicate().limit(length);
      assertThatThrownBy(() -> GroupRecordCodec.decode(written.key(), cut))
          .isInstanceOf(MalformedGroupRecordException.class);
    }
    assertThatThrownBy(
            () -> GroupRecordCodec.decode(bytes("0001000167000174ffffffff"), bytes("0003")))
        .hasMessageContaining("-1");
  }

  // ---- fixtures ----------------------------------------------------------------------------

  private static GroupMetadata randomGroup(Random random) {
    List<GroupMetadata.Member> members = new ArrayList<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      members.add(
          new GroupMetadata.Member(
              text(random) + i,
              random.nextBoolean() ? text(random) : null,
              text(random),
              text(random),
              random.nextInt(1, 100_000),
              random.nextInt(1, 100_000),
              OpaqueBytes.of(text(random).getBytes(UTF_8)),
              OpaqueBytes.of(text(random).getBytes(UTF_8))));
    }
    return new GroupMetadata(
        text(random),
        text(random),
        random.nextInt(1000),
        random.nextBoolean() ? text(random) : null,
        random.nextBoolean() ? text(random) : null,
        random.nextLong(),
        members);
  }

  private static GroupMetadataValue kafkaValue(GroupMetadata metadata) {
    List<GroupMetadataValue.MemberMetadata> members = new ArrayList<>();
    for (GroupMetadata.Member member : metadata.members()) {
      members.add(
          new GroupMetadataValue.MemberMetadata()
              .setMemberId(member.memberId())
              .setGroupInstanceId(member.instanceId())
              .setClientId(member.clientId())
              .setClientHost(member.clientHost())
              .setRebalanceTimeout(member.rebalanceTimeoutMs())
              .setSessionTimeout(member.sessionTimeoutMs())
              .setSubscription(member.subscription().array())
              .setAssignment(member.assignment().array()));
    }
    return new GroupMetadataValue()
        .setProtocolType(metadata.protocolType())
        .setGeneration(metadata.generation())
        .setProtocol(metadata.protocol())
        .setLeader(metadata.leader())
        .setCurrentStateTimestamp(metadata.stateTimestampMs())
        .setMembers(members);
  }

  private static String text(Random random) {
    String[] letters = {"a", "Z", "0", "-", "ü", "€", "漢", "😀"};
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(40);
    for (int i = 0; i < length; i++) {
      text.append(letters[random.nextInt(letters.length)]);
    }
    return text.toString();
  }

  private static short readBehindVersion(
      Message message, ByteBuffer buffer, @Nullable Short fixedVersion) {
    ByteBuffer copy = buffer.duplicate();
    short prefix = copy.getShort();
    message.read(new ByteBufferAccessor(copy), fixedVersion == null ? prefix : fixedVersion);
    assertThat(copy.remaining()).isZero();
    return prefix;
  }

  private static String hex(@Nullable ByteBuffer buffer) {
    ByteBuffer copy = Objects.requireNonNull(buffer).duplicate();
    byte[] bytes = new byte[copy.remaining()];
    copy.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }
}
