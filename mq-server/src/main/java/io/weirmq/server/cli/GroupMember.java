package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.ConsumerProtocolAssignment;
import io.weirmq.protocol.message.ConsumerProtocolSubscription;
import io.weirmq.protocol.message.HeartbeatRequest;
import io.weirmq.protocol.message.HeartbeatResponse;
import io.weirmq.protocol.message.JoinGroupRequest;
import io.weirmq.protocol.message.JoinGroupResponse;
import io.weirmq.protocol.message.LeaveGroupRequest;
import io.weirmq.protocol.message.LeaveGroupResponse;
import io.weirmq.protocol.message.SyncGroupRequest;
import io.weirmq.protocol.message.SyncGroupResponse;
import io.weirmq.storage.TopicPartition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A member of a classic consumer group with the {@code range} assignor, for one topic. Confined to
 * one thread.
 */
final class GroupMember {

  private static final String PROTOCOL_TYPE = "consumer";
  private static final String RANGE = "range";
  private static final int SESSION_TIMEOUT_MS = 10_000;
  private static final int REBALANCE_TIMEOUT_MS = 20_000;
  private static final short EMBEDDED_VERSION = 0;

  private final ClusterClient client;
  private final String groupId;
  private final String topic;
  private final int partitionCount;
  private String memberId = "";
  private int generation = Offsets.NO_GENERATION;
  private List<JoinGroupResponse.JoinGroupResponseMember> members = List.of();

  GroupMember(ClusterClient client, String groupId, String topic, int partitionCount) {
    this.client = client;
    this.groupId = groupId;
    this.topic = topic;
    this.partitionCount = partitionCount;
  }

  /** Generation of the group that this member is in. */
  int generation() {
    return generation;
  }

  /** The id that the coordinator gave. */
  String memberId() {
    return memberId;
  }

  /** Joins until the group is stable, and returns the partitions of this member. */
  List<TopicPartition> join() throws IOException {
    for (int attempt = 0; attempt < ClusterClient.ATTEMPTS_MAX; attempt++) {
      ErrorCode error = tryJoin();
      List<TopicPartition> assigned = new ArrayList<>();
      if (error == ErrorCode.NONE) {
        error = trySync(assigned);
      }
      switch (error) {
        case NONE -> {
          return assigned;
        }
        case MEMBER_ID_REQUIRED, REBALANCE_IN_PROGRESS -> {
          // Again at once, with the id that the answer gave.
        }
        case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> memberId = "";
        default -> {
          if (!error.isRetriable()) {
            throw new CommandFailedException(
                "group %s: %s (%s)".formatted(groupId, error.text(), error));
          }
          client.pause();
        }
      }
    }
    throw new CommandFailedException("group " + groupId + " did not become stable");
  }

  /** Tells the coordinator that this member lives; false where it must join again. */
  boolean heartbeat() throws IOException {
    HeartbeatRequest request =
        new HeartbeatRequest()
            .setGroupId(groupId)
            .setGenerationId(generation)
            .setMemberId(memberId);
    try (Reply<HeartbeatResponse> reply =
        coordinator().call(ApiKey.HEARTBEAT, request, HeartbeatResponse.class)) {
      ErrorCode error = ErrorCode.forCode(reply.message().errorCode());
      return switch (error) {
        case NONE -> true;
        case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
          memberId = "";
          yield false;
        }
        default -> {
          if (error != ErrorCode.REBALANCE_IN_PROGRESS && !error.isRetriable()) {
            throw new CommandFailedException(
                "group %s: %s (%s)".formatted(groupId, error.text(), error));
          }
          yield false;
        }
      };
    }
  }

  /** Leaves the group, so that others take over at once. */
  void leave() throws IOException {
    LeaveGroupRequest request =
        new LeaveGroupRequest()
            .setGroupId(groupId)
            .setMembers(List.of(new LeaveGroupRequest.MemberIdentity().setMemberId(memberId)));
    try (Reply<LeaveGroupResponse> reply =
        coordinator().call(ApiKey.LEAVE_GROUP, request, LeaveGroupResponse.class)) {
      CommandFailedException.check(reply.message().errorCode(), "leaving " + groupId, null);
    }
  }

  private ClusterClient.Broker coordinator() throws IOException {
    return client.groupCoordinator(groupId);
  }

  private ErrorCode tryJoin() throws IOException {
    ConsumerProtocolSubscription subscription =
        new ConsumerProtocolSubscription().setTopics(List.of(topic));
    ProtocolWriter writer = new ProtocolWriter();
    writer.writeInt16(EMBEDDED_VERSION);
    subscription.write(writer, EMBEDDED_VERSION);
    JoinGroupRequest request =
        new JoinGroupRequest()
            .setGroupId(groupId)
            .setSessionTimeoutMs(SESSION_TIMEOUT_MS)
            .setRebalanceTimeoutMs(REBALANCE_TIMEOUT_MS)
            .setMemberId(memberId)
            .setProtocolType(PROTOCOL_TYPE)
            .setProtocols(
                List.of(
                    new JoinGroupRequest.JoinGroupRequestProtocol()
                        .setName(RANGE)
                        .setMetadata(bytes(writer.toBuffer()))));
    try (Reply<JoinGroupResponse> reply =
        coordinator().call(ApiKey.JOIN_GROUP, request, JoinGroupResponse.class)) {
      JoinGroupResponse response = reply.message();
      ErrorCode error = ErrorCode.forCode(response.errorCode());
      if (error == ErrorCode.NONE || error == ErrorCode.MEMBER_ID_REQUIRED) {
        memberId = response.memberId();
        generation = response.generationId();
        boolean leads = error == ErrorCode.NONE && response.leader().equals(memberId);
        members = leads ? response.members() : List.of();
      }
      return error;
    }
  }

  private ErrorCode trySync(List<TopicPartition> assigned) throws IOException {
    try {
      return exchangeAssignments(assigned);
    } catch (ProtocolException e) {
      throw new IOException("group " + groupId + ": a member sent what is no subscription", e);
    }
  }

  private ErrorCode exchangeAssignments(List<TopicPartition> assigned)
      throws IOException, ProtocolException {
    SyncGroupRequest request =
        new SyncGroupRequest()
            .setGroupId(groupId)
            .setGenerationId(generation)
            .setMemberId(memberId)
            .setProtocolType(PROTOCOL_TYPE)
            .setProtocolName(RANGE)
            .setAssignments(assignments());
    try (Reply<SyncGroupResponse> reply =
        coordinator().call(ApiKey.SYNC_GROUP, request, SyncGroupResponse.class)) {
      SyncGroupResponse response = reply.message();
      if (response.errorCode() == ErrorCode.NONE.code()) {
        decodeAssignment(response.assignment(), assigned);
      }
      return ErrorCode.forCode(response.errorCode());
    }
  }

  /**
   * The range assignor: consecutive partitions in the order of member ids, to those who subscribe.
   */
  private List<SyncGroupRequest.SyncGroupRequestAssignment> assignments() throws ProtocolException {
    Map<String, List<String>> topicsOfMember = new TreeMap<>();
    for (JoinGroupResponse.JoinGroupResponseMember member : members) {
      topicsOfMember.put(member.memberId(), subscribedTopics(member.metadata()));
    }
    List<String> takers =
        topicsOfMember.entrySet().stream()
            .filter(entry -> entry.getValue().contains(topic))
            .map(Map.Entry::getKey)
            .sorted(Comparator.naturalOrder())
            .toList();
    List<SyncGroupRequest.SyncGroupRequestAssignment> all = new ArrayList<>();
    for (String member : topicsOfMember.keySet()) {
      int index = takers.indexOf(member);
      all.add(
          new SyncGroupRequest.SyncGroupRequestAssignment()
              .setMemberId(member)
              .setAssignment(encodeAssignment(index, takers.size())));
    }
    return all;
  }

  private byte[] encodeAssignment(int index, int takerCount) {
    List<Integer> partitions = new ArrayList<>();
    if (index >= 0) {
      int base = partitionCount / takerCount;
      int extra = partitionCount % takerCount;
      int first = index * base + Math.min(index, extra);
      int count = base + (index < extra ? 1 : 0);
      for (int i = 0; i < count; i++) {
        partitions.add(first + i);
      }
    }
    ProtocolWriter writer = new ProtocolWriter();
    writer.writeInt16(EMBEDDED_VERSION);
    new ConsumerProtocolAssignment()
        .setAssignedPartitions(
            List.of(
                new ConsumerProtocolAssignment.TopicPartition()
                    .setTopic(topic)
                    .setPartitions(partitions)))
        .write(writer, EMBEDDED_VERSION);
    return bytes(writer.toBuffer());
  }

  private static List<String> subscribedTopics(byte[] metadata) throws ProtocolException {
    ProtocolReader reader = new ProtocolReader(ByteBuffer.wrap(metadata));
    short version = reader.readInt16("ConsumerProtocolSubscription.Version");
    return new ConsumerProtocolSubscription(reader, known(version)).topics();
  }

  private void decodeAssignment(byte[] assignment, List<TopicPartition> assigned)
      throws ProtocolException {
    if (assignment.length == 0) {
      return;
    }
    ProtocolReader reader = new ProtocolReader(ByteBuffer.wrap(assignment));
    short version = reader.readInt16("ConsumerProtocolAssignment.Version");
    for (var entry : new ConsumerProtocolAssignment(reader, known(version)).assignedPartitions()) {
      for (int partition : entry.partitions()) {
        assigned.add(new TopicPartition(entry.topic(), partition));
      }
    }
  }

  /** A newer embedded version only adds fields behind those that we know. */
  private static short known(short version) {
    return (short) Math.min(version, ConsumerProtocolSubscription.HIGHEST_VERSION);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return copy;
  }
}
