package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.only;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LIST;
import static io.weirmq.server.config.ConfigType.STRING;
import static io.weirmq.server.config.Importance.HIGH;
import static io.weirmq.server.config.Importance.LOW;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of who the broker is and where it listens. */
public final class NodeKeys {

  /** {@code node.id}. */
  public static final ConfigKey NODE_ID =
      ConfigKey.optional(
              "node.id",
              INT,
              HIGH,
              "The broker's number. Where it is not given, broker.id holds, and without that 0.")
          .with(atLeast(0));

  /** {@code broker.id}. */
  public static final ConfigKey BROKER_ID =
      ConfigKey.optional(
              "broker.id",
              INT,
              HIGH,
              "The broker's number under its older name; must equal node.id where both are given.")
          .with(atLeast(0));

  /** {@code broker.rack}. */
  public static final ConfigKey RACK =
      ConfigKey.optional(
          "broker.rack", STRING, MEDIUM, "The place the broker stands in, told to clients.");

  /** {@code listeners}. */
  public static final ConfigKey LISTENERS =
      ConfigKey.of(
              "listeners",
              LIST,
              "PLAINTEXT://:9092",
              HIGH,
              "Where the broker listens: NAME://host:port with commas between them. An empty host or"
                  + " 0.0.0.0 binds to all interfaces, port 0 lets the system choose. Names and"
                  + " ports must differ. SHM:///folder is shared memory in that folder, SHM:// in"
                  + " the default one; the start fails where it can't be had. One listener at"
                  + " least has a port.")
          .with(ConfigRule.NOT_BLANK);

  /** {@code advertised.listeners}. */
  public static final ConfigKey ADVERTISED_LISTENERS =
      ConfigKey.optional(
          "advertised.listeners",
          LIST,
          HIGH,
          "The addresses that clients are told, per listener name. For a listener that is not named"
              + " here, its own host and port hold; where it is bound to all interfaces, the"
              + " machine's host name, or 127.0.0.1 where that does not resolve. Never 0.0.0.0. Port"
              + " 0 stands for the port that is listened on. Shared memory is never told; clients"
              + " there are told the address of the first listener with a port.");

  /** {@code listener.security.protocol.map}. */
  public static final ConfigKey PROTOCOL_MAP =
      ConfigKey.of(
          "listener.security.protocol.map",
          STRING,
          "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SHM:SHM",
          LOW,
          "The security protocol of each listener name. Served are PLAINTEXT and SHM: shared"
              + " memory, to processes of the broker's own user and of shm.group.");

  /** {@code inter.broker.listener.name}. */
  public static final ConfigKey INTER_BROKER_LISTENER =
      ConfigKey.optional(
          "inter.broker.listener.name",
          STRING,
          MEDIUM,
          "The listener that brokers use among themselves; must be one of the listeners,"
              + " with a port.");

  /** {@code security.inter.broker.protocol}. */
  public static final ConfigKey INTER_BROKER_PROTOCOL =
      ConfigKey.of(
              "security.inter.broker.protocol",
              STRING,
              "PLAINTEXT",
              MEDIUM,
              "The security protocol between brokers.")
          .with(only("PLAINTEXT"));

  /** {@code inter.broker.protocol.version}. */
  public static final ConfigKey PROTOCOL_VERSION =
      ConfigKey.of(
              "inter.broker.protocol.version",
              STRING,
              "4.3",
              LOW,
              "Reported for tools that tell a broker's abilities by it.")
          .with(only("4.3"));

  private NodeKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        NODE_ID,
        BROKER_ID,
        RACK,
        LISTENERS,
        ADVERTISED_LISTENERS,
        PROTOCOL_MAP,
        INTER_BROKER_LISTENER,
        INTER_BROKER_PROTOCOL,
        PROTOCOL_VERSION);
  }
}
