package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.StoredRecord;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that writes noise over all of its shared memory while it produces, beside good ones. */
@Timeout(300)
final class HostileClientTest {

  private static final int ROUNDS = 15;
  private static final long SEED = 20_261_130;
  private static final String TOPIC = "t";

  @TempDir private Path folder;
  private final Random random = new Random(SEED);

  @Test
  void noiseOverTheWholeMemoryCostsItsWriterTheConnection_andNothingElse() throws Exception {
    LocalEndpoints places = LocalEndpoints.ofSystem();
    ExecutorService beside = Executors.newSingleThreadExecutor();
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        Transport good = open("good-shm");
        LocalClient local =
            LocalClient.connect(good, places.find("127.0.0.1", broker.boundPort()).orElseThrow());
        RawClient remote = RawClient.connect(broker.boundPort())) {
      Endpoint endpoint = places.find("127.0.0.1", broker.boundPort()).orElseThrow();
      TestBroker.createTopic(broker.boundPort(), TOPIC, 1, Map.of());
      List<String> acknowledged = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        // A transport each time, as a hostile process may break its own as well.
        try (Transport bad = open("bad-shm")) {
          Hostile hostile = new Hostile(random.nextLong());
          int now = round;
          Future<?> noise =
              beside.submit(
                  () -> {
                    hostile.produceUnderNoise(bad, endpoint, now);
                    return null;
                  });
          assertThat(local.produce(TOPIC, batch("local " + round))).isNotNegative();
          acknowledged.add("local " + round);
          assertThat(TestBroker.produce(remote, TOPIC, 0, batch("remote " + round)).errorCode())
              .isZero();
          acknowledged.add("remote " + round);
          noise.get(60, TimeUnit.SECONDS);
        }
      }

      beside.shutdown();
      assertThat(broker.health()).isEqualTo(Broker.Health.UP);
      List<String> stored = readWholeBatches(remote);
      assertThat(stored.stream().filter(each -> !each.startsWith("hostile ")).toList())
          .as("seed %d", SEED)
          .isEqualTo(acknowledged);
      assertThat(stored).allMatch(each -> each.matches("(hostile|local|remote) [0-9 ]+"));
    }
  }

  private static Transport open(String threads) {
    return TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, threads));
  }

  /** Reads the log, and checks each batch's bounds and CRC. */
  private static List<String> readWholeBatches(RawClient client) throws Exception {
    List<String> values = new ArrayList<>();
    long offset = 0;
    while (true) {
      ByteBuffer bytes =
          TestBroker.bytes(TestBroker.fetchOne(client, TestBroker.fetch(TOPIC, 0, offset)));
      if (!bytes.hasRemaining()) {
        return values;
      }
      int position = bytes.position();
      while (position < bytes.limit()) {
        RecordBatch batch = RecordBatch.at(bytes, position);
        batch.ensureValid();
        assertThat(batch.baseOffset()).isEqualTo(offset);
        for (StoredRecord record : StoredRecord.readAll(batch, new Decompressor())) {
          values.add(TestBroker.text(record.value()));
        }
        offset = batch.nextOffset();
        position += batch.sizeInBytes();
      }
    }
  }

  /** One connection, whose memory is written over from its first request until it ends. */
  private static final class Hostile implements ConnectionHandler {

    private static final int REQUESTS = 50;

    /** Far more than it takes for one side or the other to notice. */
    private static final int WRITES_MAX = 20_000_000;

    private final FrameCodec codec = new FrameCodec();
    private final Random noise;
    private volatile boolean ended;

    Hostile(long seed) {
      this.noise = new Random(seed);
    }

    /** Returns when the connection has ended, or all of the noise is written. */
    void produceUnderNoise(Transport transport, Endpoint endpoint, int round) throws Exception {
      Map<String, Path> before = rings();
      Connection connection =
          transport.connect(endpoint, this).toCompletableFuture().get(30, TimeUnit.SECONDS);
      Map<String, Path> made = rings();
      made.keySet().removeAll(before.keySet());
      assertThat(made).as("memory of the new connection").hasSize(1);
      MappedByteBuffer memory = map(made.values().iterator().next());
      Thread writer = new Thread(() -> scribble(memory), "noise");
      writer.start();
      for (int i = 0; i < REQUESTS && !ended; i++) {
        connection.send(
            codec.encodeRequest(
                ApiKey.PRODUCE,
                (short) 9,
                i,
                "hostile",
                TestBroker.produce(TOPIC, 0, -1, batch("hostile %d %d".formatted(round, i)))));
        connection.flush();
      }
      writer.join();
    }

    private void scribble(MappedByteBuffer memory) {
      int words = memory.capacity() / Long.BYTES;
      for (int i = 0; i < WRITES_MAX && !ended; i++) {
        // Half of it where the headers and the first records are, which matter most.
        int bound = noise.nextBoolean() ? words : 512;
        memory.putLong(noise.nextInt(bound) * Long.BYTES, noise.nextLong());
      }
    }

    /** The memory of the connections of this process, by name, which leads to it no more. */
    private static Map<String, Path> rings() throws IOException {
      Map<String, Path> rings = new HashMap<>();
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        for (Path each : open.toList()) {
          target(each)
              .filter(name -> name.contains("/ring-"))
              .ifPresent(name -> rings.put(name, each));
        }
      }
      return rings;
    }

    private static Optional<String> target(Path descriptor) throws IOException {
      try {
        return Optional.of(Files.readSymbolicLink(descriptor).toString());
      } catch (NoSuchFileException e) {
        return Optional.empty(); // closed meanwhile
      }
    }

    private static MappedByteBuffer map(Path descriptor) {
      try (FileChannel file =
          FileChannel.open(descriptor, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return file.map(FileChannel.MapMode.READ_WRITE, 0, file.size());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void onOpen(Connection opened) {}

    @Override
    public void onFrame(Connection from, InboundFrame frame) {
      frame.release();
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
      ended = true;
    }
  }
}
