package io.weirmq.bench.peers.weirmq;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import io.weirmq.bench.peers.kafka.Topics;
import io.weirmq.client.ipc.IpcClient;
import io.weirmq.client.ipc.IpcClientOptions;
import io.weirmq.client.ipc.IpcException;
import io.weirmq.client.ipc.IpcPublisher;
import io.weirmq.client.ipc.IpcSubscriber;
import io.weirmq.client.ipc.PublisherOptions;
import io.weirmq.client.ipc.ReceivedRecord;
import io.weirmq.client.ipc.RecordClaim;
import io.weirmq.client.ipc.StartPosition;
import io.weirmq.client.ipc.SubscriberOptions;
import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Messages as records of a partition, by a publisher that fills claims in place and a subscriber
 * that reads the log. Settings: {@code bootstrap}, {@code shmFolder}, {@code waiting} ({@code
 * default} or {@code yield}), and those of {@link Topics}. One way only.
 */
public final class IpcLink implements Link {

  /** Records taken by one poll at most. */
  private static final int POLL_LIMIT = 4096;

  /** Longer than any turn: a subscriber that waits so never sleeps. */
  private static final Duration ALWAYS = Duration.ofDays(1);

  private final Receiver receiver;
  private final IpcClient client;
  private final Duration pollTimeout;
  private final RecordClaim claim = new RecordClaim();
  private final @Nullable IpcSubscriber subscriber;
  private final @Nullable IpcPublisher publisher;

  /** Made by name. */
  public IpcLink(Settings settings, Side side, Receiver receiver)
      throws IOException, ExecutionException, InterruptedException {
    this.receiver = receiver;
    this.pollTimeout = Topics.pollTimeout(settings);
    int partition = Topics.partition(settings);
    if (side == Side.RECEIVER) {
      Topics.create(settings);
    }
    client =
        IpcClient.open(IpcClientOptions.of(Endpoint.ofPath("shm", settings.text("shmFolder"))));
    if (side == Side.RECEIVER) {
      publisher = null;
      subscriber =
          client.subscriber(Topics.NAME, partition, StartPosition.earliest(), waiting(settings));
    } else {
      subscriber = null;
      publisher = client.publisher(Topics.NAME, partition, PublisherOptions.defaults());
    }
  }

  private static SubscriberOptions waiting(Settings settings) {
    String waiting = settings.text("waiting");
    return switch (waiting) {
      case "default" -> SubscriberOptions.defaults();
      case "yield" -> SubscriberOptions.defaults().withWaiting(Duration.ZERO, ALWAYS);
      default ->
          throw new IllegalArgumentException(
              "setting 'waiting' is '%s', expected default or yield".formatted(waiting));
    };
  }

  @Override
  public boolean offer(ByteBuffer message) {
    IpcPublisher to = publisher;
    if (to == null) {
      throw new IllegalStateException("the receiving end does not send");
    }
    int length = message.capacity();
    long token = to.tryClaim(-1, length, claim);
    if (token >= 0) {
      claim.buffer().put(claim.valuePosition(), message, 0, length);
      claim.commit();
      return true;
    }
    if (token != IpcPublisher.BACK_PRESSURED && token != IpcPublisher.NOT_CONNECTED) {
      throw new IllegalStateException("the publisher answers " + token, to.failure());
    }
    return false;
  }

  @Override
  public void flush() {
    // A record leaves at once, or with the answer to those before it.
  }

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    IpcSubscriber from = subscriber;
    if (from == null) {
      return 0;
    }
    try {
      return mayBlock
          ? from.poll(this::onRecord, POLL_LIMIT, pollTimeout)
          : from.poll(this::onRecord, POLL_LIMIT);
    } catch (IpcException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for records", e);
    }
  }

  private void onRecord(ReceivedRecord record) {
    receiver.onMessage(record.buffer(), record.valuePosition(), record.valueLength());
  }

  /** The subscriber has waited already; a publisher without room lets the broker run. */
  @Override
  public void idle(int workCount) {
    if (publisher != null) {
      Idler.YIELD.idle(workCount);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (subscriber != null) {
        subscriber.close();
      }
      if (publisher != null) {
        publisher.close();
      }
    } finally {
      client.close();
    }
  }
}
