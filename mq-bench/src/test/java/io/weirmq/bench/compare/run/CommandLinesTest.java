package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.ProcessPlan;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandLinesTest {

  private final ProcessPlan plan =
      ProcessPlan.reporting("sender", "a.Worker", List.of("-Xmx32m"), Map.of());

  @Test
  void processesArePinnedInTheirOrderAndBeginAgain() {
    CommandLines lines = new CommandLines(List.of("0", "2-3"));

    assertThat(lines.of(plan, 0, Map.of()).subList(0, 3)).containsExactly("taskset", "-c", "0");
    assertThat(lines.of(plan, 1, Map.of()).subList(0, 3)).containsExactly("taskset", "-c", "2-3");
    assertThat(lines.of(plan, 2, Map.of()).subList(0, 3)).containsExactly("taskset", "-c", "0");
  }

  @Test
  void withoutPinsTheSystemChooses() {
    List<String> command = new CommandLines(List.of()).of(plan, 0, Map.of("b", "2", "a", "1"));

    assertThat(command.get(0)).endsWith("/bin/java");
    assertThat(command.get(1)).isEqualTo("-Xmx32m");
    assertThat(command.subList(4, command.size()))
        .containsExactly(
            "io.weirmq.bench.compare.worker.ContestantProcess", "a.Worker", "a=1", "b=2");
  }
}
