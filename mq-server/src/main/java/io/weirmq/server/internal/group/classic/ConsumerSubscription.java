package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the topics out of the metadata of consumers. Stateless.
 *
 * <p>The metadata belongs to the clients: int16 version, then an array of topic names, then fields
 * of no interest here. Anything may stand in it; what can't be read counts as unknown, and nothing
 * else fails for it.
 */
final class ConsumerSubscription {

  /** An empty string has two bytes. */
  private static final int TOPIC_BYTES_MIN = 2;

  private ConsumerSubscription() {}

  /**
   * The topics of all members.
   *
   * @return null where the metadata of some member can't be read
   */
  static @Nullable Set<String> topicsOf(List<OpaqueBytes> subscriptions) {
    Set<String> topics = new HashSet<>();
    for (OpaqueBytes subscription : subscriptions) {
      try {
        readTopics(subscription, topics);
      } catch (ProtocolException unreadable) {
        // A client may put anything there: then nothing is known of the group's topics.
        return null;
      }
    }
    return Set.copyOf(topics);
  }

  private static void readTopics(OpaqueBytes subscription, Set<String> topics)
      throws ProtocolException {
    ProtocolReader in = new ProtocolReader(subscription.buffer());
    short version = in.readInt16("version");
    if (version < 0) {
      throw new ProtocolException("version " + version + " of a subscription is negative");
    }
    int count = in.readArrayCount("topics", false, TOPIC_BYTES_MIN);
    for (int i = 0; i < count; i++) {
      topics.add(in.readString("topic", false));
    }
  }
}
