package io.weirmq.server.internal.request;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.Peer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A connection whose thread is the test's: tasks run when the test says so. */
final class FakeConnection implements Connection {

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final List<ByteBuffer> sent = new ArrayList<>();
  private final List<Probe> frames = new ArrayList<>();
  private @Nullable ConnectionHandler handler;
  private boolean writable = true;
  private Peer peer = Peer.ofAddress("client.test", 1234);
  private boolean paused;
  private boolean closed;
  private int flushes;

  /** Sets what the transport has proved of the client. */
  void comesFrom(Peer newPeer) {
    peer = newPeer;
  }

  void handledBy(ConnectionHandler newHandler) {
    handler = newHandler;
    newHandler.onOpen(this);
  }

  private ConnectionHandler handler() {
    if (handler == null) {
      throw new IllegalStateException("no handler");
    }
    return handler;
  }

  /** Delivers a frame and remembers it. */
  void receive(ByteBuffer content) {
    Probe frame = new Probe(content);
    frames.add(frame);
    handler().onFrame(this, frame);
  }

  void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  void becomeWritable(boolean now) {
    writable = now;
    handler().onWritabilityChanged(this, now);
  }

  void end() {
    closed = true;
    handler().onClosed(this, null);
  }

  /** The correlation ids of the responses, in the order in which they left. */
  List<Integer> sentCorrelationIds() {
    return sent.stream().map(frame -> frame.getInt(0)).toList();
  }

  ByteBuffer sent(int index) {
    return sent.get(index).duplicate();
  }

  boolean isPaused() {
    return paused;
  }

  boolean isClosed() {
    return closed;
  }

  int flushes() {
    return flushes;
  }

  int taskCount() {
    return tasks.size();
  }

  /** How often each received frame was released. */
  List<Integer> releases() {
    return frames.stream().map(frame -> frame.releases).toList();
  }

  @Override
  public long id() {
    return 1;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public Endpoint endpoint() {
    return Endpoint.tcp("127.0.0.1", 9092);
  }

  @Override
  public void send(OutboundFrame frame) {
    ByteBuffer whole = ByteBuffer.allocate((int) frame.lengthBytes());
    for (OutboundPart part : frame.parts()) {
      if (part instanceof OutboundPart.Bytes bytes) {
        whole.put(bytes.buffer().duplicate());
      }
    }
    sent.add(whole.flip());
    frame.release();
  }

  @Override
  public void flush() {
    flushes++;
  }

  @Override
  public boolean isWritable() {
    return writable;
  }

  @Override
  public void pauseReading() {
    paused = true;
  }

  @Override
  public void resumeReading() {
    paused = false;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void abort(Throwable cause) {
    closed = true;
  }

  /** A frame that counts its releases. */
  private static final class Probe implements InboundFrame {
    private final ByteBuffer content;
    private int releases;

    Probe(ByteBuffer content) {
      this.content = content;
    }

    @Override
    public ByteBuffer buffer() {
      return content;
    }

    @Override
    public void release() {
      releases++;
    }
  }
}
