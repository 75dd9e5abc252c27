package io.weirmq.client.ipc;

import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a publisher: sends batches and pairs the answers with them, which come in the
 * order of the requests.
 *
 * <p>{@link #send} belongs to whoever has the publisher's turn, the callbacks to the I/O thread.
 */
final class ProduceLink implements ConnectionHandler {

  /** A power of two above the batches in flight. */
  private static final int SLOTS = 8;

  private final ProduceFrames frames;
  private final Events events;
  private final @Nullable OutgoingBatch[] waiting = new OutgoingBatch[SLOTS];

  private volatile @Nullable Connection connection;
  private volatile int sentCount;
  private int answeredCount;
  private volatile boolean ended;

  ProduceLink(ProduceFrames frames, Events events) {
    this.frames = frames;
    this.events = events;
  }

  /** What a publisher is told, on the I/O thread. */
  interface Events {

    /** A batch was answered. */
    void onAnswer(
        ProduceLink link, OutgoingBatch batch, ProduceResponse.PartitionProduceResponse response);

    /** No further answer will come. */
    void onEnd(ProduceLink link, @Nullable Throwable cause);
  }

  /** Sends a batch; {@link #flush} follows. */
  void send(OutgoingBatch batch) {
    Connection target = connection;
    if (target == null || ended) {
      return; // the end was told, and whoever takes it sends the batch elsewhere
    }
    int id = sentCount;
    waiting[id & (SLOTS - 1)] = batch;
    sentCount = id + 1;
    target.send(frames.request(batch, id));
  }

  void flush() {
    Connection target = connection;
    if (target != null) {
      target.flush();
    }
  }

  /** Ends it; what is not answered yet will not be. */
  void close() {
    end(null);
    Connection target = connection;
    if (target != null) {
      target.close();
    }
  }

  /** Lets go of one that was never taken into use; nobody is told. */
  void abandon() {
    Connection target;
    synchronized (this) {
      ended = true;
    }
    target = connection;
    if (target != null) {
      target.close();
    }
  }

  /** Whether batches go through shared memory. */
  boolean isLocal() {
    Connection target = connection;
    return target != null && target.endpoint().isPath();
  }

  /** Whether it has ended; {@link Events#onEnd} was called then, or is called soon. */
  boolean hasEnded() {
    return ended;
  }

  @Override
  public void onOpen(Connection opened) {
    connection = opened;
    if (ended) {
      opened.close(); // nobody waited for it that long
    }
  }

  @Override
  public void onFrame(Connection source, InboundFrame frame) {
    OutgoingBatch batch;
    ProduceResponse.PartitionProduceResponse response;
    try {
      if (ended) {
        return;
      }
      int id = frames.correlationId(frame.buffer());
      if (id != answeredCount || id == sentCount) {
        throw new ProtocolException(
            "the broker answers request %d, expected %d of %d"
                .formatted(id, answeredCount, sentCount));
      }
      batch = waiting[id & (SLOTS - 1)];
      response = frames.response(frame.buffer());
      answeredCount++;
    } catch (ProtocolException e) {
      end(e);
      source.close();
      return;
    } finally {
      frame.release();
    }
    if (batch != null) {
      events.onAnswer(this, batch, response);
    }
  }

  @Override
  public void onClosed(Connection closed, @Nullable Throwable cause) {
    end(cause);
  }

  private void end(@Nullable Throwable cause) {
    boolean first;
    synchronized (this) {
      first = !ended;
      ended = true;
    }
    if (first) {
      events.onEnd(this, cause);
    }
  }
}
