package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message back. A polled link gets a thread that polls it until the process is stopped.
 */
public final class EchoWorker implements Worker {

  private final Settings settings;
  private final ByteBuffer answer;
  private volatile @Nullable Link link;
  private volatile boolean stopped;
  private @Nullable Thread poller;

  /** Made by {@link ContestantProcess}. */
  public EchoWorker(Settings settings) {
    this.settings = settings;
    this.answer = ByteBuffer.allocateDirect(settings.number("messageBytes"));
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    Link opened = Links.open(settings, Link.Side.RECEIVER, this::echo);
    link = opened;
    if (opened.isPolled()) {
      poller = new Thread(() -> poll(opened), "echo");
      poller.setDaemon(true);
      poller.start();
    }
    return opened.facts();
  }

  private void poll(Link polled) {
    try {
      while (!stopped) {
        polled.idle(polled.poll(true));
      }
    } catch (RuntimeException e) {
      ContestantProcess.fail(e);
    }
  }

  private void echo(ByteBuffer buffer, int offset, int length) {
    Link back = link;
    if (back == null) {
      throw new IllegalStateException("a message came in before the link was open");
    }
    if (length != answer.capacity()) {
      throw new IllegalStateException(
          "message of %d bytes, expected %d".formatted(length, answer.capacity()));
    }
    answer.put(0, buffer, offset, length);
    while (!back.offer(answer)) {
      back.idle(0);
    }
    back.flush();
  }

  @Override
  public Outcome run(Progress progress) {
    throw new IllegalStateException("an echo reports nothing");
  }

  @Override
  public void close() throws Exception {
    stopped = true;
    if (poller != null) {
      poller.join();
    }
    Link closing = link;
    if (closing != null) {
      closing.close();
    }
  }
}
