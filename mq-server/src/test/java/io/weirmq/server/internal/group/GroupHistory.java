package io.weirmq.server.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the members of the model test were told, and whether it fits together. */
final class GroupHistory {

  private record Joined(JoinGroupResult result, @Nullable String instanceId) {}

  private final List<CompletableFuture<?>> asked = new ArrayList<>();
  private final List<Joined> unchecked = new ArrayList<>();
  private final Map<Integer, Map<String, String>> rosterByGeneration = new HashMap<>();
  private final Map<Integer, String> leaderByGeneration = new HashMap<>();
  private int highestGeneration;

  CompletableFuture<JoinGroupResult> watchJoin(
      CompletableFuture<JoinGroupResult> join, @Nullable String instanceId) {
    asked.add(join);
    join.thenAccept(result -> noteJoined(result, instanceId));
    return join;
  }

  void noteSync(CompletableFuture<?> sync) {
    asked.add(sync);
  }

  private void noteJoined(JoinGroupResult result, @Nullable String instanceId) {
    if (result.error() != ErrorCode.NONE) {
      assertThat(result.members()).isEmpty();
      return;
    }
    assertThat(result.generation())
        .as("generations never go back")
        .isGreaterThanOrEqualTo(highestGeneration);
    highestGeneration = result.generation();
    if (!result.members().isEmpty() && !result.skipAssignment()) {
      assertThat(result.leader()).as("only the leader is told").isEqualTo(result.memberId());
      Map<String, String> roster = new HashMap<>();
      for (JoinedMember member : result.members()) {
        String instance = member.instanceId();
        roster.put(member.memberId(), instance == null ? member.memberId() : instance);
      }
      rosterByGeneration.putIfAbsent(result.generation(), roster);
    }
    unchecked.add(new Joined(result, instanceId));
  }

  /** Checks what was told since the last time. */
  void check() {
    for (Joined joined : unchecked) {
      JoinGroupResult result = joined.result();
      String member = placeOf(result.generation(), result.memberId(), joined.instanceId());
      boolean leads = result.leader().equals(result.memberId());
      String leader = leads ? member : placeOf(result.generation(), result.leader(), null);
      String known = leaderByGeneration.putIfAbsent(result.generation(), leader);
      assertThat(leader)
          .as("one leader in generation %s", result.generation())
          .isEqualTo(known == null ? leader : known);
    }
    unchecked.clear();
  }

  /** The name of a static member, or the id of a dynamic one, that was told to the leader. */
  private String placeOf(int generation, String memberId, @Nullable String instanceId) {
    Map<String, String> roster = rosterByGeneration.getOrDefault(generation, Map.of());
    assertThat(roster).as("the leader was told of generation %s", generation).isNotEmpty();
    String place = roster.get(memberId);
    if (place == null) {
      // It has replaced a static member since: the id begins with the name.
      place = instanceId == null ? memberId.substring(0, memberId.indexOf('-')) : instanceId;
    }
    assertThat(roster.values()).contains(place);
    return place;
  }

  void checkAssignment(
      int generation, String memberId, @Nullable String instanceId, OpaqueBytes assignment) {
    String place = placeOf(generation, memberId, instanceId);
    Map<String, String> roster = rosterByGeneration.getOrDefault(generation, Map.of());
    List<OpaqueBytes> given = new ArrayList<>();
    roster.forEach(
        (id, placeOfId) -> {
          if (placeOfId.equals(place)) {
            given.add(SimulatedMember.assignment(generation, id));
          }
        });
    assertThat(given).as("what the leader gave %s", memberId).containsExactly(assignment);
  }

  int highestGeneration() {
    return highestGeneration;
  }

  void checkThatAllIsAnswered() {
    assertThat(asked).allMatch(CompletableFuture::isDone);
  }
}
