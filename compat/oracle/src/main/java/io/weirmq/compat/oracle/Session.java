package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One scenario's talk with one broker. Every call is recorded with its outcome unless it is made
 * through {@link #quietly}. Confined to one thread.
 *
 * <p>When the broker closes a connection, the next call opens a new one, and the call that was
 * closed returns an empty response, so that a scenario goes on wherever it can.
 */
final class Session implements AutoCloseable {
  private static final int ANSWER_MS = 15_000;
  private static final int SILENCE_MS = 700;

  private final String scenario;
  private final InetSocketAddress address;
  private final Versions ours;
  private final Versions theirs;
  private final List<Exchange> exchanges = new ArrayList<>();
  private final List<Peer> peers = new ArrayList<>();
  private final Peer first;
  private boolean recording = true;

  Session(String scenario, InetSocketAddress address, Versions ours, Versions theirs) {
    this.scenario = scenario;
    this.address = address;
    this.ours = ours;
    this.theirs = theirs;
    this.first = peer("oracle");
  }

  List<Exchange> exchanges() {
    return exchanges;
  }

  /** Names of topics and groups of this scenario begin with this. */
  String name(String suffix) {
    return "o-" + scenario + "-" + suffix;
  }

  /** Versions that both brokers advertise. */
  List<Integer> versions(ApiMessageType api) {
    return Versions.common(ours, theirs, api.apiKey());
  }

  /** Another connection with a client id of its own. */
  Peer peer(String clientId) {
    Peer peer = new Peer(clientId);
    peers.add(peer);
    return peer;
  }

  /** Sends a request on the session's first connection and waits for the answer. */
  <T extends ApiMessage> T call(String label, int version, ApiMessage request) {
    return first.call(label, version, request);
  }

  /** See {@link Peer#oneWay}. */
  void oneWay(String label, int version, ApiMessage request) {
    first.oneWay(label, version, request);
  }

  /** Runs calls without recording them. */
  <T> T quietly(java.util.function.Supplier<T> calls) {
    boolean before = recording;
    recording = false;
    try {
      return calls.get();
    } finally {
      recording = before;
    }
  }

  /** Repeats unrecorded calls until a condition holds; at most ten seconds. */
  void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!quietly(condition::getAsBoolean)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("not within 10 s: " + what);
      }
      try {
        Thread.sleep(15);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Waits, where the script itself is about time. */
  void pause(int ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends bytes that may be no request at all on a connection of their own. */
  void raw(String label, byte[] bytes) {
    Outcome outcome;
    try (Wire wire = Wire.connect(address)) {
      wire.sendBytes(bytes);
      ByteBuffer frame = wire.receive(SILENCE_MS);
      outcome =
          new Outcome.Answered(
              JsonNodeFactory.instance.textNode(HexFormat.of().formatHex(frame.array())));
    } catch (SocketTimeoutException e) {
      outcome = new Outcome.Silent();
    } catch (IOException e) {
      outcome = new Outcome.Closed();
    }
    record(label, "raw", -1, outcome);
  }

  /** Notes that the scenario ended before its end. */
  void aborted(Throwable why) {
    StackTraceElement[] trace = why.getStackTrace();
    String where = "";
    for (StackTraceElement element : trace) {
      if (element.getClassName().endsWith("Scenarios")) {
        where = " at " + element;
        break;
      }
    }
    exchanges.add(new Exchange(scenario, "end", "script", -1, new Outcome.Aborted(why + where)));
  }

  private void record(String label, String api, int version, Outcome outcome) {
    if (recording) {
      exchanges.add(new Exchange(scenario, label, api, version, outcome));
    }
  }

  @Override
  public void close() {
    peers.forEach(Peer::close);
  }

  /** One connection of the session; requests may be sent ahead and answers read later. */
  final class Peer {
    private final String clientId;
    private Wire wire;
    private int nextCorrelationId = 1;

    private Peer(String clientId) {
      this.clientId = clientId;
    }

    /** Sends and waits; returns an empty response when there was none. */
    <T extends ApiMessage> T call(String label, int version, ApiMessage request) {
      return send(label, version, request).<T>answer();
    }

    /** Sends only; the answer is read (and recorded) by {@link Pending#answer()}. */
    Pending send(String label, int version, ApiMessage request) {
      short apiKey = request.apiKey();
      if (!ours.has(apiKey, version) || !theirs.has(apiKey, version)) {
        throw new IllegalStateException(
            name(apiKey) + " v" + version + " is not advertised by both brokers");
      }
      return sendUnchecked(label, version, request);
    }

    private Pending sendUnchecked(String label, int version, ApiMessage request) {
      int correlationId = nextCorrelationId++;
      ByteBuffer body =
          MessageCodec.encodeRequest(request, (short) version, correlationId, clientId);
      return sendBody(label, request.apiKey(), version, correlationId, body);
    }

    /** Sends a body of one's own making as a request of an API; header version as given. */
    Pending sendBody(String label, short apiKey, int version, int correlationId, ByteBuffer body) {
      try {
        if (wire == null) {
          wire = Wire.connect(address);
        }
        wire.sendFrame(body);
      } catch (IOException e) {
        drop();
      }
      return new Pending(this, label, apiKey, version, correlationId);
    }

    /**
     * Sends a request that must not be answered (acks=0), then ApiVersions: what is recorded is
     * whether the connection still works.
     */
    void oneWay(String label, int version, ApiMessage request) {
      int correlationId = nextCorrelationId++;
      sendBody(
          label,
          request.apiKey(),
          version,
          correlationId,
          MessageCodec.encodeRequest(request, (short) version, correlationId, clientId));
      // A broker may append on another thread than the one that reads: let it notice first.
      pause(150);
      Pending probe = sendUnchecked(label, 0, new ApiVersionsRequestData());
      Outcome outcome = probe.outcome();
      record(
          label,
          name(request.apiKey()),
          version,
          outcome instanceof Outcome.Answered ? new Outcome.Silent() : outcome);
    }

    private void drop() {
      close();
      wire = null;
    }

    void close() {
      if (wire != null) {
        wire.close();
        wire = null;
      }
    }
  }

  private static String name(short apiKey) {
    return ApiMessageType.fromApiKey(apiKey).name;
  }

  /** A request whose answer has not been read. */
  final class Pending {
    private final Peer peer;
    private final String label;
    private final short apiKey;
    private final int version;
    private final int correlationId;
    private ApiMessage response;

    private Pending(Peer peer, String label, short apiKey, int version, int correlationId) {
      this.peer = peer;
      this.label = label;
      this.apiKey = apiKey;
      this.version = version;
      this.correlationId = correlationId;
    }

    /** Waits for the answer and records it. */
    @SuppressWarnings("unchecked")
    <T extends ApiMessage> T answer() {
      record(label, name(apiKey), version, outcome());
      return (T) (response != null ? response : ApiMessageType.fromApiKey(apiKey).newResponse());
    }

    private Outcome outcome() {
      if (peer.wire == null) {
        return new Outcome.Closed();
      }
      try {
        ByteBuffer frame = peer.wire.receive(ANSWER_MS);
        response = MessageCodec.decodeResponse(apiKey, answerVersion(frame), correlationId, frame);
        return new Outcome.Answered(json(answerVersion(frame)));
      } catch (Wire.ConnectionClosed e) {
        peer.drop();
        return new Outcome.Closed();
      } catch (SocketTimeoutException e) {
        peer.drop();
        return new Outcome.Silent();
      } catch (IOException | RuntimeException e) {
        peer.drop();
        return new Outcome.Unreadable(e.toString());
      }
    }

    /** An ApiVersions request of an unknown version is answered at version 0. */
    private short answerVersion(ByteBuffer frame) {
      return apiKey == ApiMessageType.API_VERSIONS.apiKey()
              && version > ApiMessageType.API_VERSIONS.highestSupportedVersion(true)
          ? 0
          : (short) version;
    }

    private JsonNode json(short version) {
      JsonNode json = MessageCodec.toJson(response, version);
      if (response instanceof FetchResponseData fetch) {
        RecordSets.describe(fetch, json);
      }
      return json;
    }
  }
}
