package io.weirmq.bench.compare;

import java.util.List;

/** A named list of scenarios, found by {@link java.util.ServiceLoader}. Stateless. */
public interface Suite {

  /** Name for the command line. */
  String name();

  /** One sentence for lists and reports. */
  String description();

  /** Its scenarios, in the order in which they run. */
  List<Scenario> scenarios();
}
