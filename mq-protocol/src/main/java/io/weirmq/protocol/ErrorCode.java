package io.weirmq.protocol;

/**
 * The error codes of the protocol, with the protocol's names.
 *
 * <p>Immutable.
 */
public enum ErrorCode {
  /** Unexpected failure in the broker; its log has the cause. */
  UNKNOWN_SERVER_ERROR(-1, Retry.NEVER, "unexpected failure in the broker; its log has the cause"),
  /** No error. */
  NONE(0, Retry.NEVER, "no error"),
  /** The offset is outside the log's range. */
  OFFSET_OUT_OF_RANGE(1, Retry.NEVER, "the offset is outside the log's range"),
  /** The record batch's checksum does not match its bytes. */
  CORRUPT_MESSAGE(2, Retry.AS_IS, "the record batch's checksum does not match its bytes"),
  /** No such topic or partition here. */
  UNKNOWN_TOPIC_OR_PARTITION(3, Retry.AFTER_METADATA, "no such topic or partition here"),
  /** The fetch size is not allowed. */
  INVALID_FETCH_SIZE(4, Retry.NEVER, "the fetch size is not allowed"),
  /** The partition has no leader at the moment. */
  LEADER_NOT_AVAILABLE(5, Retry.AFTER_METADATA, "the partition has no leader at the moment"),
  /** This broker does not lead, or does not hold, the partition. */
  NOT_LEADER_OR_FOLLOWER(
      6, Retry.AFTER_METADATA, "this broker does not lead, or does not hold, the partition"),
  /** The request was not completed in its time. */
  REQUEST_TIMED_OUT(7, Retry.AS_IS, "the request was not completed in its time"),
  /** The broker is not available. */
  BROKER_NOT_AVAILABLE(8, Retry.NEVER, "the broker is not available"),
  /** The replica is not available here. */
  REPLICA_NOT_AVAILABLE(9, Retry.AFTER_METADATA, "the replica is not available here"),
  /** A record batch is larger than the topic allows. */
  MESSAGE_TOO_LARGE(10, Retry.NEVER, "a record batch is larger than the topic allows"),
  /** The controller's epoch is outdated. */
  STALE_CONTROLLER_EPOCH(11, Retry.NEVER, "the controller's epoch is outdated"),
  /** The metadata of a committed offset is too large. */
  OFFSET_METADATA_TOO_LARGE(12, Retry.NEVER, "the metadata of a committed offset is too large"),
  /** The connection ended before the response. */
  NETWORK_EXCEPTION(13, Retry.AFTER_METADATA, "the connection ended before the response"),
  /** The coordinator is still loading its state. */
  COORDINATOR_LOAD_IN_PROGRESS(14, Retry.AS_IS, "the coordinator is still loading its state"),
  /** There is no coordinator at the moment. */
  COORDINATOR_NOT_AVAILABLE(15, Retry.AFTER_COORDINATOR, "there is no coordinator at the moment"),
  /** This broker is not the coordinator. */
  NOT_COORDINATOR(16, Retry.AFTER_COORDINATOR, "this broker is not the coordinator"),
  /** The topic's name is not allowed, or the topic is reserved. */
  INVALID_TOPIC_EXCEPTION(
      17, Retry.NEVER, "the topic's name is not allowed, or the topic is reserved"),
  /** The record batch is larger than a segment. */
  RECORD_LIST_TOO_LARGE(18, Retry.NEVER, "the record batch is larger than a segment"),
  /** Fewer replicas are in sync than required; nothing was written. */
  NOT_ENOUGH_REPLICAS(
      19, Retry.AS_IS, "fewer replicas are in sync than required; nothing was written"),
  /** Written, but to fewer in-sync replicas than required. */
  NOT_ENOUGH_REPLICAS_AFTER_APPEND(
      20, Retry.AS_IS, "written, but to fewer in-sync replicas than required"),
  /** Acks must be -1, 0 or 1. */
  INVALID_REQUIRED_ACKS(21, Retry.NEVER, "acks must be -1, 0 or 1"),
  /** The group is at another generation. */
  ILLEGAL_GENERATION(22, Retry.NEVER, "the group is at another generation"),
  /** The member shares no protocol with the group. */
  INCONSISTENT_GROUP_PROTOCOL(23, Retry.NEVER, "the member shares no protocol with the group"),
  /** The group id is not allowed. */
  INVALID_GROUP_ID(24, Retry.NEVER, "the group id is not allowed"),
  /** The group does not know this member. */
  UNKNOWN_MEMBER_ID(25, Retry.NEVER, "the group does not know this member"),
  /** The session timeout is outside the broker's limits. */
  INVALID_SESSION_TIMEOUT(26, Retry.NEVER, "the session timeout is outside the broker's limits"),
  /** The group is rebalancing; join again. */
  REBALANCE_IN_PROGRESS(27, Retry.NEVER, "the group is rebalancing; join again"),
  /** The offset commit is too large. */
  INVALID_COMMIT_OFFSET_SIZE(28, Retry.NEVER, "the offset commit is too large"),
  /** Not authorized for the topic. */
  TOPIC_AUTHORIZATION_FAILED(29, Retry.NEVER, "not authorized for the topic"),
  /** Not authorized for the group. */
  GROUP_AUTHORIZATION_FAILED(30, Retry.NEVER, "not authorized for the group"),
  /** Not authorized for the cluster. */
  CLUSTER_AUTHORIZATION_FAILED(31, Retry.NEVER, "not authorized for the cluster"),
  /** A record's timestamp is outside the range that the topic accepts. */
  INVALID_TIMESTAMP(
      32, Retry.NEVER, "a record's timestamp is outside the range that the topic accepts"),
  /** The SASL mechanism is not offered. */
  UNSUPPORTED_SASL_MECHANISM(33, Retry.NEVER, "the SASL mechanism is not offered"),
  /** The request does not fit the state of authentication. */
  ILLEGAL_SASL_STATE(34, Retry.NEVER, "the request does not fit the state of authentication"),
  /** The version of the API is not supported. */
  UNSUPPORTED_VERSION(35, Retry.NEVER, "the version of the API is not supported"),
  /** A topic of this name exists. */
  TOPIC_ALREADY_EXISTS(36, Retry.NEVER, "a topic of this name exists"),
  /** The number of partitions is not allowed. */
  INVALID_PARTITIONS(37, Retry.NEVER, "the number of partitions is not allowed"),
  /** The replication factor is below 1 or above the number of brokers. */
  INVALID_REPLICATION_FACTOR(
      38, Retry.NEVER, "the replication factor is below 1 or above the number of brokers"),
  /** The assignment of replicas is not valid. */
  INVALID_REPLICA_ASSIGNMENT(39, Retry.NEVER, "the assignment of replicas is not valid"),
  /** The configuration is not valid. */
  INVALID_CONFIG(40, Retry.NEVER, "the configuration is not valid"),
  /** This broker is not the controller. */
  NOT_CONTROLLER(41, Retry.AS_IS, "this broker is not the controller"),
  /** The request contradicts itself or the protocol. */
  INVALID_REQUEST(42, Retry.NEVER, "the request contradicts itself or the protocol"),
  /** The format of the stored records does not allow this. */
  UNSUPPORTED_FOR_MESSAGE_FORMAT(
      43, Retry.NEVER, "the format of the stored records does not allow this"),
  /** A policy of the cluster forbids this. */
  POLICY_VIOLATION(44, Retry.NEVER, "a policy of the cluster forbids this"),
  /** The producer's sequence number leaves a gap. */
  OUT_OF_ORDER_SEQUENCE_NUMBER(45, Retry.NEVER, "the producer's sequence number leaves a gap"),
  /** The producer's sequence number was seen before. */
  DUPLICATE_SEQUENCE_NUMBER(46, Retry.NEVER, "the producer's sequence number was seen before"),
  /** The producer's epoch is outdated. */
  INVALID_PRODUCER_EPOCH(47, Retry.NEVER, "the producer's epoch is outdated"),
  /** The transaction's state does not allow this. */
  INVALID_TXN_STATE(48, Retry.NEVER, "the transaction's state does not allow this"),
  /** The producer id does not belong to the transactional id. */
  INVALID_PRODUCER_ID_MAPPING(
      49, Retry.NEVER, "the producer id does not belong to the transactional id"),
  /** The transaction timeout is above the broker's limit. */
  INVALID_TRANSACTION_TIMEOUT(
      50, Retry.NEVER, "the transaction timeout is above the broker's limit"),
  /** Another change of this transaction is under way. */
  CONCURRENT_TRANSACTIONS(51, Retry.AS_IS, "another change of this transaction is under way"),
  /** The sender no longer coordinates the transaction. */
  TRANSACTION_COORDINATOR_FENCED(
      52, Retry.NEVER, "the sender no longer coordinates the transaction"),
  /** Not authorized for the transactional id. */
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED(53, Retry.NEVER, "not authorized for the transactional id"),
  /** No authorizer is configured. */
  SECURITY_DISABLED(54, Retry.NEVER, "no authorizer is configured"),
  /** Not tried, as another part of the request failed. */
  OPERATION_NOT_ATTEMPTED(55, Retry.NEVER, "not tried, as another part of the request failed"),
  /** The broker's disk failed. */
  KAFKA_STORAGE_ERROR(56, Retry.AFTER_METADATA, "the broker's disk failed"),
  /** The broker has no such log folder. */
  LOG_DIR_NOT_FOUND(57, Retry.NEVER, "the broker has no such log folder"),
  /** Authentication failed. */
  SASL_AUTHENTICATION_FAILED(58, Retry.NEVER, "authentication failed"),
  /** Nothing is known of the producer id. */
  UNKNOWN_PRODUCER_ID(59, Retry.NEVER, "nothing is known of the producer id"),
  /** The partition is being reassigned. */
  REASSIGNMENT_IN_PROGRESS(60, Retry.NEVER, "the partition is being reassigned"),
  /** Delegation tokens are not enabled. */
  DELEGATION_TOKEN_AUTH_DISABLED(61, Retry.NEVER, "delegation tokens are not enabled"),
  /** No such delegation token. */
  DELEGATION_TOKEN_NOT_FOUND(62, Retry.NEVER, "no such delegation token"),
  /** The principal neither owns nor may renew the token. */
  DELEGATION_TOKEN_OWNER_MISMATCH(
      63, Retry.NEVER, "the principal neither owns nor may renew the token"),
  /** Tokens cannot be asked for over this kind of connection. */
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED(
      64, Retry.NEVER, "tokens cannot be asked for over this kind of connection"),
  /** Not authorized for the delegation token. */
  DELEGATION_TOKEN_AUTHORIZATION_FAILED(65, Retry.NEVER, "not authorized for the delegation token"),
  /** The delegation token is expired. */
  DELEGATION_TOKEN_EXPIRED(66, Retry.NEVER, "the delegation token is expired"),
  /** The type of principal is not supported. */
  INVALID_PRINCIPAL_TYPE(67, Retry.NEVER, "the type of principal is not supported"),
  /** The group has members. */
  NON_EMPTY_GROUP(68, Retry.NEVER, "the group has members"),
  /** No such group. */
  GROUP_ID_NOT_FOUND(69, Retry.NEVER, "no such group"),
  /** No such fetch session. */
  FETCH_SESSION_ID_NOT_FOUND(70, Retry.AS_IS, "no such fetch session"),
  /** The fetch session is at another epoch. */
  INVALID_FETCH_SESSION_EPOCH(71, Retry.AS_IS, "the fetch session is at another epoch"),
  /** The leader has no listener of the name that the request came through. */
  LISTENER_NOT_FOUND(
      72,
      Retry.AFTER_METADATA,
      "the leader has no listener of the name that the request came through"),
  /** Deletion of topics is disabled. */
  TOPIC_DELETION_DISABLED(73, Retry.NEVER, "deletion of topics is disabled"),
  /** The leader epoch of the request is older than the broker's. */
  FENCED_LEADER_EPOCH(
      74, Retry.AFTER_METADATA, "the leader epoch of the request is older than the broker's"),
  /** The leader epoch of the request is newer than the broker's. */
  UNKNOWN_LEADER_EPOCH(
      75, Retry.AS_IS, "the leader epoch of the request is newer than the broker's"),
  /** The compression is not allowed in this version. */
  UNSUPPORTED_COMPRESSION_TYPE(76, Retry.NEVER, "the compression is not allowed in this version"),
  /** The broker's epoch is outdated. */
  STALE_BROKER_EPOCH(77, Retry.NEVER, "the broker's epoch is outdated"),
  /** The new leader does not know its high watermark yet. */
  OFFSET_NOT_AVAILABLE(78, Retry.AS_IS, "the new leader does not know its high watermark yet"),
  /** Join again with the member id of this response. */
  MEMBER_ID_REQUIRED(79, Retry.NEVER, "join again with the member id of this response"),
  /** The preferred leader is not available. */
  PREFERRED_LEADER_NOT_AVAILABLE(80, Retry.AFTER_METADATA, "the preferred leader is not available"),
  /** The group is full. */
  GROUP_MAX_SIZE_REACHED(81, Retry.NEVER, "the group is full"),
  /** Another member took over this instance id. */
  FENCED_INSTANCE_ID(82, Retry.NEVER, "another member took over this instance id"),
  /** No replica may become leader. */
  ELIGIBLE_LEADERS_NOT_AVAILABLE(83, Retry.AFTER_METADATA, "no replica may become leader"),
  /** The leader is in place already. */
  ELECTION_NOT_NEEDED(84, Retry.AFTER_METADATA, "the leader is in place already"),
  /** The partition is not being reassigned. */
  NO_REASSIGNMENT_IN_PROGRESS(85, Retry.NEVER, "the partition is not being reassigned"),
  /** The group is subscribed to the topic. */
  GROUP_SUBSCRIBED_TO_TOPIC(86, Retry.NEVER, "the group is subscribed to the topic"),
  /** A record is not valid. */
  INVALID_RECORD(87, Retry.NEVER, "a record is not valid"),
  /** An offset waits for the end of a transaction. */
  UNSTABLE_OFFSET_COMMIT(88, Retry.AS_IS, "an offset waits for the end of a transaction"),
  /** A quota is used up. */
  THROTTLING_QUOTA_EXCEEDED(89, Retry.AS_IS, "a quota is used up"),
  /** A newer producer took over the transactional id. */
  PRODUCER_FENCED(90, Retry.NEVER, "a newer producer took over the transactional id"),
  /** The resource does not exist. */
  RESOURCE_NOT_FOUND(91, Retry.NEVER, "the resource does not exist"),
  /** The resource is named twice. */
  DUPLICATE_RESOURCE(92, Retry.NEVER, "the resource is named twice"),
  /** The credential does not meet the rules. */
  UNACCEPTABLE_CREDENTIAL(93, Retry.NEVER, "the credential does not meet the rules"),
  /** Sender or receiver is not one of the voters. */
  INCONSISTENT_VOTER_SET(94, Retry.NEVER, "sender or receiver is not one of the voters"),
  /** The update is based on another version. */
  INVALID_UPDATE_VERSION(95, Retry.NEVER, "the update is based on another version"),
  /** The features could not be updated. */
  FEATURE_UPDATE_FAILED(96, Retry.NEVER, "the features could not be updated"),
  /** The principal of a forwarded request could not be read. */
  PRINCIPAL_DESERIALIZATION_FAILURE(
      97, Retry.NEVER, "the principal of a forwarded request could not be read"),
  /** No such snapshot. */
  SNAPSHOT_NOT_FOUND(98, Retry.NEVER, "no such snapshot"),
  /** The position is outside the snapshot. */
  POSITION_OUT_OF_RANGE(99, Retry.NEVER, "the position is outside the snapshot"),
  /** No topic of this id here. */
  UNKNOWN_TOPIC_ID(100, Retry.AFTER_METADATA, "no topic of this id here"),
  /** The broker id is in use. */
  DUPLICATE_BROKER_REGISTRATION(101, Retry.NEVER, "the broker id is in use"),
  /** The broker id is not registered. */
  BROKER_ID_NOT_REGISTERED(102, Retry.NEVER, "the broker id is not registered"),
  /** The log belongs to another topic id. */
  INCONSISTENT_TOPIC_ID(103, Retry.AFTER_METADATA, "the log belongs to another topic id"),
  /** The cluster has another id. */
  INCONSISTENT_CLUSTER_ID(104, Retry.NEVER, "the cluster has another id"),
  /** No such transactional id. */
  TRANSACTIONAL_ID_NOT_FOUND(105, Retry.NEVER, "no such transactional id"),
  /** The fetch session mixes topic names and ids. */
  FETCH_SESSION_TOPIC_ID_ERROR(106, Retry.AS_IS, "the fetch session mixes topic names and ids"),
  /** A replica of the new ISR is not eligible. */
  INELIGIBLE_REPLICA(107, Retry.NEVER, "a replica of the new ISR is not eligible"),
  /** The partition changed and has a new leader. */
  NEW_LEADER_ELECTED(108, Retry.NEVER, "the partition changed and has a new leader"),
  /** The offset is in tiered storage. */
  OFFSET_MOVED_TO_TIERED_STORAGE(109, Retry.NEVER, "the offset is in tiered storage"),
  /** The member is fenced; give up all partitions and join again. */
  FENCED_MEMBER_EPOCH(
      110, Retry.NEVER, "the member is fenced; give up all partitions and join again"),
  /** Another member still uses this instance id. */
  UNRELEASED_INSTANCE_ID(111, Retry.NEVER, "another member still uses this instance id"),
  /** The group does not support the assignor. */
  UNSUPPORTED_ASSIGNOR(112, Retry.NEVER, "the group does not support the assignor"),
  /** The member's epoch is outdated; retry after the next heartbeat. */
  STALE_MEMBER_EPOCH(
      113, Retry.NEVER, "the member's epoch is outdated; retry after the next heartbeat"),
  /** The endpoint is of another type. */
  MISMATCHED_ENDPOINT_TYPE(114, Retry.NEVER, "the endpoint is of another type"),
  /** The type of endpoint is not supported. */
  UNSUPPORTED_ENDPOINT_TYPE(115, Retry.NEVER, "the type of endpoint is not supported"),
  /** No such controller. */
  UNKNOWN_CONTROLLER_ID(116, Retry.NEVER, "no such controller"),
  /** No such telemetry subscription. */
  UNKNOWN_SUBSCRIPTION_ID(117, Retry.NEVER, "no such telemetry subscription"),
  /** The telemetry is too large. */
  TELEMETRY_TOO_LARGE(118, Retry.NEVER, "the telemetry is too large"),
  /** The broker's registration is not valid. */
  INVALID_REGISTRATION(119, Retry.NEVER, "the broker's registration is not valid"),
  /** The transaction must be aborted; the producer may go on. */
  TRANSACTION_ABORTABLE(
      120, Retry.NEVER, "the transaction must be aborted; the producer may go on"),
  /** The record's delivery state does not allow this. */
  INVALID_RECORD_STATE(121, Retry.NEVER, "the record's delivery state does not allow this"),
  /** No such share session. */
  SHARE_SESSION_NOT_FOUND(122, Retry.AS_IS, "no such share session"),
  /** The share session is at another epoch. */
  INVALID_SHARE_SESSION_EPOCH(123, Retry.AS_IS, "the share session is at another epoch"),
  /** The share group's state is at another epoch. */
  FENCED_STATE_EPOCH(124, Retry.NEVER, "the share group's state is at another epoch"),
  /** The voter's key is not the receiver's. */
  INVALID_VOTER_KEY(125, Retry.NEVER, "the voter's key is not the receiver's"),
  /** The voter is one already. */
  DUPLICATE_VOTER(126, Retry.NEVER, "the voter is one already"),
  /** No such voter. */
  VOTER_NOT_FOUND(127, Retry.NEVER, "no such voter"),
  /** The regular expression is not valid. */
  INVALID_REGULAR_EXPRESSION(128, Retry.NEVER, "the regular expression is not valid"),
  /** The client must start anew from its bootstrap servers. */
  REBOOTSTRAP_REQUIRED(129, Retry.NEVER, "the client must start anew from its bootstrap servers"),
  /** The topology is not valid. */
  STREAMS_INVALID_TOPOLOGY(130, Retry.NEVER, "the topology is not valid"),
  /** The topology's epoch is not valid. */
  STREAMS_INVALID_TOPOLOGY_EPOCH(131, Retry.NEVER, "the topology's epoch is not valid"),
  /** The topology's epoch is outdated. */
  STREAMS_TOPOLOGY_FENCED(132, Retry.NEVER, "the topology's epoch is outdated"),
  /** There are as many share sessions as are allowed. */
  SHARE_SESSION_LIMIT_REACHED(133, Retry.AS_IS, "there are as many share sessions as are allowed");

  /** What a client does about an error. */
  public enum Retry {
    /** The call fails. Group and transaction errors may make the client start something over. */
    NEVER,
    /** The same request again, after a pause. */
    AS_IS,
    /** The same request again, to whom fresh metadata names. */
    AFTER_METADATA,
    /** The same request again, to the coordinator that is found anew. */
    AFTER_COORDINATOR
  }

  private static final int LOWEST = -1;
  private static final ErrorCode[] BY_CODE = byCode();

  private final short code;
  private final Retry retry;
  private final String text;

  ErrorCode(int code, Retry retry, String text) {
    this.code = (short) code;
    this.retry = retry;
    this.text = text;
  }

  private static ErrorCode[] byCode() {
    ErrorCode[] all = values();
    ErrorCode[] table = new ErrorCode[all[all.length - 1].code - LOWEST + 1];
    for (ErrorCode error : all) {
      table[error.code - LOWEST] = error;
    }
    return table;
  }

  /** The error of that number; a number from a later protocol is {@link #UNKNOWN_SERVER_ERROR}. */
  public static ErrorCode forCode(int code) {
    int index = code - LOWEST;
    return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : UNKNOWN_SERVER_ERROR;
  }

  /** The number on the wire. */
  public short code() {
    return code;
  }

  /** What a client does about it. */
  public Retry retry() {
    return retry;
  }

  /** Whether the same request may succeed later. */
  public boolean isRetriable() {
    return retry != Retry.NEVER;
  }

  /** A short text for people, for the message fields of responses. */
  public String text() {
    return text;
  }
}
