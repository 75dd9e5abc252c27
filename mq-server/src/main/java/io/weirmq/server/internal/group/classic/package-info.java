/**
 * The classic group protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.
 *
 * <p>The members of a group agree on a generation: who takes part, who leads, and by which protocol
 * the leader shares out the work. The coordinator only collects and hands out; what is shared out,
 * and how, is known to the clients alone.
 *
 * <pre>
 *   member           coordinator                          leader
 *     | -- join -----------&gt; | &lt;------------ join --------- |    PREPARING: all join again
 *     | &lt;- generation ------ | ------- generation, members-&gt; |   COMPLETING
 *     | -- sync -----------&gt; | &lt;------- sync, assignment --- |   assignment is stored
 *     | &lt;- its assignment -- | -------- its assignment ----&gt; |   STABLE
 *     | -- heartbeat ------&gt; |
 * </pre>
 *
 * <p>Read {@link io.weirmq.server.internal.group.classic.GroupState}, then {@link
 * io.weirmq.server.internal.group.classic.ClassicGroup} (the books of a group) and {@link
 * io.weirmq.server.internal.group.classic.ClassicProtocol} (the rules), which delegates to one
 * class for each part of the protocol.
 *
 * <p><b>Threads.</b> All of it is confined to the coordinator's thread, timers included.
 * <b>Time.</b> Sessions and rebalances follow the monotonic clock only; a wall clock that jumps
 * expels nobody.
 */
@NullMarked
package io.weirmq.server.internal.group.classic;

import org.jspecify.annotations.NullMarked;
