package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.Workload;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Receives a stream and measures it. */
public final class ReceiverWorker implements Worker {

  private final Settings settings;
  private final CompletableFuture<StreamCheck> started = new CompletableFuture<>();
  private @Nullable Link link;

  /** Made by {@link ContestantProcess}. */
  public ReceiverWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    link = Links.open(settings, Link.Side.RECEIVER, this::onMessage);
    return link.facts();
  }

  private void onMessage(ByteBuffer buffer, int offset, int length) {
    // The sender may be told to go a moment before us.
    started.join().onMessage(buffer, offset, length);
  }

  @Override
  public Outcome run(Progress progress) throws Exception {
    Link receiving = link;
    if (receiving == null) {
      throw new IllegalStateException("not prepared");
    }
    Workload workload = Workload.from(settings);
    StreamCheck check =
        new StreamCheck(
            workload.messageBytes(),
            workload.kind() == MeasureKind.LATENCY,
            System::nanoTime,
            progress);
    started.complete(check);
    if (receiving.isPolled()) {
      while (!check.isEnded()) {
        receiving.idle(receiving.poll(true));
      }
    } else {
      check.awaitEnd();
    }
    return check.outcome();
  }

  @Override
  public void close() throws Exception {
    if (link != null) {
      link.close();
    }
  }
}
