package io.weirmq.bench.peers.jeromq;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import java.nio.ByteBuffer;
import java.util.Map;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import zmq.ZError;

/** Messages over a pair of JeroMQ sockets. The receiver blocks in {@code recv}, as its users do. */
public final class JeroMqLink implements Link {

  private static final int RECEIVE_TIMEOUT_MS = 100;
  private static final int MESSAGES_MAX = 64;

  private final ZContext context = new ZContext(1);
  private final ZMQ.Socket socket;
  private final Receiver receiver;
  private final int port;

  /** Made by name. */
  public JeroMqLink(Settings settings, Side side, Receiver receiver) {
    this.receiver = receiver;
    socket = context.createSocket(SocketType.PAIR);
    socket.setReceiveTimeOut(RECEIVE_TIMEOUT_MS);
    if (side == Side.RECEIVER) {
      port = socket.bindToRandomPort("tcp://127.0.0.1");
    } else {
      port = settings.number("port");
      if (!socket.connect("tcp://127.0.0.1:" + port)) {
        throw new IllegalStateException("can't connect to port " + port);
      }
    }
  }

  @Override
  public Map<String, String> facts() {
    return Map.of("port", Integer.toString(port));
  }

  @Override
  public boolean offer(ByteBuffer message) {
    byte[] copy = new byte[message.capacity()];
    message.get(0, copy);
    if (socket.send(copy, ZMQ.DONTWAIT)) {
      return true;
    }
    if (socket.errno() != ZError.EAGAIN) {
      throw new ZMQException(socket.errno());
    }
    return false;
  }

  @Override
  public void flush() {
    // Its I/O thread sends by itself.
  }

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    byte[] message = socket.recv(mayBlock ? 0 : ZMQ.DONTWAIT);
    int count = 0;
    while (message != null) {
      receiver.onMessage(ByteBuffer.wrap(message), 0, message.length);
      count++;
      message = count < MESSAGES_MAX ? socket.recv(ZMQ.DONTWAIT) : null;
    }
    return count;
  }

  /** Receiving waits by itself; only a full queue is waited for here. */
  @Override
  public void idle(int workCount) {
    Idler.PARK.idle(workCount);
  }

  /** The end of the process closes the sockets, which belong to another thread. */
  @Override
  public void close() {
    // See above.
  }
}
