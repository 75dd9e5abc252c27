package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When connections over TCP keep a polling thread in Kafka's Selector. */
final class TcpActivityTest {

  private static final long LATER = TcpActivity.ACTIVE_NANOS;

  private final Set<String> ready = new HashSet<>();
  private final TcpActivity activity = new TcpActivity(ready::contains);

  @Test
  void nothingIsActiveWithoutConnections() {
    assertThat(activity.isActive(0)).isFalse();
    assertThat(activity.isEmpty()).isTrue();
  }

  @Test
  void aConnectionThatIsBeingMadeIsActive() {
    activity.opened("1");
    assertThat(activity.isActive(0)).isTrue();
    assertThat(activity.isActive(10 * LATER)).isTrue();
    assertThat(activity.count()).isEqualTo(1);

    ready.add("1");
    assertThat(activity.isActive(11 * LATER - 1)).as("a moment ago").isTrue();
    assertThat(activity.isActive(11 * LATER)).isFalse();
    assertThat(activity.isEmpty()).as("quiet, and there").isFalse();
  }

  @Test
  void aConnectionIsActiveUntilAllItsResponsesHaveCome() {
    ready.add("1");
    activity.opened("1");
    assertThat(activity.isActive(0)).isFalse();
    activity.sent("1");
    activity.sent("1");
    activity.received("1");
    assertThat(activity.isActive(0)).isTrue();
    assertThat(activity.isActive(5 * LATER)).isTrue();

    activity.received("1");

    assertThat(activity.isActive(6 * LATER - 1)).isTrue();
    assertThat(activity.isActive(6 * LATER)).isFalse();
  }

  @Test
  void theLastConnectionTakesItsActivityAlong() {
    activity.opened("1");
    activity.opened("2");
    assertThat(activity.isActive(0)).isTrue();
    activity.closed("1");
    activity.closed(Set.of("2"));
    activity.sent("2");

    assertThat(activity.isActive(1)).isFalse();
    assertThat(activity.count()).isZero();
  }

  @Test
  void whatIsUnknownCountsForAWhile() {
    ready.add("1");
    activity.opened("1");
    activity.touch(5);

    assertThat(activity.isActive(4 + LATER)).isTrue();
    assertThat(activity.isActive(5 + LATER)).isFalse();
  }
}
