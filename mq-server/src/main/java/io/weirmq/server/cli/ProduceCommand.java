package io.weirmq.server.cli;

import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.CompressionType;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mq produce}: sends lines, or whole files, as records. */
@Command(
    name = "produce",
    description = {
      "Send records: each line of standard input, or each file named, is one.",
      "Without --partition the key decides (murmur2, as Kafka's clients do); keyless records fill one"
          + " partition per batch in turn."
    })
final class ProduceCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Option(
      names = {"-t", "--topic"},
      paramLabel = "TOPIC",
      required = true,
      description = "Topic; made where the broker makes topics by itself.")
  private String topic = "";

  @Option(
      names = {"-p", "--partition"},
      paramLabel = "N",
      description = "Send everything to one partition.")
  private @Nullable Integer partition;

  @Option(
      names = {"-k", "--key-separator"},
      paramLabel = "TEXT",
      description = "Text between key and value in a line, ':' for instance (default: no keys).")
  private @Nullable String keySeparator;

  @Option(
      names = "--acks",
      paramLabel = "0|1|all",
      defaultValue = "all",
      description = "Which acknowledgement to wait for (default: ${DEFAULT-VALUE}, idempotent).")
  private String acks = "all";

  @Option(
      names = {"-z", "--compression"},
      paramLabel = "CODEC",
      defaultValue = "none",
      description = "One of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private CompressionType compression = CompressionType.NONE;

  @Option(
      names = "--batch-bytes",
      paramLabel = "BYTES",
      defaultValue = "65536",
      description = "Size at which a batch is sent (default: ${DEFAULT-VALUE}).")
  private int batchBytes;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Files to send, one record each, without keys (default: lines of stdin).")
  private List<Path> files = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    BatchSender.ProduceOptions produceOptions =
        new BatchSender.ProduceOptions(parseAcks(acks), batchBytes, compression);
    try (ClientOptions.Session session = options.open("produce")) {
      MetadataResponse.MetadataResponseTopic metadata = session.client().topic(topic, true);
      int count = metadata.partitions().size();
      if (partition != null && (partition < 0 || partition >= count)) {
        throw new CommandFailedException(
            "partition %d: topic %s has the partitions 0 to %d"
                .formatted(partition, topic, count - 1));
      }
      BatchSender sender = new BatchSender(session.client(), metadata, produceOptions);
      Partitioner partitioner = new Partitioner(count, (int) System.nanoTime());
      try {
        if (files.isEmpty()) {
          sendLines(System.in, sender, partitioner);
        } else {
          for (Path file : files) {
            send(sender, partitioner, null, Files.readAllBytes(file));
          }
        }
        sender.flush();
      } catch (IOException e) {
        throw new CommandFailedException(
            "%s (%d records were acknowledged)".formatted(e.getMessage(), sender.acknowledged()));
      }
      spec.commandLine().getErr().println(sender.acknowledged() + " records");
      return 0;
    }
  }

  private void sendLines(InputStream input, BatchSender sender, Partitioner partitioner)
      throws IOException {
    byte @Nullable [] separator =
        keySeparator == null ? null : keySeparator.getBytes(StandardCharsets.UTF_8);
    BufferedInputStream in = new BufferedInputStream(input, 1 << 16);
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    long number = 1;
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        sendLine(line.toByteArray(), number++, separator, sender, partitioner);
        line.reset();
      } else {
        line.write(b);
      }
    }
    if (line.size() > 0) {
      sendLine(line.toByteArray(), number, separator, sender, partitioner);
    }
  }

  private void sendLine(
      byte[] line,
      long number,
      byte @Nullable [] separator,
      BatchSender sender,
      Partitioner partitioner)
      throws IOException {
    if (separator == null) {
      send(sender, partitioner, null, line);
      return;
    }
    int at = indexOf(line, separator);
    if (at < 0) {
      throw new CommandFailedException(
          "line %d has no separator \"%s\"".formatted(number, keySeparator));
    }
    send(
        sender,
        partitioner,
        Arrays.copyOf(line, at),
        Arrays.copyOfRange(line, at + separator.length, line.length));
  }

  private void send(
      BatchSender sender, Partitioner partitioner, byte @Nullable [] key, byte[] value)
      throws IOException {
    int target = partition != null ? partition : partitioner.partition(key);
    boolean sent = sender.add(target, System.currentTimeMillis(), key, value);
    if (sent && key == null) {
      partitioner.nextBatch();
    }
  }

  private static int indexOf(byte[] line, byte[] wanted) {
    for (int i = 0; i + wanted.length <= line.length; i++) {
      if (Arrays.equals(line, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }

  private static short parseAcks(String text) throws CommandFailedException {
    return switch (text) {
      case "all", "-1" -> -1;
      case "1" -> 1;
      case "0" -> 0;
      default -> throw new CommandFailedException("--acks is \"" + text + "\", allowed: 0, 1, all");
    };
  }
}
