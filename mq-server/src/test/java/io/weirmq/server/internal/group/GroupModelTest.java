package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Many members join, stall, change, leave, crash and come back in a random order, over a log that
 * is slow or refuses. Whatever happens: one leader for each generation, generations never go back,
 * each member gets what the leader gave it, everybody is answered, and when things calm down the
 * group is stable and stays so.
 */
class GroupModelTest {

  private static final int SEED_COUNT = 120;
  private static final int STEP_COUNT = 250;
  private static final int MEMBERS_MAX = 7;

  @Test
  void randomSchedulesKeepTheInvariants() {
    for (long seed = 1; seed <= SEED_COUNT; seed++) {
      try {
        new Schedule(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("failing seed: " + seed, e);
      }
    }
  }

  private static final class Schedule {

    private final Random random;
    private final GroupTestBed bed = new GroupTestBed();
    private final GroupHistory history = new GroupHistory();
    private final List<SimulatedMember> members = new ArrayList<>();

    Schedule(long seed) {
      this.random = new Random(seed);
    }

    void run() {
      for (int i = 0; i < STEP_COUNT; i++) {
        step();
        settle();
      }
      calmDown();
    }

    private void step() {
      switch (random.nextInt(17)) {
        case 0, 1 -> start();
        case 2 -> withOne(members::remove);
        case 3 ->
            withOne(
                member -> {
                  member.leave();
                  members.remove(member);
                });
        case 4 -> withOne(member -> member.change(randomProtocols()));
        case 5 -> withOne(this::restartStatic);
        case 6 -> bed.log.hold();
        case 7, 8 -> bed.log.release();
        case 9 -> bed.log.releaseOne();
        case 10 ->
            bed.log.failAppendsWith(
                random.nextBoolean() ? ErrorCode.NOT_ENOUGH_REPLICAS : ErrorCode.NONE);
        case 11 -> bed.pass(random.nextInt(30_000));
        case 12 -> withOne(SimulatedMember::askAgain);
        default -> bed.pass(random.nextInt(3_000));
      }
    }

    private void start() {
      if (members.size() < MEMBERS_MAX) {
        String instanceId = null;
        if (random.nextInt(3) == 0) {
          instanceId = "i" + random.nextInt(3);
        }
        members.add(newMember(instanceId));
      }
    }

    /** Sessions are longer or shorter than rebalances. */
    private SimulatedMember newMember(@Nullable String instanceId) {
      int sessionMs = random.nextInt(6_000, 40_000);
      int rebalanceMs = random.nextInt(5_000, 60_000);
      return new SimulatedMember(
          bed, history, instanceId, sessionMs, rebalanceMs, randomProtocols());
    }

    private void restartStatic(SimulatedMember member) {
      if (member.instanceId != null) {
        if (random.nextBoolean()) {
          // Else the old process lives on and is to be fenced.
          members.remove(member);
        }
        members.add(newMember(member.instanceId));
      }
    }

    private void withOne(Consumer<SimulatedMember> action) {
      if (!members.isEmpty()) {
        action.accept(members.get(random.nextInt(members.size())));
      }
    }

    private List<JoinProtocol> randomProtocols() {
      OpaqueBytes metadata = bytes("topics " + random.nextInt(3));
      JoinProtocol range = new JoinProtocol("range", metadata);
      JoinProtocol sticky = new JoinProtocol("sticky", metadata);
      return switch (random.nextInt(3)) {
        case 0 -> List.of(range);
        case 1 -> List.of(range, sticky);
        default -> List.of(sticky, range);
      };
    }

    private void settle() {
      List.copyOf(members).forEach(SimulatedMember::act);
      members.removeIf(member -> member.isFenced);
      bed.run();
      history.check();
      assertThat(bed.time.waitingTaskCount())
          .as("one timer for each member and id given out, and a few for the group")
          .isLessThan(400);
    }

    /** Lets everything that is alive come to rest, and looks whether it stays there. */
    private void calmDown() {
      bed.log.failAppendsWith(ErrorCode.NONE);
      bed.log.release();
      live(300_000);
      // Several clients may claim one name: the last one to come has it, the others are fenced.
      assertThat(members).allMatch(member -> member.isStable);
      int generation = history.highestGeneration();
      assertThat(members).allMatch(member -> member.generation == generation);
      Set<OpaqueBytes> assignments = new HashSet<>();
      members.forEach(member -> assignments.add(Objects.requireNonNull(member.assignment)));
      assertThat(assignments).hasSameSizeAs(members);

      live(600_000);
      assertThat(history.highestGeneration())
          .as("no rebalance without cause")
          .isEqualTo(generation);
      if (!members.isEmpty()) {
        assertThat(bed.state()).isEqualTo("Stable");
        assertThat(bed.describe().members()).hasSameSizeAs(members);
      }

      members.forEach(SimulatedMember::leave);
      members.clear();
      bed.pass(400_000);
      history.checkThatAllIsAnswered();
      assertThat(bed.time.waitingTaskCount()).as("only the check for expired offsets").isOne();
    }

    private void live(int ms) {
      for (int passedMs = 0; passedMs < ms; passedMs += 1_000) {
        settle();
        bed.pass(1_000);
      }
    }
  }
}
