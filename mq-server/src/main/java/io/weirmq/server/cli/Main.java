package io.weirmq.server.cli;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/** The entry point of {@code ./mq}. */
@Command(
    name = "mq",
    description = "WeirMQ, a message broker that speaks the Kafka protocol.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    version = "WeirMQ 0.1.0",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ServerCommand.class,
      TopicCommand.class,
      ProduceCommand.class,
      ConsumeCommand.class,
      GroupCommand.class,
      LogCommand.class
    })
public final class Main {

  /** Made by picocli. */
  public Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The whole command line, with the commands of other modules. */
  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    for (CliExtension extension : ServiceLoader.load(CliExtension.class)) {
      line.addSubcommand(extension.name(), extension.command());
    }
    line.setExecutionExceptionHandler(
        (exception, failed, parsed) -> {
          failed.getErr().println("mq " + failed.getCommandName() + ": " + message(exception));
          return 1;
        });
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  private static String message(Throwable exception) {
    if (exception instanceof FileSystemException refused && refused.getReason() == null) {
      return refused.getFile() + ": " + refusal(refused);
    }
    String text = exception.getMessage();
    return text == null ? exception.toString() : text;
  }

  /** What the exceptions mean that carry the name of a file and nothing else. */
  private static String refusal(FileSystemException refused) {
    if (refused instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (refused instanceof AccessDeniedException) {
      return "access denied";
    }
    return refused.getClass().getSimpleName();
  }
}
