package io.weirmq.server;

import java.util.Optional;

/**
 * A broker as a process of its own, for tests that kill it. Arguments are {@code key=value}
 * configurations; prints {@code serving PORT} when it serves.
 */
public final class BrokerProcess {

  private BrokerProcess() {}

  /** Runs a broker until it is closed by a signal or ends by a fatal error. */
  public static void main(String[] args) throws Exception {
    Broker.Builder builder = Broker.builder();
    for (String arg : args) {
      int equals = arg.indexOf('=');
      builder.set(arg.substring(0, equals), arg.substring(equals + 1));
    }
    Broker broker = builder.start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    broker.close();
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                "test-shutdown"));
    System.out.println("serving " + broker.boundPort());
    System.out.flush();
    Optional<Throwable> fatal = broker.awaitTermination();
    if (fatal.isPresent()) {
      System.exit(3);
    }
  }
}
