package io.weirmq.server.internal.produce;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceRequest.PartitionProduceData;
import io.weirmq.protocol.message.ProduceRequest.TopicProduceData;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.protocol.message.ProduceResponse.TopicProduceResponse;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.Expiring;
import io.weirmq.server.internal.request.FrameLease;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A produce request under way.
 *
 * <p>Invariant: {@code open} counts the batches without an outcome, plus one while batches are
 * still being handed over; who brings it to zero releases the frame and completes the stage. The
 * stage may be complete before, where the client's time-out has passed; the frame is kept all the
 * same.
 *
 * <p>Confined to the connection's I/O thread, but for {@link #answered}.
 */
final class ProduceOperation extends CompletableFuture<@Nullable ProduceResponse>
    implements Expiring, FrameLease {

  private static final Logger LOG = LoggerFactory.getLogger(ProduceOperation.class);

  private static final short ACKS_NONE = 0;
  private static final short ACKS_LEADER = 1;

  /** The version from which on topics are named by id. */
  private static final short FIRST_VERSION_BY_ID = 13;

  /** The version from which on clients know that storage can fail. */
  private static final short FIRST_VERSION_WITH_STORAGE_ERROR = 4;

  private final RequestContext context;
  private final ProduceRequest request;
  private final InboundFrame frame;
  private final PartitionLookup lookup;
  private final long deadlineNs;
  private final List<PartitionAppend> appends = new ArrayList<>();
  private final ProduceResponse response = new ProduceResponse();
  private final AtomicInteger open = new AtomicInteger(2);
  private volatile boolean failed;

  /** How far the hand-over has come: indexes of the next batch. */
  private int nextTopic;

  private int nextPartition;
  private boolean suspended;

  ProduceOperation(
      RequestContext context,
      ProduceRequest request,
      InboundFrame frame,
      PartitionLookup lookup,
      long nowNs) {
    this.context = context;
    this.request = request;
    this.frame = frame;
    this.lookup = lookup;
    this.deadlineNs = nowNs + TimeUnit.MILLISECONDS.toNanos(Math.max(0, request.timeoutMs()));
  }

  /**
   * Hands over the batches that are left, as long as there is room for them. Where it throws, the
   * stage has failed with the same, and nothing more is handed over; what was goes on.
   */
  void submit() {
    try {
      handOver();
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  private void handOver() {
    List<TopicProduceData> topics = request.topicData();
    while (nextTopic < topics.size()) {
      TopicProduceData topic = topics.get(nextTopic);
      if (nextTopic == response.responses().size()) {
        response.responses().add(answerTo(topic));
      }
      while (nextPartition < topic.partitionData().size()) {
        if (!submit(topic, topic.partitionData().get(nextPartition))) {
          return;
        }
        nextPartition++;
      }
      nextPartition = 0;
      nextTopic++;
    }
    closeOne();
  }

  /** Returns false where there is no room; the operation then goes on later. */
  private boolean submit(TopicProduceData topic, PartitionProduceData data) {
    RecordsData records = data.records();
    Optional<Partition> partition = find(topic, data.index());
    BatchCheck check = BatchCheck.of(context, request.acks(), topicName(topic, partition), records);
    if (check.error() == ErrorCode.NONE && partition.isEmpty()) {
      check = BatchCheck.failed(whyAbsent(topic, data.index()), null);
    }
    PartitionAppend append = new PartitionAppend(this, data.index());
    // Not before: from here on an outcome is certain, and what is above may throw.
    open.incrementAndGet();
    if (check.error() != ErrorCode.NONE || partition.isEmpty()) {
      append.refuse(check.error(), check.message());
    } else if (!append(partition.get(), check.batch(), append)) {
      open.decrementAndGet();
      suspend(partition.get());
      return false;
    }
    appends.add(append);
    response.responses().get(nextTopic).partitionResponses().add(append.response());
    return true;
  }

  private boolean append(Partition partition, ByteBuffer batch, PartitionAppend append) {
    try {
      return partition.tryAppend(batch, AppendOrigin.CLIENT, request.acks(), append);
    } catch (RuntimeException e) {
      LOG.error("Batch of {} bytes for {} failed", batch.remaining(), partition, e);
      append.refuse(ErrorCode.UNKNOWN_SERVER_ERROR, null);
      return true;
    }
  }

  private void suspend(Partition full) {
    suspended = true;
    context.connection().suspendRequests();
    full.whenWritable(() -> context.connection().execute(this::resume));
  }

  private void resume() {
    if (!suspended) {
      return; // given up meanwhile
    }
    suspended = false;
    try {
      submit();
    } catch (RuntimeException e) {
      return; // the connection is told by the stage, and ends
    }
    if (!suspended) {
      context.connection().resumeRequests();
    }
  }

  /** Ends a hand-over that can't go on. */
  private void fail(Throwable cause) {
    suspended = false;
    completeExceptionally(cause);
    closeOne();
  }

  /** Gives up what was not handed over yet; the rest goes on, but nobody is told. */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (suspended) {
      suspended = false;
      closeOne();
    }
    return cancelled;
  }

  @Override
  public void expire(long nowNs) {
    if (request.acks() == Partition.ACKS_ALL && !suspended && nowNs - deadlineNs >= 0) {
      complete(earlyResponse());
    }
  }

  /** Takes note of the outcome of one batch. From any thread. */
  void answered(ErrorCode error) {
    if (error != ErrorCode.NONE) {
      failed = true;
    }
    closeOne();
  }

  /** Returns the error code that a client of this version is told. */
  ErrorCode told(ErrorCode error) {
    return error == ErrorCode.KAFKA_STORAGE_ERROR
            && context.apiVersion() < FIRST_VERSION_WITH_STORAGE_ERROR
        ? ErrorCode.NOT_LEADER_OR_FOLLOWER
        : error;
  }

  @Override
  public void releaseFrame() {
    if (open.decrementAndGet() == 0) {
      frame.release();
    }
  }

  private void closeOne() {
    int left = open.decrementAndGet();
    if (left == 0) {
      frame.release(); // the answer was given early
    } else if (left == 1) {
      answer();
    }
  }

  private void answer() {
    if (request.acks() != ACKS_NONE) {
      complete(response);
      return;
    }
    if (failed) {
      // There is no response that could tell; a closed connection makes the client look again.
      context.connection().close();
    }
    complete(null);
  }

  /** Returns an answer in which batches without an outcome have timed out. */
  private ProduceResponse earlyResponse() {
    ProduceResponse early = new ProduceResponse();
    int next = 0;
    for (TopicProduceData topic : request.topicData()) {
      TopicProduceResponse answer = answerTo(topic);
      for (int i = 0; i < topic.partitionData().size(); i++) {
        answer.partitionResponses().add(appends.get(next++).responseNow());
      }
      early.responses().add(answer);
    }
    return early;
  }

  private static TopicProduceResponse answerTo(TopicProduceData topic) {
    return new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId());
  }

  private boolean byTopicId() {
    return context.apiVersion() >= FIRST_VERSION_BY_ID;
  }

  private Optional<Partition> find(TopicProduceData topic, int index) {
    return byTopicId() ? lookup.find(topic.topicId(), index) : lookup.find(topic.name(), index);
  }

  private ErrorCode whyAbsent(TopicProduceData topic, int index) {
    return byTopicId()
        ? lookup.whyAbsent(topic.topicId(), index)
        : lookup.whyAbsent(topic.name(), index);
  }

  private static String topicName(TopicProduceData topic, Optional<Partition> partition) {
    return partition.isPresent() ? partition.get().topicPartition().topic() : topic.name();
  }

  /** Whether a number of acknowledgements has a meaning. */
  static boolean isKnownAcks(short acks) {
    return acks == ACKS_NONE || acks == ACKS_LEADER || acks == Partition.ACKS_ALL;
  }
}
