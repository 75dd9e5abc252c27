package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.frame.IncomingRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.protocol.message.DescribeProducersResponse;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leads partition 0 of every topic and answers batches as the test says, one by one. A second node
 * takes connections and never answers.
 */
final class ScriptedBroker implements AutoCloseable {

  private final Transport transport = TransportProviders.open("tcp", TransportOptions.defaults());
  private final Listener listener;
  private final FrameCodec codec = new FrameCodec();
  private final Listener silent;
  private final Semaphore silentConnections = new Semaphore(0);
  private final Set<String> ledBySilentNode = ConcurrentHashMap.newKeySet();
  private final Semaphore opened = new Semaphore(0);
  private final Semaphore closed = new Semaphore(0);
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<Runnable> heldBack = new LinkedBlockingQueue<>();
  private volatile @Nullable ApiKey holding;
  private final Map<ApiKey, Supplier<? extends ApiMessage>> scripts = new ConcurrentHashMap<>();
  private final Map<ApiKey, ApiMessage> lastRequests = new ConcurrentHashMap<>();
  private volatile int lastSequence = -1;
  private volatile boolean grantingFiles = true;
  private final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();

  ScriptedBroker() throws IOException {
    listener = transport.listen(Endpoint.tcp("127.0.0.1", 0), connection -> new Handler());
    silent = transport.listen(Endpoint.tcp("127.0.0.1", 0), connection -> new SilentHandler());
  }

  IpcClient client() {
    return IpcClient.open(options());
  }

  IpcClientOptions options() {
    return IpcClientOptions.of(Endpoint.tcp("127.0.0.1", listener.endpoint().port()))
        .withTransport(TransportMode.TCP);
  }

  /** A batch that has come in. */
  record Batch(
      Connection connection,
      IncomingRequest request,
      String topic,
      short acks,
      long producerId,
      int baseSequence,
      int recordCount,
      boolean isSound) {}

  /** Returns the next batch. */
  Batch next() throws InterruptedException {
    Batch batch = batches.poll(30, TimeUnit.SECONDS);
    if (batch == null) {
      throw new AssertionError("no batch has come");
    }
    return batch;
  }

  boolean isQuiet() {
    return batches.isEmpty();
  }

  void answer(Batch batch, ErrorCode error, long baseOffset) {
    ProduceResponse response =
        new ProduceResponse()
            .setResponses(
                List.of(
                    new ProduceResponse.TopicProduceResponse()
                        .setName(batch.topic())
                        .setPartitionResponses(
                            List.of(
                                new ProduceResponse.PartitionProduceResponse()
                                    .setIndex(0)
                                    .setErrorCode(error.code())
                                    .setBaseOffset(baseOffset)))));
    send(batch.connection(), batch.request(), response);
  }

  /** Answers the requests of an API as told; the answers are made on an I/O thread. */
  void answerWith(ApiKey api, Supplier<? extends ApiMessage> answers) {
    scripts.put(api, answers);
  }

  /** Lets it be a broker that grants no direct reading, to those who connect from now on. */
  void grantNoFiles() {
    grantingFiles = false;
  }

  /** The last request of an API that has come in; null where none has. */
  @Nullable ApiMessage lastRequest(ApiKey api) {
    return lastRequests.get(api);
  }

  /** The port at which it leads. */
  int port() {
    return listener.endpoint().port();
  }

  /** Holds back the answer to the next request of an API, see {@link #nextHeldBack}. */
  void holdBack(ApiKey api) {
    holding = api;
  }

  /** Waits until an answer is held back; it is sent where the result is run. */
  Runnable nextHeldBack() throws InterruptedException {
    Runnable answer = heldBack.poll(30, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer was held back");
    }
    return answer;
  }

  /** Waits until so many connections were made that have not been counted. */
  void awaitOpened(int count) throws InterruptedException {
    if (!opened.tryAcquire(count, 30, TimeUnit.SECONDS)) {
      throw new AssertionError(
          "%d connections were made, expected %d".formatted(opened.availablePermits(), count));
    }
  }

  /** The number of connections that were made and have not been counted. */
  int openedSoFar() {
    return opened.availablePermits();
  }

  /** As {@link #awaitOpened}, and until as many have ended. */
  void awaitOpenedAndClosed(int count) throws InterruptedException {
    awaitOpened(count);
    if (!closed.tryAcquire(count, 30, TimeUnit.SECONDS)) {
      throw new AssertionError(
          "%d connections have ended, expected %d".formatted(closed.availablePermits(), count));
    }
  }

  /** Ends all connections at which it leads; what was sent before arrives. */
  void cutAll() {
    connections.forEach(Connection::close);
  }

  /** Lets the node that never answers lead a topic from now on. */
  void giveToSilentNode(String topic) {
    ledBySilentNode.add(topic);
  }

  /**
   * Waits until somebody has connected to the node that never answers, who has not been counted.
   */
  void awaitSilentConnection() throws InterruptedException {
    if (!silentConnections.tryAcquire(30, TimeUnit.SECONDS)) {
      throw new AssertionError("nobody has connected");
    }
  }

  void cut(Batch batch) {
    batch.connection().close();
  }

  private void send(Connection connection, IncomingRequest request, ApiMessage response) {
    connection.send(
        codec.encodeResponse(
            request.apiKey(), request.version(), request.correlationId(), response));
    connection.flush();
  }

  private void handle(Connection connection, IncomingRequest request) throws ProtocolException {
    ApiMessage message = request.readMessage();
    lastRequests.put(request.apiKey(), message);
    if (message instanceof ProduceRequest produce) {
      batches.add(batch(connection, request, produce));
      return;
    }
    Supplier<? extends ApiMessage> script = scripts.get(request.apiKey());
    ApiMessage response = script == null ? answer(request, message) : script.get();
    if (request.apiKey() == holding) {
      holding = null;
      heldBack.add(() -> send(connection, request, response));
    } else {
      send(connection, request, response);
    }
  }

  private ApiMessage answer(IncomingRequest request, ApiMessage message) throws ProtocolException {
    return switch (request.apiKey()) {
      case API_VERSIONS -> versions();
      case METADATA -> metadata(topicOf((MetadataRequest) message));
      case DESCRIBE_PRODUCERS -> producers();
      case INIT_PRODUCER_ID -> new InitProducerIdResponse().setProducerId(77);
      default -> throw new ProtocolException("not in the script: " + request);
    };
  }

  private static Batch batch(
      Connection connection, IncomingRequest request, ProduceRequest produce) {
    RecordsData records = produce.topicData().get(0).partitionData().get(0).records();
    if (!(records instanceof RecordsData.Buffers buffers)) {
      throw new IllegalStateException("a request without records");
    }
    ByteBuffer bytes = buffers.buffers().get(0);
    RecordBatch batch = RecordBatch.of(bytes);
    return new Batch(
        connection,
        request,
        produce.topicData().get(0).name(),
        produce.acks(),
        batch.producerId(),
        batch.baseSequence(),
        batch.recordCount(),
        batch.isWhole() && batch.isCrcValid() && batch.sizeInBytes() == bytes.remaining());
  }

  private ApiVersionsResponse versions() {
    ApiVersionsResponse response = new ApiVersionsResponse();
    for (ApiKey key :
        List.of(
            ApiKey.API_VERSIONS,
            ApiKey.METADATA,
            ApiKey.INIT_PRODUCER_ID,
            ApiKey.DESCRIBE_PRODUCERS,
            ApiKey.DESCRIBE_CONFIGS,
            ApiKey.DIRECT_READ,
            ApiKey.PRODUCE)) {
      if (key == ApiKey.DIRECT_READ && !grantingFiles) {
        continue;
      }
      response
          .apiKeys()
          .add(
              new ApiVersionsResponse.ApiVersion()
                  .setApiKey(key.id())
                  .setMinVersion(key.lowestVersion())
                  .setMaxVersion(key.highestVersion()));
    }
    return response;
  }

  /** Says what the log has of the producer, to whoever asks from now on. */
  void hasSequencesUpTo(int sequence) {
    lastSequence = sequence;
  }

  private DescribeProducersResponse producers() {
    DescribeProducersResponse.PartitionResponse partition =
        new DescribeProducersResponse.PartitionResponse();
    if (lastSequence >= 0) {
      partition.setActiveProducers(
          List.of(
              new DescribeProducersResponse.ProducerState()
                  .setProducerId(77)
                  .setLastSequence(lastSequence)));
    }
    return new DescribeProducersResponse()
        .setTopics(
            List.of(
                new DescribeProducersResponse.TopicResponse()
                    .setName("t")
                    .setPartitions(List.of(partition))));
  }

  private static String topicOf(MetadataRequest request) {
    List<MetadataRequest.MetadataRequestTopic> topics = Objects.requireNonNull(request.topics());
    return topics.isEmpty() ? "none" : Objects.requireNonNull(topics.get(0).name());
  }

  private MetadataResponse metadata(String topic) {
    boolean here = !ledBySilentNode.contains(topic);
    return new MetadataResponse()
        .setBrokers(here ? List.of(node(0, listener)) : List.of(node(0, listener), node(1, silent)))
        .setTopics(
            List.of(
                new MetadataResponse.MetadataResponseTopic()
                    .setName(topic)
                    .setPartitions(
                        List.of(
                            new MetadataResponse.MetadataResponsePartition()
                                .setPartitionIndex(0)
                                .setLeaderId(here ? 0 : 1)))));
  }

  private static MetadataResponse.MetadataResponseBroker node(int id, Listener listener) {
    return new MetadataResponse.MetadataResponseBroker()
        .setNodeId(id)
        .setHost("127.0.0.1")
        .setPort(listener.endpoint().port());
  }

  @Override
  public void close() {
    transport.close();
  }

  private final class Handler implements ConnectionHandler {

    @Override
    public void onOpen(Connection connection) {
      connections.add(connection);
      opened.release();
    }

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      try {
        handle(connection, codec.openRequest(frame.buffer()));
      } catch (ProtocolException e) {
        throw new IllegalStateException(e);
      } finally {
        frame.release();
      }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      connections.remove(connection);
      closed.release();
    }
  }

  private final class SilentHandler implements ConnectionHandler {

    @Override
    public void onOpen(Connection connection) {
      silentConnections.release();
    }

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      frame.release();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
  }
}
