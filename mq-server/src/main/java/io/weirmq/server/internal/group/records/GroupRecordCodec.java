package io.weirmq.server.internal.group.records;

import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's formats of the records in {@code __consumer_offsets}, as the package documentation draws
 * them. Safe for use by several threads.
 *
 * <p>Written are keys 1 and 2 with values of version 3 (version 1 for an offset with an expiry of
 * its own, which later versions cannot say). Read are all versions that Kafka has written so far.
 */
public final class GroupRecordCodec {

  static final short LEGACY_OFFSET_KEY = 0;
  static final short OFFSET_KEY = 1;
  static final short GROUP_KEY = 2;

  private static final short OFFSET_VALUE_WITH_EXPIRY = 1;
  private static final short OFFSET_VALUE = 3;
  private static final short GROUP_VALUE = 3;
  private static final short FIRST_FLEXIBLE_VALUE = 4;
  private static final short LAST_VALUE = 4;

  /** Four empty strings or byte arrays and a timeout: the smallest member of any version. */
  private static final int MEMBER_BYTES_MIN = 9;

  private GroupRecordCodec() {}

  /**
   * Encodes a record.
   *
   * @throws IllegalArgumentException for {@link Unknown}, or where a string is longer than its
   *     field
   */
  public static KeyValue encode(GroupRecord record) {
    if (record instanceof OffsetCommitted committed) {
      return new KeyValue(
          offsetKey(committed.groupId(), committed.partition()), offsetValue(committed.offset()));
    }
    if (record instanceof OffsetRemoved removed) {
      return new KeyValue(offsetKey(removed.groupId(), removed.partition()), null);
    }
    if (record instanceof GroupStored stored) {
      return new KeyValue(groupKey(stored.metadata().groupId()), groupValue(stored.metadata()));
    }
    if (record instanceof GroupRemoved removed) {
      return new KeyValue(groupKey(removed.groupId()), null);
    }
    throw new IllegalArgumentException("a record of unknown kind can't be encoded: " + record);
  }

  private static ByteBuffer offsetKey(String groupId, TopicPartition partition) {
    ProtocolWriter out = new ProtocolWriter();
    out.writeInt16(OFFSET_KEY);
    out.writeString(groupId, false);
    out.writeString(partition.topic(), false);
    out.writeInt32(partition.partition());
    return out.toBuffer();
  }

  private static ByteBuffer groupKey(String groupId) {
    ProtocolWriter out = new ProtocolWriter();
    out.writeInt16(GROUP_KEY);
    out.writeString(groupId, false);
    return out.toBuffer();
  }

  private static ByteBuffer offsetValue(CommittedOffset committed) {
    short version = committed.hasOwnExpiry() ? OFFSET_VALUE_WITH_EXPIRY : OFFSET_VALUE;
    ProtocolWriter out = new ProtocolWriter();
    out.writeInt16(version);
    out.writeInt64(committed.offset());
    if (version >= 3) {
      out.writeInt32(committed.leaderEpoch());
    }
    out.writeString(committed.metadata(), false);
    out.writeInt64(committed.commitTimestampMs());
    if (version == OFFSET_VALUE_WITH_EXPIRY) {
      out.writeInt64(committed.expireTimestampMs());
    }
    return out.toBuffer();
  }

  private static ByteBuffer groupValue(GroupMetadata metadata) {
    ProtocolWriter out = new ProtocolWriter();
    out.writeInt16(GROUP_VALUE);
    out.writeString(metadata.protocolType(), false);
    out.writeInt32(metadata.generation());
    out.writeNullableString(metadata.protocol(), false);
    out.writeNullableString(metadata.leader(), false);
    out.writeInt64(metadata.stateTimestampMs());
    out.writeArrayCount(metadata.members().size(), false);
    for (GroupMetadata.Member member : metadata.members()) {
      out.writeString(member.memberId(), false);
      out.writeNullableString(member.instanceId(), false);
      out.writeString(member.clientId(), false);
      out.writeString(member.clientHost(), false);
      out.writeInt32(member.rebalanceTimeoutMs());
      out.writeInt32(member.sessionTimeoutMs());
      out.writeBytes(member.subscription().array(), false);
      out.writeBytes(member.assignment().array(), false);
    }
    return out.toBuffer();
  }

  /**
   * Decodes a record.
   *
   * @param key the key, borrowed, from its position to its limit
   * @param value the value, borrowed; null for a tombstone
   * @throws MalformedGroupRecordException where key or value do not have the format of their kind,
   *     or have a version that this broker does not know
   */
  public static GroupRecord decode(ByteBuffer key, @Nullable ByteBuffer value)
      throws MalformedGroupRecordException {
    try {
      return decodeFields(key, value);
    } catch (ProtocolException e) {
      throw new MalformedGroupRecordException(
          "malformed record of %d bytes of key and %d bytes of value: %s"
              .formatted(key.remaining(), value == null ? 0 : value.remaining(), e.getMessage()),
          e);
    }
  }

  private static GroupRecord decodeFields(ByteBuffer key, @Nullable ByteBuffer value)
      throws ProtocolException, MalformedGroupRecordException {
    ProtocolReader in = new ProtocolReader(key);
    short keyType = in.readInt16("key type");
    switch (keyType) {
      case LEGACY_OFFSET_KEY, OFFSET_KEY -> {
        String groupId = in.readString("group", false);
        TopicPartition partition = readPartition(in);
        in.endMessage();
        return value == null
            ? new OffsetRemoved(groupId, partition)
            : new OffsetCommitted(groupId, partition, readOffset(new ProtocolReader(value)));
      }
      case GROUP_KEY -> {
        String groupId = in.readString("group", false);
        in.endMessage();
        return value == null
            ? new GroupRemoved(groupId)
            : new GroupStored(readGroup(groupId, new ProtocolReader(value)));
      }
      default -> {
        return new Unknown(keyType);
      }
    }
  }

  private static TopicPartition readPartition(ProtocolReader in)
      throws ProtocolException, MalformedGroupRecordException {
    String topic = in.readString("topic", false);
    int partition = in.readInt32("partition");
    if (partition < 0) {
      throw new MalformedGroupRecordException(
          "key of an offset of topic %s: partition %d is negative".formatted(topic, partition));
    }
    return new TopicPartition(topic, partition);
  }

  private static CommittedOffset readOffset(ProtocolReader in) throws ProtocolException {
    short version = in.readInt16("version");
    in.beginMessage("OffsetCommitValue", version, (short) 0, LAST_VALUE);
    boolean flexible = version >= FIRST_FLEXIBLE_VALUE;
    long offset = in.readInt64("offset");
    int leaderEpoch = version >= 3 ? in.readInt32("leader epoch") : CommittedOffset.NO_LEADER_EPOCH;
    String metadata = in.readString("metadata", flexible);
    long commitTimestampMs = in.readInt64("commit timestamp");
    long expireTimestampMs =
        version == OFFSET_VALUE_WITH_EXPIRY
            ? in.readInt64("expire timestamp")
            : CommittedOffset.NO_EXPIRY;
    if (flexible) {
      in.skipTaggedFields("OffsetCommitValue");
    }
    in.endMessage();
    return new CommittedOffset(offset, leaderEpoch, metadata, commitTimestampMs, expireTimestampMs);
  }

  private static GroupMetadata readGroup(String groupId, ProtocolReader in)
      throws ProtocolException {
    short version = in.readInt16("version");
    in.beginMessage("GroupMetadataValue", version, (short) 0, LAST_VALUE);
    boolean flexible = version >= FIRST_FLEXIBLE_VALUE;
    String protocolType = in.readString("protocol type", flexible);
    int generation = in.readInt32("generation");
    String protocol = in.readNullableString("protocol", flexible);
    String leader = in.readNullableString("leader", flexible);
    long stateTimestampMs =
        version >= 2 ? in.readInt64("state timestamp") : GroupMetadata.NO_TIMESTAMP;
    int memberCount = in.readArrayCount("members", flexible, MEMBER_BYTES_MIN);
    List<GroupMetadata.Member> members = new ArrayList<>(memberCount);
    for (int i = 0; i < memberCount; i++) {
      members.add(readMember(in, version, flexible));
    }
    if (flexible) {
      in.skipTaggedFields("GroupMetadataValue");
    }
    in.endMessage();
    return new GroupMetadata(
        groupId, protocolType, generation, protocol, leader, stateTimestampMs, members);
  }

  private static GroupMetadata.Member readMember(ProtocolReader in, short version, boolean flexible)
      throws ProtocolException {
    String memberId = in.readString("member id", flexible);
    String instanceId = version >= 3 ? in.readNullableString("instance id", flexible) : null;
    String clientId = in.readString("client id", flexible);
    String clientHost = in.readString("client host", flexible);
    int rebalanceTimeoutMs = version >= 1 ? in.readInt32("rebalance timeout") : -1;
    int sessionTimeoutMs = in.readInt32("session timeout");
    OpaqueBytes subscription = OpaqueBytes.of(in.readBytes("subscription", flexible));
    OpaqueBytes assignment = OpaqueBytes.of(in.readBytes("assignment", flexible));
    if (flexible) {
      in.skipTaggedFields("MemberMetadata");
    }
    return new GroupMetadata.Member(
        memberId,
        instanceId,
        clientId,
        clientHost,
        // Before the rebalance timeout had a field of its own, the session timeout was used.
        rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
        sessionTimeoutMs,
        subscription,
        assignment);
  }
}
