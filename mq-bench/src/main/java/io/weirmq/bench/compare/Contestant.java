package io.weirmq.bench.compare;

import java.io.IOException;
import java.util.List;

/** One way of moving messages, with all that a reader must know to judge its figures. Stateless. */
public interface Contestant {

  /** Short name for the command line and files: lower case, digits, dashes. */
  String id();

  /** For reports, with the version. */
  String title();

  /** Why it takes part. */
  Role role();

  /**
   * What a message that was sent or received has a right to: durability, acknowledgement, order.
   */
  String promise();

  /** How both sides and helpers wait, and whatever else was chosen for speed. */
  String waiting();

  /** Whether it takes part in a scenario. */
  boolean takesPartIn(Scenario scenario);

  /**
   * The processes of a turn, in the order in which they are started: helpers such as brokers first,
   * then the receiver, then the sender.
   *
   * @throws IOException where something that it needs is not there; the message says what and how
   *     to get it
   */
  List<ProcessPlan> processes(Scenario scenario, TurnFolders folders) throws IOException;
}
