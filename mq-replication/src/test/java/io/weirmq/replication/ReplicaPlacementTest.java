package io.weirmq.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaPlacementTest {

  @Test
  void leadersGoRoundAndReplicasFollowTheLeader() {
    List<List<Integer>> placed = new ReplicaPlacement(List.of(10, 11, 12)).place(0, 4, 2, 0);

    assertThat(placed)
        .containsExactly(List.of(10, 11), List.of(11, 12), List.of(12, 10), List.of(10, 11));
  }

  @Test
  void eachTopicMayStartElsewhereAndLaterPartitionsGoOn() {
    ReplicaPlacement placement = new ReplicaPlacement(List.of(10, 11, 12));

    assertThat(placement.place(0, 2, 1, -1)).containsExactly(List.of(12), List.of(10));
    assertThat(placement.place(2, 1, 1, -1)).containsExactly(List.of(11));
    assertThat(placement.place(0, 1, 1, Integer.MIN_VALUE)).hasSize(1);
  }

  @Test
  void moreReplicasThanBrokersAreRefused() {
    assertThatThrownBy(() -> new ReplicaPlacement(List.of(1)).place(0, 1, 2, 0))
        .hasMessageContaining("2 is outside of 1..1");
    assertThatThrownBy(() -> new ReplicaPlacement(List.of())).hasMessageContaining("no live");
  }
}
