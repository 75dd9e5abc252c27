package io.weirmq.bench.compaction;

import io.weirmq.bench.host.BenchFolder;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.CleanerOptions;
import io.weirmq.storage.CleaningResult;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogCleaner;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code mq bench compaction}: compacts a log of random keys and compares what a consumer then sees
 * with a model that was kept while the log was written.
 */
@Command(
    name = "compaction",
    mixinStandardHelpOptions = true,
    description = {
      "Write a log of random keys, one in twenty of them deleted, compact it, and compare with a"
          + " model.",
      "MQ_BENCH_DIR names the folder to measure in."
    })
public final class CompactionCommand implements Callable<Integer> {

  static final TopicPartition PARTITION = new TopicPartition("compaction", 0);

  private static final long MIB = 1024 * 1024;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--mib",
      defaultValue = "1024",
      description = "Size of the log in MiB (default: ${DEFAULT-VALUE}).")
  private long mib;

  @Option(
      names = "--keys",
      defaultValue = "100000",
      description = "Different keys (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--value-bytes",
      defaultValue = "1024",
      description = "Size of a value (default: ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = {"-z", "--compression"},
      defaultValue = "none",
      description = "Codec (default: ${DEFAULT-VALUE}).")
  private CompressionType codec = CompressionType.NONE;

  @Option(
      names = "--segment-mib",
      defaultValue = "128",
      description = "segment.bytes in MiB (default: ${DEFAULT-VALUE}).")
  private int segmentMib;

  @Option(
      names = "--map-mib",
      defaultValue = "128",
      description = "Memory for the map of keys in MiB at most (default: ${DEFAULT-VALUE}).")
  private long mapMib;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Seed of keys and values (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--keep",
      paramLabel = "FOLDER",
      description = "Write into this new folder, and leave it for other tools.")
  private @Nullable Path keep;

  @Override
  public Integer call() throws Exception {
    Path folder = keep == null ? BenchFolder.create() : Files.createDirectories(keep);
    try {
      return run(folder) ? 0 : 1;
    } finally {
      if (keep == null) {
        BenchFolder.remove(folder);
      }
    }
  }

  private boolean run(Path folder) throws Exception {
    InstantSource clock = InstantSource.system();
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .cleanupPolicy(true, false)
            .segmentBytes(Math.toIntExact(segmentMib * MIB))
            .build();
    LogDirectoryOptions options =
        LogDirectoryOptions.of(1, "compaction").withConfigOf(partition -> config);
    boolean same;
    try (LogDirectory directory =
            LogDirectories.open(folder, options, new NioLogFileSystem(), clock);
        AppendPipeline pipeline =
            AppendPipelines.open(
                PipelineOptions.defaults("compaction"),
                Thread::new,
                clock,
                (component, error) -> Runtime.getRuntime().halt(1))) {
      PartitionLog log = directory.create(PARTITION, new UUID(1, 1), config);
      LogAppender appender =
          pipeline.attach(log, writer -> writer.advanceHighWatermark(log.logEndOffset()));
      KeyedLoad load = new KeyedLoad(log, appender, keys, valueBytes, codec, seed);
      load.fill(mib * MIB);
      same = compactAndCompare(log, appender, load, clock);
      appender.detach().join();
    }
    if (keep != null) {
      print("files are in " + folder.resolve(PARTITION.toString()));
    }
    return same;
  }

  private boolean compactAndCompare(
      PartitionLog log, LogAppender appender, KeyedLoad load, InstantSource clock)
      throws IOException {
    SecureRandom random = new SecureRandom();
    LogCleaner cleaner =
        new LogCleaner(
            CleanerOptions.defaults().withMapBytes(mapMib * MIB),
            clock,
            System::nanoTime,
            TimeUnit.NANOSECONDS::sleep,
            random::nextLong);
    print(
        "| run | log MiB | segments | new from offset | to | keys | records read | kept | MiB read |"
            + " MiB written | map MiB | buffers MiB | first pass ms | in all ms | MiB/s read |");
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    int run = 0;
    CleaningResult result = cleaner.clean(log, appender::execute, () -> false);
    while (result instanceof CleaningResult.Cleaned cleaned) {
      run++;
      printRun(run, cleaned);
      result = cleaner.clean(log, appender::execute, () -> false);
    }
    KeyedLoad.Comparison comparison = load.compare();
    print(
        String.format(
            Locale.ROOT,
            "log: %.1f MiB in %d segments, %d records; keys in the model: %d; differences: %d; older"
                + " records of a key below the active segment: %d",
            mib(log.sizeBytes()),
            log.segmentCount(),
            comparison.records(),
            comparison.keys(),
            comparison.differences(),
            comparison.outdated()));
    return comparison.differences() == 0 && comparison.outdated() == 0;
  }

  private void printRun(int run, CleaningResult.Cleaned cleaned) {
    print(
        String.format(
            Locale.ROOT,
            "| %d | %.1f → %.1f | %d → %d | %d | %d%s | %d | %d | %d | %.1f | %.1f | %.2f | %.2f |"
                + " %d | %d | %.0f |",
            run,
            mib(cleaned.sizeBefore()),
            mib(cleaned.sizeAfter()),
            cleaned.segmentsBefore(),
            cleaned.segmentsAfter(),
            cleaned.firstDirtyOffset(),
            cleaned.endOffset(),
            cleaned.mapFull() ? " (map full)" : "",
            cleaned.keys(),
            cleaned.recordsRead(),
            cleaned.recordsKept(),
            mib(cleaned.bytesRead()),
            mib(cleaned.bytesWritten()),
            mib(cleaned.mapBytes()),
            mib(cleaned.bufferBytes()),
            cleaned.mapMs(),
            cleaned.totalMs(),
            mib(cleaned.bytesRead()) * 1000 / Math.max(1, cleaned.totalMs())));
  }

  private static double mib(long bytes) {
    return bytes / (double) MIB;
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
