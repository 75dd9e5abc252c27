package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.PolledTransport;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who polls: the thread of the client, or one that has the loop for a while. */
@Timeout(60)
final class TransportLoopTest {

  private final RecordingTransport transport = new RecordingTransport();
  private final TransportLoop loop = new TransportLoop(transport);

  @Test
  void isPolledByTheCallerAtFirst() throws Exception {
    assertThat(loop.isOurs()).isTrue();
    transport.wakeup();
    loop.poll(1);
    assertThat(transport.pollers.take()).isSameAs(Thread.currentThread());
  }

  @Test
  void aThreadPollsWhileTheLoopIsLentAndHasEndedWhenItIsBack() throws Exception {
    loop.lend();
    loop.lend();
    assertThat(loop.isOurs()).isFalse();
    Thread other = transport.pollers.poll(20, TimeUnit.SECONDS);
    assertThat(other).isNotNull().isNotSameAs(Thread.currentThread());
    transport.wakeup();
    assertThat(transport.pollers.poll(20, TimeUnit.SECONDS)).as("one thread").isSameAs(other);

    loop.takeBack();

    assertThat(loop.isOurs()).isTrue();
    assertThat(other.isAlive()).isFalse();
    loop.takeBack();
  }

  @Test
  void takesTheLoopBackAlsoWhereInterrupted() throws Exception {
    loop.lend();
    Thread other = transport.pollers.take();
    Thread.currentThread().interrupt();

    loop.takeBack();

    assertThat(Thread.interrupted()).as("the interrupt stays").isTrue();
    assertThat(other.isAlive()).isFalse();
  }

  @Test
  void theLoopIsStillOursWhereNoThreadCanBeStarted() throws Exception {
    AtomicBoolean canStart = new AtomicBoolean();
    TransportLoop unlent =
        new TransportLoop(
            transport, task -> canStart.get() ? new Thread(task) : new UnstartableThread(task));

    assertThatThrownBy(unlent::lend).isInstanceOf(OutOfMemoryError.class);

    assertThat(unlent.isOurs()).isTrue();
    unlent.takeBack();
    transport.wakeup();
    unlent.poll(1);
    assertThat(transport.pollers.take()).isSameAs(Thread.currentThread());

    canStart.set(true);
    unlent.lend();
    assertThat(unlent.isOurs()).as("a later try may succeed").isFalse();
    unlent.takeBack();
    assertThat(unlent.isOurs()).isTrue();
  }

  /** A thread for which the system has no room. */
  private static final class UnstartableThread extends Thread {
    UnstartableThread(Runnable task) {
      super(task);
    }

    @Override
    public synchronized void start() {
      throw new OutOfMemoryError("no thread can be made, on purpose");
    }
  }

  /** Records who polls; a poll ends with a wakeup. */
  private static final class RecordingTransport implements PolledTransport {
    final BlockingQueue<Thread> pollers = new LinkedBlockingQueue<>();
    private final Semaphore wakeups = new Semaphore(0);

    @Override
    public int poll(long timeoutMillis) {
      pollers.add(Thread.currentThread());
      wakeups.acquireUninterruptibly();
      return 0;
    }

    @Override
    public void wakeup() {
      wakeups.release();
    }

    @Override
    public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
