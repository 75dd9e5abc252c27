package io.weirmq.server.cli;

import io.weirmq.storage.check.Finding;
import io.weirmq.storage.check.PartitionChecker;
import io.weirmq.storage.check.SegmentReader;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.StoredRecord;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mq log}: looks into log files as they lie on the disk. */
@Command(
    name = "log",
    description = "Dump, verify and repair log files. Only repair --apply writes.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LogCommand.Dump.class, LogCommand.Verify.class, LogRepairCommand.class})
final class LogCommand {

  private LogCommand() {}

  /** The partition folders at or below a path. */
  private static List<Path> partitionFolders(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      throw new CommandFailedException(path + " is not a folder");
    }
    try (Stream<Path> all = Files.walk(path, 2)) {
      List<Path> folders = new ArrayList<>();
      for (Path folder : all.filter(Files::isDirectory).sorted().toList()) {
        if (!PartitionChecker.segmentFiles(folder).isEmpty()) {
          folders.add(folder);
        }
      }
      if (folders.isEmpty() && !isOfBroker(path)) {
        throw new CommandFailedException(
            path
                + " holds no segments; expected a partition's folder, with files such as"
                + " 00000000000000000000.log, or a data folder");
      }
      return folders;
    }
  }

  /** Whether a folder without segments is a data folder or a partition's all the same. */
  private static boolean isOfBroker(Path folder) {
    return LogRepairCommand.isDataFolder(folder)
        || Files.exists(folder.resolve("partition.metadata"));
  }

  /** Prints batches and records. */
  @Command(name = "dump", description = "Print the batches of segment files.")
  static final class Dump implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
        paramLabel = "PATH",
        arity = "1..*",
        description = "Segment files, or partition folders.")
    private List<Path> paths = new ArrayList<>();

    @Option(names = "--records", description = "Print the records too.")
    private boolean records;

    @Option(names = "--json", description = "One JSON object per batch.")
    private boolean json;

    /** What {@code --json} prints of a batch. */
    record BatchView(
        String file,
        long position,
        long baseOffset,
        long lastOffset,
        int recordCount,
        int leaderEpoch,
        String compression,
        int sizeInBytes,
        long maxTimestamp,
        long producerId,
        short producerEpoch,
        int baseSequence,
        boolean transactional,
        boolean control,
        @Nullable List<RecordView> records) {}

    /** What {@code --json --records} prints of a record. */
    record RecordView(long offset, long timestamp, @Nullable String key, @Nullable String value) {}

    @Override
    public Integer call() throws IOException {
      boolean sound = true;
      for (Path path : paths) {
        List<Path> files =
            Files.isDirectory(path) ? PartitionChecker.segmentFiles(path) : List.of(path);
        for (Path file : files) {
          sound &= dump(file);
        }
      }
      return sound ? 0 : 1;
    }

    private boolean dump(Path file) throws IOException {
      PrintWriter out = spec.commandLine().getOut();
      try (SegmentReader reader = SegmentReader.open(file)) {
        while (reader.next()) {
          BatchView view = view(file, reader);
          if (json) {
            out.println(Json.line(view));
          } else {
            print(out, view);
          }
        }
        out.flush();
        Finding problem = reader.problem();
        if (problem != null) {
          spec.commandLine().getErr().println(problem);
        }
        return problem == null;
      }
    }

    private BatchView view(Path file, SegmentReader reader) throws IOException {
      RecordBatch batch = reader.batch();
      List<RecordView> views = null;
      if (records) {
        views =
            StoredRecord.readAll(batch, new Decompressor()).stream()
                .map(
                    r ->
                        new RecordView(r.offset(), r.timestampMs(), text(r.key()), text(r.value())))
                .toList();
      }
      return new BatchView(
          String.valueOf(file.getFileName()),
          reader.position(),
          batch.baseOffset(),
          batch.lastOffset(),
          batch.recordCount(),
          batch.partitionLeaderEpoch(),
          batch.compressionType().configName(),
          batch.sizeInBytes(),
          batch.maxTimestamp(),
          batch.producerId(),
          batch.producerEpoch(),
          batch.baseSequence(),
          batch.isTransactional(),
          batch.isControl(),
          views);
    }

    private static void print(PrintWriter out, BatchView b) {
      out.printf(
          "%s @%d  offsets %d-%d  records %d  epoch %d  %s  %d bytes  time %d  producer %d/%d"
              + " sequence %d%s%s%n",
          b.file(),
          b.position(),
          b.baseOffset(),
          b.lastOffset(),
          b.recordCount(),
          b.leaderEpoch(),
          b.compression(),
          b.sizeInBytes(),
          b.maxTimestamp(),
          b.producerId(),
          b.producerEpoch(),
          b.baseSequence(),
          b.transactional() ? "  transactional" : "",
          b.control() ? "  control" : "");
      if (b.records() != null) {
        for (RecordView r : b.records()) {
          out.printf(
              "  %d  time %d  key %s  value %s%n", r.offset(), r.timestamp(), r.key(), r.value());
        }
      }
    }

    private static @Nullable String text(@Nullable ByteBuffer bytes) {
      return bytes == null ? null : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
  }

  /** Checks partitions. */
  @Command(
      name = "verify",
      description = "Check checksums, offsets, records and indexes of partitions.")
  static final class Verify implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
        paramLabel = "FOLDER",
        arity = "1..*",
        description = "Partition folders, or data folders that hold them.")
    private List<Path> paths = new ArrayList<>();

    @Option(names = "--json", description = "One JSON object per partition.")
    private boolean json;

    /** What {@code --json} prints of a partition. */
    record PartitionView(
        String partition,
        int segments,
        long batches,
        long records,
        long bytes,
        List<String> findings) {}

    @Override
    public Integer call() throws IOException {
      List<Path> folders = new ArrayList<>();
      for (Path path : paths) {
        folders.addAll(partitionFolders(path));
      }
      ProgressBar bar =
          new ProgressBar(
              spec.commandLine().getErr(), System::nanoTime, isTerminal(), totalBytes(folders));
      int findings = 0;
      List<PartitionView> views = new ArrayList<>();
      try (PartitionChecker checker = new PartitionChecker()) {
        for (Path folder : folders) {
          PartitionChecker.Report report = checker.check(folder, bar::advance);
          findings += report.findings().size();
          views.add(
              new PartitionView(
                  String.valueOf(folder.getFileName()),
                  report.segmentCount(),
                  report.batchCount(),
                  report.recordCount(),
                  report.bytes(),
                  report.findings().stream().map(Finding::toString).toList()));
        }
      }
      bar.finish();
      PrintWriter out = spec.commandLine().getOut();
      views.forEach(view -> print(out, view));
      return findings == 0 ? 0 : 1;
    }

    @SuppressWarnings("SystemConsoleNull") // Newer JDKs say it by isTerminal(), which 17 lacks.
    private static boolean isTerminal() {
      return System.console() != null;
    }

    private void print(PrintWriter out, PartitionView view) {
      if (json) {
        out.println(Json.line(view));
        return;
      }
      out.println(
          "%s: %d segments, %d batches, %d records, %d bytes, %s"
              .formatted(
                  view.partition(),
                  view.segments(),
                  view.batches(),
                  view.records(),
                  view.bytes(),
                  view.findings().isEmpty() ? "sound" : view.findings().size() + " findings"));
      view.findings().forEach(finding -> out.println("  " + finding));
    }

    private static long totalBytes(List<Path> folders) throws IOException {
      long sum = 0;
      for (Path folder : folders) {
        for (Path file : PartitionChecker.segmentFiles(folder)) {
          sum += Files.size(file);
        }
      }
      return sum;
    }
  }
}
