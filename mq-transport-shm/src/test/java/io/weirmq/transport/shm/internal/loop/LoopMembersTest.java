package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Turns of the members of a loop, without the loop. */
final class LoopMembersTest {

  private final TaskGuard guard = new TaskGuard();
  private final LoopMembers members = new LoopMembers(guard);

  /** Counts what it is asked, and seems to have all of its memory. */
  private static class Member implements LoopMember {
    private final Patience patience = Patience.fixed();
    int turns;
    @Nullable Throwable endedBy;

    @Override
    public int serve() {
      turns++;
      return 0;
    }

    @Override
    public Patience patience() {
      return patience;
    }

    @Override
    public void wake() {}

    @Override
    public boolean rest() {
      return true;
    }

    @Override
    public boolean memoryFailed(InternalError failure) {
      return false;
    }

    @Override
    public void loopEnds() {}

    @Override
    public void failsAgain(Throwable failure) {
      endedBy = failure;
    }
  }

  private <M extends Member> M joined(M member) {
    members.join(member);
    members.wake(member);
    return member;
  }

  /** A turn as the loop does it: what has failed in the one before is looked after first. */
  private void turn() {
    InternalError failure = guard.memoryFailure();
    if (failure != null) {
      members.memoryFailed(failure);
      guard.forget();
    }
    members.serve(true);
  }

  @Test
  void aMemberThatFailsKeepsNobodyFromItsTurn() {
    Member before = joined(new Member());
    Member failing =
        joined(
            new Member() {
              @Override
              public int serve() {
                throw new InternalError("memory fails on purpose");
              }
            });
    Member behind = joined(new Member());

    for (int i = 1; i <= 10; i++) {
      turn();

      assertThat(before.turns).isEqualTo(i);
      assertThat(behind.turns).isEqualTo(i);
    }
    assertThat(failing.endedBy).hasMessage("memory fails on purpose");
    assertThat(before.endedBy).isNull();
    assertThat(behind.endedBy).isNull();
  }

  @Test
  void aMemberThatFailsAgainAndAgainHasToEndAfterThreeTurnsThatAreWatched() {
    Member failing =
        joined(
            new Member() {
              @Override
              public int serve() {
                turns++;
                throw new IllegalStateException("fails on purpose");
              }
            });

    for (int i = 0; i < 3; i++) {
      turn();
      assertThat(failing.endedBy).as("after %d turns", i + 1).isNull();
    }
    turn(); // the first of them was not watched

    assertThat(failing.endedBy).isInstanceOf(IllegalStateException.class);
    assertThat(failing.turns).isEqualTo(4);
  }

  /** The JVM reports a fault late: unwatched, in the turn of whoever comes next. */
  @Test
  void aFaultOfMemoryThatSeemsWholeEndsTheMemberWhoseItIs() throws IOException {
    Member before = joined(new Member());
    MappedByteBuffer gone = memoryThatIsGone();
    Member failing =
        joined(
            new Member() {
              @Override
              public int serve() {
                turns++;
                return gone.getInt(4096) == 1 ? 1 : 0;
              }
            });
    Member behind =
        joined(
            new Member() {
              private final MemoryFaults asked = new MemoryFaults();

              @Override
              public int serve() {
                asked.report();
                return super.serve();
              }
            });

    for (int i = 0; i < 10 && failing.endedBy == null; i++) {
      turn();
    }

    assertThat(failing.endedBy).isInstanceOf(InternalError.class);
    assertThat(failing.turns).isBetween(3, 5);
    assertThat(before.endedBy).isNull();
    assertThat(behind.endedBy).isNull();
  }

  /** As one whose peer sends on and on: before each frame the JVM is asked for faults. */
  @Test
  void aFaultThatIsTakenWithinAWatchedTurnIsThatMembersToo() throws IOException {
    Member before = joined(new Member());
    MappedByteBuffer gone = memoryThatIsGone();
    Member failing =
        joined(
            new Member() {
              @Override
              public int serve() {
                turns++;
                int found = gone.getInt(4096) == 1 ? 2 : 1;
                members.takeFaults();
                return found;
              }
            });

    for (int i = 0; i < 10 && failing.endedBy == null; i++) {
      turn();
    }

    assertThat(failing.endedBy).isInstanceOf(InternalError.class);
    assertThat(failing.turns).isBetween(3, 5);
    assertThat(before.endedBy).isNull();
  }

  private static MappedByteBuffer memoryThatIsGone() throws IOException {
    Path path = TestFolder.existing().resolve("cut");
    try (FileChannel file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(8192));
      MappedByteBuffer memory = file.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
      file.truncate(0);
      return memory;
    }
  }

  @Test
  void whoHasLeftIsForgottenAlsoWhereNobodyMayRest() {
    Member left = joined(new Member());
    Member stays = joined(new Member());
    members.leave(left);

    members.serve(false);

    assertThat(left.turns).isZero();
    assertThat(stays.turns).isOne();
    members.leave(stays);
    members.serve(false);
    assertThat(members.allRest()).isTrue();
  }

  @Test
  void whoLeavesWithinItsTurnIsForgottenAndNobodyIsLeftOut() {
    Member leaving =
        joined(
            new Member() {
              @Override
              public int serve() {
                members.leave(this);
                return super.serve();
              }
            });
    Member second = joined(new Member());
    Member third = joined(new Member());

    members.serve(false);
    members.serve(false);

    assertThat(leaving.turns).isOne();
    assertThat(second.turns).isEqualTo(2);
    assertThat(third.turns).isEqualTo(2);
  }
}
