package io.weirmq.server.cli;

/** A command of another module, found by {@link java.util.ServiceLoader}. */
public interface CliExtension {

  /** The name under which the command is called. */
  String name();

  /** A new object of a class with picocli's annotations. */
  Object command();
}
