package io.weirmq.bench.peers.aeron;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.aeron.logbuffer.FragmentHandler;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Link;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.jspecify.annotations.Nullable;

/**
 * Messages over Aeron IPC: one stream there, one back. Messages stay below the length that Aeron
 * would cut into fragments. Settings: {@code aeronFolder}, {@code idle} ({@code spin} or {@code
 * backoff}), {@code archive} where the stream is recorded.
 */
public final class AeronLink implements Link {

  private static final int STREAM_THERE = 1001;
  private static final int STREAM_BACK = 1002;
  private static final int FRAGMENTS_MAX = 64;

  private final Aeron aeron;
  private final @Nullable AeronArchive archive;
  private final ExclusivePublication publication;
  private final Subscription subscription;
  private final IdleStrategy idle;
  private final FragmentHandler handler;
  private final UnsafeBuffer outgoing = new UnsafeBuffer(0, 0);
  private final int recordingCounter;

  // A view of the term buffer that was read last; terms change rarely.
  private @Nullable ByteBuffer viewed;
  private ByteBuffer view = ByteBuffer.allocate(0);

  /** Made by name. */
  public AeronLink(Settings settings, Side side, Receiver receiver) {
    String folder = settings.text("aeronFolder");
    idle =
        settings.text("idle").equals("spin")
            ? BusySpinIdleStrategy.INSTANCE
            : new BackoffIdleStrategy();
    handler = (buffer, offset, length, header) -> deliver(receiver, buffer, offset, length);
    aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder));
    boolean sends = side == Side.SENDER;
    boolean recorded = settings.find("archive").isPresent();
    subscription =
        aeron.addSubscription(CommonContext.IPC_CHANNEL, sends ? STREAM_BACK : STREAM_THERE);
    archive =
        recorded && sends
            ? AeronArchive.connect(
                new AeronArchive.Context()
                    .aeron(aeron)
                    .controlRequestChannel(CommonContext.IPC_CHANNEL)
                    .controlResponseChannel(CommonContext.IPC_CHANNEL))
            : null;
    if (archive != null) {
      archive.startRecording(CommonContext.IPC_CHANNEL, STREAM_THERE, SourceLocation.LOCAL);
    }
    publication =
        aeron.addExclusivePublication(
            CommonContext.IPC_CHANNEL, sends ? STREAM_THERE : STREAM_BACK);
    if (sends) {
      awaitConnected();
    }
    recordingCounter = archive == null ? CountersReader.NULL_COUNTER_ID : awaitRecording();
  }

  /** The driver bounds the time. */
  private void awaitConnected() {
    while (!publication.isConnected()) {
      Thread.onSpinWait();
    }
  }

  private int awaitRecording() {
    CountersReader counters = aeron.countersReader();
    int counter = CountersReader.NULL_COUNTER_ID;
    while (counter == CountersReader.NULL_COUNTER_ID) {
      Thread.onSpinWait();
      counter = RecordingPos.findCounterIdBySession(counters, publication.sessionId(), archiveId());
    }
    return counter;
  }

  private long archiveId() {
    AeronArchive connected = archive;
    return connected == null ? Aeron.NULL_VALUE : connected.archiveId();
  }

  @SuppressWarnings("ReferenceEquality") // whether it is the same memory
  private void deliver(Receiver receiver, DirectBuffer buffer, int offset, int length) {
    ByteBuffer term = buffer.byteBuffer();
    if (term == null) {
      receiver.onMessage(ByteBuffer.wrap(buffer.byteArray()), offset, length);
      return;
    }
    if (term != viewed) {
      viewed = term;
      view = term.duplicate().clear().order(ByteOrder.BIG_ENDIAN);
    }
    receiver.onMessage(view, buffer.wrapAdjustment() + offset, length);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // whether it is the same memory
  public boolean offer(ByteBuffer message) {
    if (outgoing.byteBuffer() != message) {
      outgoing.wrap(message, 0, message.capacity());
    }
    long result = publication.offer(outgoing, 0, message.capacity());
    if (result == Publication.CLOSED
        || result == Publication.MAX_POSITION_EXCEEDED
        || result == Publication.NOT_CONNECTED) {
      throw new IllegalStateException("the publication is " + Publication.errorString(result));
    }
    return result > 0;
  }

  @Override
  public void flush() {
    // Each message is visible at once.
  }

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    return subscription.poll(handler, FRAGMENTS_MAX);
  }

  @Override
  public void idle(int workCount) {
    idle.idle(workCount);
  }

  /** A recorded stream is only left when all of it is in the recording. */
  @Override
  public void close() {
    if (recordingCounter != CountersReader.NULL_COUNTER_ID) {
      while (aeron.countersReader().getCounterValue(recordingCounter) < publication.position()) {
        Thread.onSpinWait();
      }
    }
    if (archive != null) {
      archive.close();
    }
    aeron.close();
  }
}
