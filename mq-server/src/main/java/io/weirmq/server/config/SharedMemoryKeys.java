package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.oneOf;
import static io.weirmq.server.config.ConfigRule.powerOfTwo;
import static io.weirmq.server.config.ConfigType.BOOLEAN;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.STRING;
import static io.weirmq.server.config.Importance.LOW;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of listeners on shared memory. */
public final class SharedMemoryKeys {

  private static final int RING_BYTES_MIN = 4 * 1024;
  private static final int RING_BYTES_MAX = 512 * 1024 * 1024;

  /** {@code shm.listener.enable}. */
  public static final ConfigKey ENABLE =
      ConfigKey.of(
          "shm.listener.enable",
          BOOLEAN,
          "true",
          MEDIUM,
          "Whether clients of the same host and user are served through shared memory where"
              + " listeners does not name it. Where the system does not allow it, one warning says"
              + " why and the broker serves its ports alone.");

  /** {@code shm.network.threads}. */
  public static final ConfigKey IO_THREADS =
      ConfigKey.of(
              "shm.network.threads",
              INT,
              "1",
              MEDIUM,
              "Threads that serve connections through shared memory, besides num.network.threads.")
          .with(atLeast(1));

  /** {@code shm.max.connections}. */
  public static final ConfigKey CONNECTIONS_MAX =
      ConfigKey.of(
              "shm.max.connections",
              INT,
              "1000",
              MEDIUM,
              "Open connections through shared memory, max.connections at most; further ones are"
                  + " refused. max.connections.per.ip does not count them.")
          .with(atLeast(1));

  /** {@code shm.ring.bytes.min}. */
  public static final ConfigKey RING_BYTES_LEAST =
      ConfigKey.of(
              "shm.ring.bytes.min",
              INT,
              "65536",
              LOW,
              "The smallest ring that a client is granted, bytes. A connection has two rings.")
          .with(powerOfTwo(RING_BYTES_MIN, RING_BYTES_MAX));

  /** {@code shm.ring.bytes.max}. */
  public static final ConfigKey RING_BYTES_MOST =
      ConfigKey.of(
              "shm.ring.bytes.max",
              INT,
              "67108864",
              LOW,
              "The largest ring that a client is granted, bytes; one that asks for more gets this.")
          .with(powerOfTwo(RING_BYTES_MIN, RING_BYTES_MAX));

  /** {@code shm.wait.strategy}. */
  public static final ConfigKey WAIT_STRATEGY =
      ConfigKey.of(
              "shm.wait.strategy",
              STRING,
              "adaptive",
              MEDIUM,
              "How threads of shared memory wait for clients: adaptive sleeps soon after the last"
                  + " frame; yielding and busy-spin take a core for each thread as long as there"
                  + " is a connection.")
          .with(oneOf("adaptive", "yielding", "busy-spin"));

  /** {@code shm.group}. */
  public static final ConfigKey GROUP =
      ConfigKey.optional(
              "shm.group",
              STRING,
              LOW,
              "The Unix group whose members may connect through shared memory, besides the"
                  + " broker's own user. They have to be told a folder that they can reach: the"
                  + " default one lies in a folder of the broker's user alone.")
          .with(ConfigRule.NOT_BLANK);

  private SharedMemoryKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        ENABLE,
        IO_THREADS,
        CONNECTIONS_MAX,
        RING_BYTES_LEAST,
        RING_BYTES_MOST,
        WAIT_STRATEGY,
        GROUP);
  }
}
