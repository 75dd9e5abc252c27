package io.weirmq.server.cli;

import io.weirmq.storage.check.PartitionChecker;
import io.weirmq.storage.check.PartitionRepair;
import io.weirmq.storage.check.PartitionRepair.Stretch;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes damaged batches out of the segments of a data folder that no broker has open. */
@Command(
    name = "repair",
    description = {
      "Take damaged batches out of segments. Prints what it would do; --apply does it.",
      "What is taken out is kept beside the segment, as <segment>.log.damaged-<position>."
    })
final class LogRepairCommand implements Callable<Integer> {

  private static final String CLEAN_SHUTDOWN_MARKER = ".kafka_cleanshutdown";
  private static final String META_PROPERTIES = "meta.properties";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FOLDER",
      arity = "1..*",
      description = "Data folders; no broker may have them open.")
  private List<Path> paths = new ArrayList<>();

  @Option(names = "--apply", description = "Do it.")
  private boolean apply;

  @Override
  @SuppressWarnings("try") // The lock is held, not used.
  public Integer call() throws IOException {
    LogFileSystem files = new NioLogFileSystem();
    int found = 0;
    for (Path path : paths) {
      if (!isDataFolder(path)) {
        throw new CommandFailedException(
            "%s is no data folder, as it has no %s; expected one that a broker has used, not a"
                    .formatted(path, META_PROPERTIES)
                + " partition's folder in it");
      }
      // The lock of the data folder: refused while a broker has it, and the broker while we do.
      try (LogFileSystem.HeldLock held =
          files.lock(
              path.resolve(".lock"), "mq log repair, pid " + ProcessHandle.current().pid())) {
        found += repair(files, path);
      }
    }
    return found == 0 || apply ? 0 : 1;
  }

  /** Whether a broker has used a folder for its data. */
  static boolean isDataFolder(Path folder) {
    return Files.exists(folder.resolve(META_PROPERTIES));
  }

  private int repair(LogFileSystem files, Path dataFolder) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    int found = 0;
    for (Path folder : partitionFolders(dataFolder)) {
      PartitionRepair repair = new PartitionRepair(files, folder);
      List<Stretch> stretches = repair.find();
      found += stretches.size();
      stretches.forEach(stretch -> out.println(line(stretch)));
      if (apply && !stretches.isEmpty()) {
        // The next start has to look at the files, not at what a stop has noted of them.
        files.deleteIfExists(dataFolder.resolve(CLEAN_SHUTDOWN_MARKER));
        repair.apply(stretches);
      }
    }
    out.println(
        "%s: %s"
            .formatted(
                dataFolder,
                found == 0
                    ? "nothing is damaged"
                    : "%d stretches %s".formatted(found, apply ? "taken out" : "are damaged")));
    out.flush();
    return found;
  }

  private String line(Stretch stretch) {
    String last =
        stretch.endOffset() == Long.MAX_VALUE ? "the end" : String.valueOf(stretch.endOffset() - 1);
    return "%s at position %d: %d bytes, offsets %d to %s %s (%s); kept in %s"
        .formatted(
            stretch.file(),
            stretch.position(),
            stretch.lengthBytes(),
            stretch.firstOffset(),
            last,
            apply ? "taken out" : "would be taken out",
            stretch.problem(),
            stretch.kept().getFileName());
  }

  private static List<Path> partitionFolders(Path dataFolder) throws IOException {
    List<Path> folders = new ArrayList<>();
    try (Stream<Path> children = Files.list(dataFolder)) {
      for (Path child : children.filter(Files::isDirectory).sorted().toList()) {
        if (!child.toString().endsWith("-delete")
            && !PartitionChecker.segmentFiles(child).isEmpty()) {
          folders.add(child);
        }
      }
    }
    return folders;
  }
}
