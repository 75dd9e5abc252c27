package io.weirmq.compat.oracle;

import java.util.ArrayList;
import java.util.List;

/** The whole script, in the order in which it is replayed. */
final class Script {
  private Script() {}

  static List<Scenario> scenarios() {
    List<Scenario> all = new ArrayList<>();
    all.addAll(MetadataScenarios.all());
    all.addAll(ProduceScenarios.all());
    all.addAll(IdempotenceScenarios.all());
    all.addAll(FetchScenarios.all());
    all.addAll(FetchSessionScenarios.all());
    all.addAll(OffsetScenarios.all());
    all.addAll(TopicScenarios.all());
    all.addAll(ConfigScenarios.all());
    all.addAll(GroupScenarios.all());
    all.addAll(MembershipScenarios.all());
    all.addAll(CommittedOffsetScenarios.all());
    all.addAll(DescribeScenarios.all());
    all.addAll(BadFrameScenarios.all());
    return all;
  }
}
