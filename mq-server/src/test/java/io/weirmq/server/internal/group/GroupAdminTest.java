package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.GroupTestBed.Joining;
import io.weirmq.server.internal.group.message.GroupDescription;
import io.weirmq.server.internal.group.message.GroupListing;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Showing and listing groups, and where a group is. */
class GroupAdminTest {

  private final GroupTestBed bed = new GroupTestBed();

  @Test
  void metadataAndAssignmentAreShownWhenStableOnly() {
    Joining member = bed.joinNew();
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.describe())
        .isEqualTo(
            new GroupDescription(
                ErrorCode.NONE,
                GROUP,
                "CompletingRebalance",
                "consumer",
                "",
                List.of(
                    new GroupDescription.Member(
                        member.memberId(),
                        null,
                        "client",
                        "/127.0.0.1",
                        OpaqueBytes.EMPTY,
                        OpaqueBytes.EMPTY))));
    bed.syncAll(List.of(member.memberId()), 1);
    assertThat(bed.describe())
        .isEqualTo(
            new GroupDescription(
                ErrorCode.NONE,
                GROUP,
                "Stable",
                "consumer",
                "range",
                List.of(
                    new GroupDescription.Member(
                        member.memberId(),
                        null,
                        "client",
                        "/127.0.0.1",
                        subscription("orders"),
                        bytes("a0")))));
  }

  @Test
  void aGroupOfOffsetsOnlyIsEmptyAndOfNoKind() {
    bed.commitAlone(ORDERS_0, 1);
    assertThat(bed.describe())
        .isEqualTo(new GroupDescription(ErrorCode.NONE, GROUP, "Empty", "", "", List.of()));
  }

  @Test
  void listsAreFilteredByStateAndType() {
    List<String> members = bed.stableGroup(1);
    GroupListing.Entry stable = new GroupListing.Entry(GROUP, "consumer", "Stable", "classic");
    assertThat(list(Set.of(), Set.of())).containsExactly(stable);
    assertThat(list(Set.of("sTABLE", "Dead"), Set.of("Classic"))).containsExactly(stable);
    assertThat(list(Set.of("Empty"), Set.of())).isEmpty();
    assertThat(list(Set.of(), Set.of("consumer", "share"))).isEmpty();
    bed.leave(dynamic(members.get(0)));
    assertThat(list(Set.of("Empty"), Set.of()))
        .containsExactly(new GroupListing.Entry(GROUP, "consumer", "Empty", "classic"));
  }

  private List<GroupListing.Entry> list(Set<String> states, Set<String> types) {
    GroupListing listing = bed.get(bed.coordinator.list(states, types));
    assertThat(listing.error()).isEqualTo(ErrorCode.NONE);
    return listing.groups();
  }

  @Test
  void aGroupIsWhereItsHashSays() {
    assertThat(GroupPartitions.partitionOf("", 50)).isZero();
    // "g".hashCode() is 103; the second name's hash is the smallest int.
    assertThat(GroupPartitions.partitionOf("g", 50)).isEqualTo(3);
    assertThat("polygenelubricants".hashCode()).isEqualTo(Integer.MIN_VALUE);
    assertThat(GroupPartitions.partitionOf("polygenelubricants", 50)).isZero();
    // Python's arithmetic, not ours: the hash is 627841412.
    assertThat(GroupPartitions.partitionOf("test-group", 50)).isEqualTo(12);
  }
}
