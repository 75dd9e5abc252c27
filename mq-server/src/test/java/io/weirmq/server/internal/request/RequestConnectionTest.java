package io.weirmq.server.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.StringInterner;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.protocol.message.RequestHeader;
import io.weirmq.server.internal.handler.ApiVersionsHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.support.RateLimit;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RequestConnectionTest {

  private static final RequestLimits LIMITS = new RequestLimits(4, 10_000);

  private final FakeConnection transport = new FakeConnection();
  private final Deque<CompletableFuture<@Nullable FetchResponse>> fetches = new ArrayDeque<>();
  private final Deque<CompletableFuture<@Nullable ProduceResponse>> produces = new ArrayDeque<>();
  private final List<InboundFrame> produceFrames = new ArrayList<>();
  private final List<String> clientIds = new ArrayList<>();
  private final List<FetchResponse> discarded = new ArrayList<>();
  private @Nullable RuntimeException metadataFailure;
  private @Nullable RuntimeException decodeFailure;
  private int ended;

  private final RequestTraffic traffic = new RequestTraffic();
  private final RequestConnection connection =
      new RequestConnection(
          transport,
          7,
          ListenerNames.of("PLAINTEXT"),
          traffic,
          new RequestDecoding(table(), new StringInterner(64)),
          LIMITS,
          new RateLimit(System::nanoTime),
          false,
          closed -> ended++);

  RequestConnectionTest() {
    transport.handledBy(connection);
  }

  private ApiTable table() {
    return ApiTable.builder()
        .serve(ApiKey.PRODUCE, 0, 3, 13, ProduceRequest::new, new Produces())
        .serve(ApiKey.FETCH, 4, 18, FetchRequest::new, new Fetches())
        .serve(
            ApiKey.METADATA,
            0,
            13,
            (reader, version) -> {
              if (decodeFailure != null) {
                throw decodeFailure;
              }
              return new MetadataRequest(reader, version);
            },
            (RequestContext context, MetadataRequest request) -> {
              clientIds.add(context.clientId());
              if (metadataFailure != null) {
                throw metadataFailure;
              }
              return CompletableFuture.completedFuture(new MetadataResponse());
            })
        .serve(
            ApiKey.DIRECT_READ,
            0,
            0,
            DirectReadRequest::new,
            (RequestContext context, DirectReadRequest request) ->
                CompletableFuture.completedFuture(new DirectReadResponse()))
        .build(0, 4, ApiVersionsRequest::new, ApiVersionsHandler::new);
  }

  @Test
  void nt05_keepsRequestOrderBehindAFetchThatWaits() {
    transport.receive(fetch(1));
    transport.receive(metadata(2));
    transport.receive(produce(3));
    assertThat(produces).as("the produce is executed, though the fetch waits").hasSize(1);
    assertThat(transport.sentCorrelationIds()).isEmpty();

    produces.remove().complete(new ProduceResponse());
    transport.runTasks();
    assertThat(transport.sentCorrelationIds()).isEmpty();

    fetches.remove().complete(new FetchResponse());
    transport.runTasks();
    assertThat(transport.sentCorrelationIds()).containsExactly(1, 2, 3);
  }

  @Test
  void servesApisOfItsOwnToNobodyWhoseUserIsNotProved() {
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(ApiKey.DIRECT_READ.id())
        .setCorrelationId(1)
        .setClientId("c")
        .write(writer, (short) 2);
    new DirectReadRequest().write(writer, (short) 0);
    transport.receive(writer.toBuffer());
    assertThat(transport.isClosed()).isTrue();
    assertThat(transport.sentCorrelationIds()).isEmpty();
  }

  @Test
  void sendsWhatCompletesTogetherWithOneFlush() {
    transport.receive(fetch(1));
    transport.receive(fetch(2));
    int flushesBefore = transport.flushes();

    fetches.remove().complete(new FetchResponse());
    fetches.remove().complete(new FetchResponse());
    assertThat(transport.taskCount()).as("one hop for both").isEqualTo(1);
    transport.runTasks();

    assertThat(transport.sentCorrelationIds()).containsExactly(1, 2);
    assertThat(transport.flushes() - flushesBefore).isEqualTo(1);
  }

  @Test
  void countsRequestsAndResponses_andThoseInFlightUntilTheConnectionEnds() {
    ByteBuffer first = fetch(1);
    int firstBytes = first.remaining();
    transport.receive(first);
    ByteBuffer second = fetch(2);
    int secondBytes = second.remaining();
    transport.receive(second);
    assertThat(traffic.requestCount()).isEqualTo(2);
    assertThat(traffic.requestByteCount()).isEqualTo(firstBytes + secondBytes);
    assertThat(traffic.inFlightCount()).isEqualTo(2);
    assertThat(traffic.responseCount()).isZero();

    fetches.remove().complete(new FetchResponse());
    transport.runTasks();
    assertThat(traffic.inFlightCount()).isEqualTo(1);
    assertThat(traffic.responseCount()).isEqualTo(1);
    assertThat(traffic.responseByteCount()).isPositive();

    connection.onClosed(transport, null);
    assertThat(traffic.inFlightCount()).isZero();
    assertThat(traffic.responseCount()).isEqualTo(1);
  }

  @Test
  void answersAtOnceWhereTheHandlerDoes() {
    transport.receive(metadata(5));

    assertThat(transport.sentCorrelationIds()).containsExactly(5);
    assertThat(transport.taskCount()).as("no hop").isZero();
    assertThat(transport.releases()).containsExactly(1);
  }

  @Test
  void releasesAFrameWhoseDecoderFails() {
    decodeFailure = new IllegalStateException("decoder fails on purpose");

    assertThatThrownBy(() -> transport.receive(metadata(5))).isSameAs(decodeFailure);

    assertThat(transport.releases()).containsExactly(1);
    assertThat(clientIds).isEmpty();
  }

  @Test
  void stopsReadingAtTheLimitOfRequestsInFlight() {
    for (int id = 1; id <= 6; id++) {
      transport.receive(fetch(id));
    }
    assertThat(transport.isPaused()).isTrue();
    assertThat(fetches).as("requests begun").hasSize(4);

    fetches.remove().complete(new FetchResponse());
    transport.runTasks();
    assertThat(fetches).as("one more was begun from what had been received").hasSize(4);
    assertThat(transport.isPaused()).isTrue();

    while (!fetches.isEmpty()) {
      fetches.remove().complete(new FetchResponse());
      transport.runTasks();
    }
    assertThat(transport.isPaused()).isFalse();
    assertThat(transport.sentCorrelationIds()).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void stopsReadingAtTheLimitOfBytesInFlight() {
    ByteBuffer big = frame(ApiKey.FETCH, 11, 1, new FetchRequest().setRackId("r".repeat(11_000)));

    transport.receive(big);

    assertThat(transport.isPaused()).isTrue();
    fetches.remove().complete(new FetchResponse());
    transport.runTasks();
    assertThat(transport.isPaused()).isFalse();
  }

  @Test
  void nt01_beginsNothingWhileThePeerDoesNotRead() {
    transport.receive(fetch(1));
    transport.becomeWritable(false);
    assertThat(transport.isPaused()).isTrue();

    transport.receive(metadata(2));
    fetches.remove().complete(new FetchResponse());
    transport.runTasks();
    assertThat(transport.sentCorrelationIds()).containsExactly(1);

    transport.becomeWritable(true);
    assertThat(transport.sentCorrelationIds()).containsExactly(1, 2);
    assertThat(transport.isPaused()).isFalse();
  }

  @Test
  void holdsRequestsBackWhileSuspended() {
    connection.suspendRequests();
    transport.receive(metadata(1));
    transport.receive(metadata(2));
    assertThat(transport.isPaused()).isTrue();
    assertThat(transport.sentCorrelationIds()).isEmpty();

    connection.resumeRequests();

    assertThat(transport.sentCorrelationIds()).containsExactly(1, 2);
    assertThat(transport.isPaused()).isFalse();
    assertThat(transport.releases()).containsExactly(1, 1);
  }

  @Test
  void leavesTheFrameToAHandlerThatWantsIt() {
    transport.receive(produce(1));
    assertThat(transport.releases()).containsExactly(0);

    produceFrames.get(0).release();
    produces.remove().complete(new ProduceResponse());
    transport.runTasks();

    assertThat(transport.releases()).containsExactly(1);
  }

  @Test
  void sendsNothingWhereThereIsNoResponse() {
    transport.receive(produce(1));
    transport.receive(metadata(2));

    produces.remove().complete(null);
    transport.runTasks();

    assertThat(transport.sentCorrelationIds()).containsExactly(2);
  }

  @Test
  void closesOnAnApiThatIsNotServed() {
    transport.receive(header((short) 4, (short) 0));

    assertThat(transport.isClosed()).isTrue();
    assertThat(transport.releases()).containsExactly(1);
  }

  @Test
  void closesOnAVersionThatIsAdvertisedButNotServed() {
    transport.receive(header(ApiKey.PRODUCE.id(), (short) 2));

    assertThat(transport.isClosed()).isTrue();
  }

  @Test
  void closesOnABodyThatCannotBeRead() {
    ByteBuffer cut = metadata(1);
    transport.receive(cut.limit(cut.limit() - 1).slice());

    assertThat(transport.isClosed()).isTrue();
    assertThat(transport.releases()).containsExactly(1);
  }

  @Test
  void closesOnAFrameWithoutAWholeHeader() {
    transport.receive(ByteBuffer.wrap(new byte[] {0, 3, 0}));

    assertThat(transport.isClosed()).isTrue();
  }

  @Test
  void cc01_answersAnUnknownVersionOfApiVersionsInVersionZero() throws Exception {
    ByteBuffer request = ByteBuffer.allocate(64).putShort((short) 18).putShort((short) 127);
    request.putInt(99).put(new byte[20]).flip();

    transport.receive(request);

    assertThat(transport.isClosed()).isFalse();
    assertThat(transport.releases()).containsExactly(1);
    ByteBuffer answer = transport.sent(0);
    assertThat(answer.getInt()).isEqualTo(99);
    ApiVersionsResponse body =
        new ApiVersionsResponse(new ProtocolReader(answer.slice()), (short) 0);
    assertThat(body.errorCode()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION.code());
    assertThat(body.apiKeys())
        .anySatisfy(
            row -> {
              assertThat(row.apiKey()).isEqualTo((short) 18);
              assertThat(row.maxVersion()).isEqualTo((short) 4);
            });
    transport.receive(metadata(100));
    assertThat(transport.sentCorrelationIds()).containsExactly(99, 100);
  }

  @Test
  void takesANullClientIdAsEmpty() {
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(ApiKey.METADATA.id())
        .setRequestApiVersion((short) 1)
        .setCorrelationId(1)
        .setClientId(null)
        .write(writer, (short) 1);
    new MetadataRequest().write(writer, (short) 1);

    transport.receive(writer.toBuffer());

    assertThat(clientIds).containsExactly("");
  }

  @Test
  void closesWhereAHandlerFails() {
    metadataFailure = new IllegalStateException("expected by the test");
    transport.receive(fetch(1));
    transport.receive(metadata(2));
    assertThat(transport.isClosed()).as("responses before it still leave").isFalse();

    fetches.remove().complete(new FetchResponse());
    transport.runTasks();

    assertThat(transport.sentCorrelationIds()).containsExactly(1);
    assertThat(transport.isClosed()).isTrue();
    assertThat(transport.releases()).containsExactly(1, 1);
  }

  @Test
  void cancelsWhatWaitsAndDiscardsWhatIsCompleteWhenTheConnectionEnds() {
    FetchResponse complete = new FetchResponse();
    FetchResponse late = new FetchResponse();
    transport.receive(fetch(1));
    transport.receive(fetch(2));
    transport.receive(produce(3));
    CompletableFuture<@Nullable FetchResponse> waiting = fetches.remove();
    fetches.remove().complete(complete);
    transport.runTasks();

    transport.end();

    assertThat(waiting).isCancelled();
    assertThat(discarded).containsExactly(complete);
    assertThat(waiting.complete(late)).isFalse();
    assertThat(ended).isEqualTo(1);
    transport.runTasks();
    assertThat(transport.sentCorrelationIds()).isEmpty();
  }

  @Test
  void discardsACompletionThatComesAfterTheEndOnAnotherThread() throws Exception {
    FetchResponse late = new FetchResponse();
    transport.receive(fetch(1));
    Thread completing = new Thread(() -> fetches.remove().complete(late), "completing");
    completing.start();
    completing.join();

    transport.end();

    assertThat(discarded).containsExactly(late);
  }

  @Test
  void drainsByAnsweringWhatItHasTakenInAndNoMore() {
    transport.receive(fetch(1));
    connection.drain();
    transport.runTasks();
    transport.receive(metadata(2));
    assertThat(transport.isClosed()).isFalse();

    fetches.remove().complete(new FetchResponse());
    transport.runTasks();

    assertThat(transport.sentCorrelationIds()).containsExactly(1);
    assertThat(transport.isClosed()).isTrue();
    transport.end();
    assertThat(transport.releases()).containsExactly(1, 1);
  }

  private static ByteBuffer metadata(int correlationId) {
    return frame(ApiKey.METADATA, 12, correlationId, new MetadataRequest());
  }

  private static ByteBuffer fetch(int correlationId) {
    return frame(ApiKey.FETCH, 11, correlationId, new FetchRequest());
  }

  private static ByteBuffer produce(int correlationId) {
    return frame(ApiKey.PRODUCE, 7, correlationId, new ProduceRequest());
  }

  private static ByteBuffer header(short apiKey, short version) {
    return ByteBuffer.allocate(10)
        .putShort(apiKey)
        .putShort(version)
        .putInt(1)
        .putShort((short) -1)
        .flip();
  }

  private static ByteBuffer frame(ApiKey key, int version, int correlationId, ApiMessage body) {
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(key.id())
        .setRequestApiVersion((short) version)
        .setCorrelationId(correlationId)
        .setClientId("test")
        .write(writer, key.requestHeaderVersion(version));
    body.write(writer, (short) version);
    return writer.toBuffer();
  }

  /** Answers when the test says so. */
  private final class Fetches implements ApiHandler<FetchRequest, FetchResponse> {
    @Override
    public CompletionStage<@Nullable FetchResponse> handle(
        RequestContext context, FetchRequest request) {
      CompletableFuture<@Nullable FetchResponse> answer = new CompletableFuture<>();
      fetches.add(answer);
      return answer;
    }

    @Override
    public void discard(FetchResponse response) {
      discarded.add(response);
    }
  }

  /** Answers when the test says so, and keeps the frames. */
  private final class Produces implements FrameHandler<ProduceRequest, ProduceResponse> {
    @Override
    public CompletionStage<@Nullable ProduceResponse> handle(
        RequestContext context, ProduceRequest request, InboundFrame frame) {
      produceFrames.add(frame);
      CompletableFuture<@Nullable ProduceResponse> answer = new CompletableFuture<>();
      produces.add(answer);
      return answer;
    }
  }
}
