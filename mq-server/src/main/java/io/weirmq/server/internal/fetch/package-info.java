/**
 * Fetch: sessions, long polls, and reads that end as file ranges in the response.
 *
 * <pre>
 *   FetchRequest --FetchSessions--&gt; FetchContext (full, or within a session)
 *                                        | partitions
 *                                        v
 *   DelayedFetch --PartitionReader--&gt; PartitionLog.read --LogSlice--&gt; FileSlice
 *        |  too little: listen to the partitions, and to the clock
 *        v  enough, an error, or the wait is over
 *   FetchContext.respond --&gt; FetchResponse
 * </pre>
 *
 * <p>Read {@link io.weirmq.server.internal.fetch.FetchHandler} first, then {@code DelayedFetch} and
 * {@code FetchSession}.
 *
 * <p>Invariants: each slice of a log is released once, by the transport that has sent it or by
 * whoever drops the response; a full answer has exactly the partitions that were asked for; within
 * a session unchanged partitions may be left out, records and errors never are.
 *
 * <p>Threads: a fetch is confined to the I/O thread of its connection. Appends tell it by a flag
 * and a task, so that the writer of a log is not held up by those who read it.
 */
@NullMarked
package io.weirmq.server.internal.fetch;

import org.jspecify.annotations.NullMarked;
