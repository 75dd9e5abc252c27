package io.weirmq.server.internal.broker;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.AlterConfigsRequest;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.CreatePartitionsRequest;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.DeleteGroupsRequest;
import io.weirmq.protocol.message.DeleteRecordsRequest;
import io.weirmq.protocol.message.DeleteTopicsRequest;
import io.weirmq.protocol.message.DescribeClusterRequest;
import io.weirmq.protocol.message.DescribeConfigsRequest;
import io.weirmq.protocol.message.DescribeGroupsRequest;
import io.weirmq.protocol.message.DescribeLogDirsRequest;
import io.weirmq.protocol.message.DescribeProducersRequest;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.protocol.message.HeartbeatRequest;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.JoinGroupRequest;
import io.weirmq.protocol.message.LeaveGroupRequest;
import io.weirmq.protocol.message.ListGroupsRequest;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.OffsetCommitRequest;
import io.weirmq.protocol.message.OffsetDeleteRequest;
import io.weirmq.protocol.message.OffsetFetchRequest;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.SyncGroupRequest;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.internal.admin.ConfigAlterations;
import io.weirmq.server.internal.admin.PartitionPlans;
import io.weirmq.server.internal.admin.ProducerIds;
import io.weirmq.server.internal.admin.TopicCreation;
import io.weirmq.server.internal.admin.TopicPlans;
import io.weirmq.server.internal.fetch.DirectReadHandler;
import io.weirmq.server.internal.fetch.FetchHandler;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.MetadataTopicCatalog;
import io.weirmq.server.internal.group.TopicCatalog;
import io.weirmq.server.internal.handler.AlterConfigsHandler;
import io.weirmq.server.internal.handler.ApiVersionsHandler;
import io.weirmq.server.internal.handler.CreatePartitionsHandler;
import io.weirmq.server.internal.handler.CreateTopicsHandler;
import io.weirmq.server.internal.handler.DeleteGroupsHandler;
import io.weirmq.server.internal.handler.DeleteRecordsHandler;
import io.weirmq.server.internal.handler.DeleteTopicsHandler;
import io.weirmq.server.internal.handler.DescribeClusterHandler;
import io.weirmq.server.internal.handler.DescribeConfigsHandler;
import io.weirmq.server.internal.handler.DescribeGroupsHandler;
import io.weirmq.server.internal.handler.DescribeLogDirsHandler;
import io.weirmq.server.internal.handler.DescribeProducersHandler;
import io.weirmq.server.internal.handler.FindCoordinatorHandler;
import io.weirmq.server.internal.handler.HeartbeatHandler;
import io.weirmq.server.internal.handler.IncrementalAlterConfigsHandler;
import io.weirmq.server.internal.handler.InitProducerIdHandler;
import io.weirmq.server.internal.handler.JoinGroupHandler;
import io.weirmq.server.internal.handler.LeaveGroupHandler;
import io.weirmq.server.internal.handler.ListGroupsHandler;
import io.weirmq.server.internal.handler.ListOffsetsHandler;
import io.weirmq.server.internal.handler.MetadataAnswers;
import io.weirmq.server.internal.handler.MetadataHandler;
import io.weirmq.server.internal.handler.OffsetCommitHandler;
import io.weirmq.server.internal.handler.OffsetDeleteHandler;
import io.weirmq.server.internal.handler.OffsetFetchHandler;
import io.weirmq.server.internal.handler.OffsetForLeaderEpochHandler;
import io.weirmq.server.internal.handler.SyncGroupHandler;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.produce.ProduceHandler;
import io.weirmq.server.internal.request.ApiTable;
import java.util.concurrent.Executor;

/**
 * The registration table of the broker: every API that is served, with its versions and its
 * handler.
 *
 * <p>Lower ends stay as they are here: older clients switch features off, without a word, where an
 * API lacks an exact old version. Confined to one thread (the one that starts the broker).
 */
final class ServedApis {

  private final BrokerConfig config;
  private final Storage storage;
  private final PartitionLookup lookup;
  private final ReadFailures readFailures;
  private final Coordination coordination;
  private final Executor blocking;
  private final ApiTable.Builder table = ApiTable.builder();

  /**
   * Makes the table's maker.
   *
   * @param blocking runs what may block
   */
  ServedApis(
      BrokerConfig config,
      Storage storage,
      PartitionLookup lookup,
      ReadFailures readFailures,
      Coordination coordination,
      Executor blocking) {
    this.config = config;
    this.storage = storage;
    this.lookup = lookup;
    this.readFailures = readFailures;
    this.coordination = coordination;
    this.blocking = blocking;
  }

  /** Returns the table of all APIs. */
  ApiTable table(ProduceHandler produce, FetchHandler fetch, DirectReadHandler directRead) {
    addRecordApis(produce, fetch);
    table.serve(ApiKey.DIRECT_READ, 0, 0, DirectReadRequest::new, directRead);
    addTopicApis();
    addConfigApis();
    addClusterApis();
    addMembershipApis();
    addOffsetApis();
    addGroupAdministration();
    return table.build(0, 4, ApiVersionsRequest::new, ApiVersionsHandler::new);
  }

  private void addRecordApis(ProduceHandler produce, FetchHandler fetch) {
    table
        // Advertised from 0, as older librdkafka compresses nothing otherwise; v0-2 do not exist.
        .serve(ApiKey.PRODUCE, 0, 3, 13, ProduceRequest::new, produce)
        .serve(ApiKey.FETCH, 4, 18, FetchRequest::new, fetch)
        .serve(
            ApiKey.LIST_OFFSETS,
            1,
            11,
            ListOffsetsRequest::new,
            new ListOffsetsHandler(lookup, readFailures))
        .serve(
            ApiKey.OFFSET_FOR_LEADER_EPOCH,
            2,
            4,
            OffsetForLeaderEpochRequest::new,
            new OffsetForLeaderEpochHandler(lookup))
        .serve(
            ApiKey.DELETE_RECORDS,
            0,
            2,
            DeleteRecordsRequest::new,
            new DeleteRecordsHandler(lookup))
        .serve(
            ApiKey.INIT_PRODUCER_ID,
            0,
            5,
            InitProducerIdRequest::new,
            new InitProducerIdHandler(new ProducerIds(storage.metadata())))
        .serve(
            ApiKey.DESCRIBE_PRODUCERS,
            0,
            0,
            DescribeProducersRequest::new,
            new DescribeProducersHandler(lookup));
  }

  private void addTopicApis() {
    MetadataStore metadata = storage.metadata();
    TopicPlans plans = new TopicPlans(config.topics());
    MetadataAnswers answers =
        new MetadataAnswers(partition -> storage.partitions().offlineReason(partition).isPresent());
    table
        .serve(
            ApiKey.METADATA,
            0,
            13,
            MetadataRequest::new,
            new MetadataHandler(
                metadata,
                answers,
                new TopicCreation(metadata, plans, config.groups()),
                config.topics().autoCreate()))
        .serve(
            ApiKey.CREATE_TOPICS,
            2,
            7,
            CreateTopicsRequest::new,
            new CreateTopicsHandler(metadata, plans, config.topicConfigs()))
        .serve(
            ApiKey.DELETE_TOPICS,
            1,
            6,
            DeleteTopicsRequest::new,
            new DeleteTopicsHandler(metadata, config.topics().deleteEnabled()))
        .serve(
            ApiKey.CREATE_PARTITIONS,
            0,
            3,
            CreatePartitionsRequest::new,
            new CreatePartitionsHandler(metadata, new PartitionPlans(config.topics())));
  }

  private void addConfigApis() {
    ConfigAlterations alterations =
        new ConfigAlterations(config.brokerId(), storage.metadata(), config.topicConfigs());
    table
        .serve(
            ApiKey.DESCRIBE_CONFIGS,
            1,
            4,
            DescribeConfigsRequest::new,
            new DescribeConfigsHandler(storage.metadata(), config.topicConfigs(), alterations))
        .serve(
            ApiKey.ALTER_CONFIGS,
            0,
            2,
            AlterConfigsRequest::new,
            new AlterConfigsHandler(alterations))
        .serve(
            ApiKey.INCREMENTAL_ALTER_CONFIGS,
            0,
            1,
            IncrementalAlterConfigsRequest::new,
            new IncrementalAlterConfigsHandler(alterations));
  }

  private void addClusterApis() {
    table
        .serve(
            ApiKey.DESCRIBE_CLUSTER,
            0,
            2,
            DescribeClusterRequest::new,
            new DescribeClusterHandler(storage.metadata()))
        .serve(
            ApiKey.DESCRIBE_LOG_DIRS,
            1,
            5,
            DescribeLogDirsRequest::new,
            new DescribeLogDirsHandler(storage.partitions(), blocking));
  }

  private void addMembershipApis() {
    GroupCoordinator groups = coordination.coordinator();
    table
        .serve(
            ApiKey.FIND_COORDINATOR,
            0,
            6,
            FindCoordinatorRequest::new,
            new FindCoordinatorHandler(coordination.topic()))
        .serve(ApiKey.JOIN_GROUP, 0, 9, JoinGroupRequest::new, new JoinGroupHandler(groups))
        .serve(ApiKey.SYNC_GROUP, 0, 5, SyncGroupRequest::new, new SyncGroupHandler(groups))
        .serve(ApiKey.HEARTBEAT, 0, 4, HeartbeatRequest::new, new HeartbeatHandler(groups))
        .serve(ApiKey.LEAVE_GROUP, 0, 5, LeaveGroupRequest::new, new LeaveGroupHandler(groups));
  }

  private void addOffsetApis() {
    GroupCoordinator groups = coordination.coordinator();
    TopicCatalog topics = new MetadataTopicCatalog(storage.metadata());
    table
        .serve(
            ApiKey.OFFSET_COMMIT,
            2,
            10,
            OffsetCommitRequest::new,
            new OffsetCommitHandler(groups, topics))
        .serve(
            ApiKey.OFFSET_FETCH,
            1,
            10,
            OffsetFetchRequest::new,
            new OffsetFetchHandler(groups, topics))
        .serve(
            ApiKey.OFFSET_DELETE,
            0,
            0,
            OffsetDeleteRequest::new,
            new OffsetDeleteHandler(groups, topics));
  }

  private void addGroupAdministration() {
    GroupCoordinator groups = coordination.coordinator();
    table
        .serve(
            ApiKey.DESCRIBE_GROUPS,
            0,
            6,
            DescribeGroupsRequest::new,
            new DescribeGroupsHandler(groups))
        .serve(ApiKey.LIST_GROUPS, 0, 5, ListGroupsRequest::new, new ListGroupsHandler(groups))
        .serve(
            ApiKey.DELETE_GROUPS, 0, 2, DeleteGroupsRequest::new, new DeleteGroupsHandler(groups));
  }
}
