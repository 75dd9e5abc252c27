package io.weirmq.transport.shm;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@link ShmOptions} from properties. Stateless. */
final class ShmProperties {

  private static final String PREFIX = "shm.";
  private static final String RING_BYTES_MIN = "shm.ring.bytes.min";
  private static final String RING_BYTES_MAX = "shm.ring.bytes.max";
  private static final String SEND_RING_BYTES = "shm.send.ring.bytes";
  private static final String RECEIVE_RING_BYTES = "shm.receive.ring.bytes";
  private static final String WAIT_STRATEGY = "shm.wait.strategy";

  private static final String GROUP = "shm.group";

  private static final Set<String> NAMES =
      Set.of(
          RING_BYTES_MIN,
          RING_BYTES_MAX,
          SEND_RING_BYTES,
          RECEIVE_RING_BYTES,
          WAIT_STRATEGY,
          GROUP);

  private ShmProperties() {}

  static ShmOptions apply(Map<String, String> properties, ShmOptions base) {
    for (String name : properties.keySet()) {
      if (name.startsWith(PREFIX) && !NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "property %s is not known; there are %s".formatted(name, new TreeSet<>(NAMES)));
      }
    }
    ShmOptions bounded =
        base.withRingBounds(
            bytes(properties, RING_BYTES_MIN, base.ringBytesMin()),
            bytes(properties, RING_BYTES_MAX, base.ringBytesMax()));
    ShmOptions sized =
        bounded
            .withRings(
                bytes(properties, SEND_RING_BYTES, bounded.sendRingBytes()),
                bytes(properties, RECEIVE_RING_BYTES, bounded.receiveRingBytes()))
            .withWaitStrategy(strategy(properties, base.waitStrategy()));
    String group = properties.get(GROUP);
    return group == null ? sized : sized.withGroup(group.trim());
  }

  private static int bytes(Map<String, String> properties, String name, int otherwise) {
    String text = properties.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: expected a whole number of bytes, found '%s'".formatted(name, text), e);
    }
  }

  private static WaitStrategy strategy(Map<String, String> properties, WaitStrategy otherwise) {
    String text = properties.get(WAIT_STRATEGY);
    if (text == null) {
      return otherwise;
    }
    return Arrays.stream(WaitStrategy.values())
        .filter(each -> name(each).equals(text.trim()))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s: expected one of %s, found '%s'"
                        .formatted(
                            WAIT_STRATEGY,
                            Arrays.stream(WaitStrategy.values()).map(ShmProperties::name).toList(),
                            text)));
  }

  private static String name(WaitStrategy strategy) {
    return strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
