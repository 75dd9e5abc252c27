/**
 * I/O threads: {@link io.weirmq.transport.shm.internal.loop.EventLoop} with its tasks, timers,
 * sockets and members.
 *
 * <pre>
 *            +--------------------------- a turn ---------------------------+
 *            | tasks -&gt; serve members that are awake -&gt; (now and then) sockets, timers
 *            +---------------------------------------------------------------+
 *                 all at rest: block in the selector until a bell, a task or a timer
 * </pre>
 *
 * <p>Behind EventLoop, which says who runs it and what a turn is: TaskQueue has the tasks,
 * LoopOwner the thread that runs them, LoopMembers serves who is awake for as long as its Patience
 * lasts, LoopWaits has the sockets, timers and the sleep, and TaskGuard keeps a fault of memory for
 * the next turn. None of them knows the loop.
 *
 * <p>A loop has a thread, or callers run some turns at a time ({@link
 * io.weirmq.transport.shm.internal.loop.EventLoop#poll}); one thread at a time in any case.
 *
 * <p>The package knows nothing of rings or connections.
 */
@NullMarked
package io.weirmq.transport.shm.internal.loop;

import org.jspecify.annotations.NullMarked;
