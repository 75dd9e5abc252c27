package io.weirmq.bench.load;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Sends records to one partition at a fixed rate, whatever the broker does. Confined to one thread,
 * but for the answers, which come on the I/O thread.
 */
public final class OpenLoopProducer {

  /** Batches that may wait for an answer; more wait unsent, and their records' clocks run. */
  static final int BATCHES_IN_FLIGHT_MAX = 64;

  private static final int TIMEOUT_MS = 30_000;
  private static final long IDLE_NS = 50_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final RequestChannel channel;
  private final MetadataResponse.MetadataResponseTopic topic;
  private final LoadProfile profile;
  private final LongSupplier nanoClock;
  private final InstantSource wallClock;
  private final ByteBuffer payload;
  private final Compressor compressor = new Compressor();
  private final Semaphore inFlight = new Semaphore(BATCHES_IN_FLIGHT_MAX);

  // Written by the I/O thread, read at interval ends; the recorder is safe for that.
  private final Recorder latency = new Recorder(3);
  private final LongAdder failed = new LongAdder();

  public OpenLoopProducer(
      RequestChannel channel,
      MetadataResponse.MetadataResponseTopic topic,
      LoadProfile profile,
      LongSupplier nanoClock,
      InstantSource wallClock,
      RandomGenerator random) {
    this.channel = channel;
    this.topic = topic;
    this.profile = profile;
    this.nanoClock = nanoClock;
    this.wallClock = wallClock;
    this.payload = capitals(profile.recordBytes(), random);
  }

  /** Batches that were refused or got no answer so far. */
  public long failed() {
    return failed.sum();
  }

  /** Leaves the latencies of what was acknowledged so far out of {@link #latencies}. */
  public void forgetLatencies() {
    latency.reset();
  }

  /**
   * Latencies of all records acknowledged since the last call, or since {@link #forgetLatencies}.
   */
  public Histogram latencies() {
    return latency.getIntervalHistogram();
  }

  /**
   * Sends for a number of seconds.
   *
   * @return intended seconds that have passed
   */
  public double run(int seconds) {
    double intervalNs = NANOS_PER_SECOND / profile.recordsPerSecond();
    long total = profile.recordsPerSecond() * seconds;
    long startNs = nanoClock.getAsLong();
    long begun = 0;
    RecordBatchBuilder batch = null;
    long firstOfBatch = 0;
    while (begun < total || batch != null) {
      long nowNs = nanoClock.getAsLong();
      long due = Math.min(total, (long) ((nowNs - startNs) / intervalNs));
      while (begun < due && (batch == null || batch.sizeInBytes() < profile.batchBytes())) {
        if (batch == null) {
          batch = new RecordBatchBuilder(compressor).compression(profile.compression());
          firstOfBatch = begun;
        }
        batch.append(wallClock.millis(), (ByteBuffer) null, payload.duplicate());
        begun++;
      }
      if (batch == null
          || !isDue(batch, nowNs, startNs + (long) (firstOfBatch * intervalNs), begun == total)) {
        LockSupport.parkNanos(IDLE_NS);
      } else if (inFlight.tryAcquire()) {
        send(batch, startNs, firstOfBatch, intervalNs);
        batch = null;
      } else {
        LockSupport.parkNanos(IDLE_NS);
      }
    }
    inFlight.acquireUninterruptibly(BATCHES_IN_FLIGHT_MAX);
    inFlight.release(BATCHES_IN_FLIGHT_MAX);
    return (nanoClock.getAsLong() - startNs) / NANOS_PER_SECOND;
  }

  private boolean isDue(RecordBatchBuilder batch, long nowNs, long firstIntendedNs, boolean last) {
    return last
        || batch.sizeInBytes() >= profile.batchBytes()
        || nowNs - firstIntendedNs >= profile.lingerNs();
  }

  private void send(RecordBatchBuilder batch, long startNs, long first, double intervalNs) {
    int count = batch.recordCount();
    ProduceRequest request =
        new ProduceRequest()
            .setAcks(profile.acks())
            .setTimeoutMs(TIMEOUT_MS)
            .setTopicData(
                List.of(
                    new ProduceRequest.TopicProduceData()
                        .setName(profile.topic())
                        .setTopicId(topic.topicId())
                        .setPartitionData(
                            List.of(
                                new ProduceRequest.PartitionProduceData()
                                    .setIndex(0)
                                    .setRecords(RecordsData.of(batch.build()))))));
    channel
        .send(ApiKey.PRODUCE, request, ProduceResponse.class)
        .whenComplete((reply, failure) -> answered(reply, startNs, first, count, intervalNs));
  }

  private void answered(
      @Nullable Reply<ProduceResponse> reply,
      long startNs,
      long first,
      int count,
      double intervalNs) {
    long nowNs = nanoClock.getAsLong();
    if (reply == null || !isAccepted(reply)) {
      failed.increment();
    } else {
      for (int i = 0; i < count; i++) {
        latency.recordValue(Math.max(0, nowNs - startNs - (long) ((first + i) * intervalNs)));
      }
    }
    inFlight.release();
  }

  private static boolean isAccepted(Reply<ProduceResponse> reply) {
    try (reply) {
      return reply.message().responses().stream()
          .flatMap(t -> t.partitionResponses().stream())
          .allMatch(p -> p.errorCode() == ErrorCode.NONE.code());
    }
  }

  private static ByteBuffer capitals(int bytes, RandomGenerator random) {
    byte[] letters = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      letters[i] = (byte) ('A' + random.nextInt(26));
    }
    return ByteBuffer.wrap(letters);
  }
}
