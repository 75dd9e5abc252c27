package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Role;
import java.util.List;

/**
 * What is to be known of a contestant. Immutable.
 *
 * @param id its id
 * @param title for tables
 * @param role why it takes part
 * @param promise what a message has a right to
 * @param waiting how both sides wait
 * @param jvmFlags flags of its JVMs by role, as seen in its last turn; empty where it had none
 */
public record ContestantFacts(
    String id, String title, Role role, String promise, String waiting, List<String> jvmFlags) {

  public ContestantFacts {
    jvmFlags = List.copyOf(jvmFlags);
  }

  /** Takes the facts from a contestant. */
  public static ContestantFacts of(Contestant contestant, List<String> jvmFlags) {
    return new ContestantFacts(
        contestant.id(),
        contestant.title(),
        contestant.role(),
        contestant.promise(),
        contestant.waiting(),
        jvmFlags);
  }
}
