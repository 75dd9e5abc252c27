package io.weirmq.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weirmq.transport.*;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import org.jspecify.annotations.Nullable;

/**
 * Two processes, shared memory, a protocol of our own and no broker. One process keeps counters:
 *
 * <pre>
 *   request:  long delta, name in UTF-8        answer:  long new value, in the order of requests
 *
 *   cp='examples/target/classes:examples/target/lib/*'       # once the module is packaged
 *   java -cp "$cp" io.weirmq.examples.SharedMemoryExample serve shm:/dev/shm/counters
 *   java -cp "$cp" io.weirmq.examples.SharedMemoryExample add   shm:/dev/shm/counters visits 1
 * </pre>
 *
 * <p>The first ends with its standard input, so that each wants a terminal of its own.
 *
 * <p>Nothing here names shared memory but the endpoint: with {@code tcp://localhost:7000} it runs
 * over TCP.
 */
public final class SharedMemoryExample {

  private SharedMemoryExample() {}

  /** The process that keeps the counters. All connections share one I/O thread, so no lock. */
  static final class Counters implements ConnectionHandler {
    private final Map<String, Long> values;

    Counters(Map<String, Long> values) {
      this.values = values;
    }

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame request) {
      long delta = request.buffer().getLong();
      String name = UTF_8.decode(request.buffer()).toString();
      request.release();
      long value = values.merge(name, delta, Long::sum);
      connection.send(OutboundFrame.of(ByteBuffer.allocate(8).putLong(value).flip()));
      connection.flush();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
  }

  /** The asking side: answers come in the order of the requests. */
  static final class Client implements ConnectionHandler {
    private final Queue<CompletableFuture<Long>> waiting = new ConcurrentLinkedQueue<>();

    CompletableFuture<Long> add(Connection connection, String name, long delta) {
      byte[] bytes = name.getBytes(UTF_8);
      ByteBuffer request = ByteBuffer.allocate(8 + bytes.length).putLong(delta).put(bytes).flip();
      CompletableFuture<Long> answer = new CompletableFuture<>();
      synchronized (waiting) { // the order of the queue is that of the frames
        waiting.add(answer);
        connection.send(OutboundFrame.of(request));
      }
      connection.flush();
      return answer;
    }

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame answer) {
      long value = answer.buffer().getLong();
      answer.release();
      waiting.remove().complete(value);
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      waiting.forEach(each -> each.cancel(false));
    }
  }

  /** Keeps counters at an endpoint until the returned transport is closed. */
  static Transport serve(Endpoint endpoint) throws Exception {
    TransportOptions options = TransportOptions.defaults().withIoThreads(1, "counters");
    Transport transport = TransportProviders.open(endpoint.scheme(), options);
    Map<String, Long> values = new HashMap<>();
    transport.listen(endpoint, connection -> new Counters(values));
    return transport;
  }

  /** Adds to a counter of another process and returns its new value. */
  static long add(Endpoint endpoint, String name, long delta) throws Exception {
    try (var transport = TransportProviders.open(endpoint.scheme(), TransportOptions.defaults())) {
      Client client = new Client();
      Connection connection = transport.connect(endpoint, client).toCompletableFuture().get();
      return client.add(connection, name, delta).get();
    }
  }

  /** Runs one of the two processes. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 2 && arguments.length != 4) {
      System.err.println("expected: serve <endpoint>, or add <endpoint> <name> <number>");
      return;
    }
    Endpoint endpoint = Endpoint.parse(arguments[1]);
    if (arguments[0].equals("serve")) {
      try (Transport serving = serve(endpoint)) {
        System.out.println("serving " + endpoint + " by " + serving.getClass().getSimpleName());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
      }
    } else {
      System.out.println(add(endpoint, arguments[2], Long.parseLong(arguments[3])));
    }
  }
}
