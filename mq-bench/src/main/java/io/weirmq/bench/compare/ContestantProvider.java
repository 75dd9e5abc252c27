package io.weirmq.bench.compare;

import java.util.List;

/** Brings contestants, found by {@link java.util.ServiceLoader}. Stateless. */
public interface ContestantProvider {

  /** The contestants, in the order in which they take their turns. */
  List<Contestant> contestants();
}
