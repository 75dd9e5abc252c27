package io.weirmq.client.kafka;

import java.util.Arrays;
import java.util.Locale;

/**
 * The properties that these clients know beside Kafka's. They are taken out before Kafka sees the
 * rest, so that it does not warn of them.
 */
public final class TransportConfig {

  /**
   * How brokers are reached: {@code auto} (default), {@code tcp} or {@code shm}; see {@link Mode}.
   */
  public static final String TRANSPORT = "transport";

  /**
   * Folder of the broker's shared memory endpoint, an absolute path. Without it the endpoint is
   * looked up by the port of the broker; see {@link io.weirmq.transport.LocalEndpoints}. With it
   * every broker address that may be reached through shared memory is taken for the one broker of
   * that folder, which suits a cluster of one.
   */
  public static final String SHM_FOLDER = "shm.folder";

  /**
   * Folder in which brokers of this host publish their endpoints, an absolute path. Without it the
   * user's own; see {@link io.weirmq.transport.LocalEndpoints#ofSystem()}.
   */
  public static final String SHM_RUNTIME_FOLDER = "shm.runtime.folder";

  /**
   * Begin of the names that the transport itself knows: {@code shm.wait.strategy}, {@code
   * shm.send.ring.bytes} and {@code shm.receive.ring.bytes} for instance.
   */
  public static final String SHM_PREFIX = "shm.";

  private TransportConfig() {}

  /** Which way is taken to a broker. */
  public enum Mode {
    /**
     * Shared memory to a broker of this host that offers it to this user, TCP to all others and
     * where shared memory can't be had. A client logs once, at level INFO, that it went to TCP
     * although the broker is of this host. With a {@code security.protocol} other than {@code
     * PLAINTEXT} always TCP, as shared memory would change who the client is.
     */
    AUTO,

    /** Kafka's own network, untouched. */
    TCP,

    /**
     * Shared memory only. Brokers that can't be reached so are unreachable: the reason is logged at
     * level WARN, and Kafka's client goes on trying as it does with brokers that are down.
     */
    SHM;

    /**
     * Returns the mode of a property's value.
     *
     * @throws IllegalArgumentException where there is none of that name
     */
    static Mode parse(String text) {
      return Arrays.stream(values())
          .filter(mode -> mode.text().equals(text.trim()))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "expected one of %s, found '%s'"
                          .formatted(Arrays.stream(values()).map(Mode::text).toList(), text)));
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
