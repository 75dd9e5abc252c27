package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.records.GroupMetadata;
import java.util.function.Consumer;

/** What the classic protocol needs of the place where groups are kept. Confined to one thread. */
public interface GroupJournal {

  /**
   * Stores the state of a group.
   *
   * @param metadata the state
   * @param onStored told on the coordinator's thread, never before this method returns, {@link
   *     ErrorCode#NONE} when the state is durable, else what a client is to be told
   */
  void store(GroupMetadata metadata, Consumer<ErrorCode> onStored);

  /** Drops a group from memory where it never had a member and has nothing else to keep. */
  void forgetIfUnused(ClassicGroup group);
}
