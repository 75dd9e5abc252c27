package io.weirmq.bench.compare.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.Workload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleWorkerTest {

  private static final int CLIENTS = 3;

  private final List<BlockingQueue<ByteBuffer>> queues = new ArrayList<>();
  private final List<String> told = new ArrayList<>();

  /** Messages that clients other than the first have dealt with. */
  private final Semaphore dealtWith = new Semaphore(0);

  @Test
  void wakesTheFirstClientAndTellsOfTheRestBetween() throws Exception {
    Outcome outcome = run(1);

    // 1,000 messages/s: 2 in the warm-up of 2 ms, 5 in the counted 5 ms.
    assertThat(outcome.sent()).isEqualTo(7);
    assertThat(outcome.received()).isEqualTo(7);
    assertThat(outcome.counted()).isEqualTo(5);
    assertThat(outcome.lost() + outcome.outOfOrder() + outcome.damaged()).isZero();
    assertThat(Objects.requireNonNull(outcome.latencyNs()).getTotalCount()).isEqualTo(5);
    assertThat(told).containsExactly("measuring after 2", "measured after 2");
  }

  @Test
  void countsWhatComesToOthers() throws Exception {
    Outcome outcome = run(2);

    // The second client gets all that the first one gets, and the end.
    assertThat(outcome.outOfOrder()).isEqualTo(8);
  }

  /** Runs a worker whose messages come to so many of its clients. */
  private Outcome run(int targets) throws Exception {
    Workload workload = new Workload(MeasureKind.IDLE, 100, 1_000, Pacing.PARK, 2, 5);
    Map<String, String> settings = new HashMap<>(workload.toSettings());
    settings.put("clients", Integer.toString(CLIENTS));
    List<QueueLink> senders = new ArrayList<>();
    IdleWorker worker =
        new IdleWorker(
            Settings.of(settings),
            (own, side, receiver) -> {
              QueueLink link =
                  new QueueLink(receiver, targets, side == Link.Side.RECEIVER && queues.isEmpty());
              if (side == Link.Side.SENDER) {
                senders.add(link);
              } else {
                assertThat(own.number("partition")).isEqualTo(queues.size());
                assertThat(own.number("partitions")).isEqualTo(CLIENTS);
                queues.add(link.queue);
              }
              return link;
            });
    worker.prepare();
    try {
      return worker.run(
          new Worker.Progress() {
            @Override
            public void measuring() {
              told.add("measuring after " + senders.get(0).offered);
            }

            @Override
            public void measured() {
              told.add("measured after " + senders.get(0).offered);
            }
          });
    } finally {
      worker.close();
    }
  }

  /** Puts messages into the queues of the first clients, the last one's first. */
  private final class QueueLink implements Link {

    private final BlockingQueue<ByteBuffer> queue = new LinkedBlockingQueue<>();
    private final Receiver receiver;
    private final int targets;
    private final boolean isFirst;
    private int offered;

    private QueueLink(Receiver receiver, int targets, boolean isFirst) {
      this.receiver = receiver;
      this.targets = targets;
      this.isFirst = isFirst;
    }

    @Override
    public boolean offer(ByteBuffer message) {
      offered++;
      for (int i = targets - 1; i >= 0; i--) {
        ByteBuffer copy = ByteBuffer.allocate(message.capacity());
        queues.get(i).add(copy.put(0, message, 0, message.capacity()));
      }
      return true;
    }

    @Override
    public void flush() {}

    @Override
    public boolean isPolled() {
      return true;
    }

    @Override
    public int poll(boolean mayBlock) {
      try {
        ByteBuffer message = queue.poll(10, TimeUnit.MILLISECONDS);
        if (message == null) {
          return 0;
        }
        if (isFirst) {
          // The others are ahead, so that all that came to them is counted when the end is seen.
          dealtWith.acquire(targets - 1);
          receiver.onMessage(message, 0, message.capacity());
        } else {
          receiver.onMessage(message, 0, message.capacity());
          dealtWith.release();
        }
        return 1;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void idle(int workCount) {}

    @Override
    public void close() {}
  }
}
