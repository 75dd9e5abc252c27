/**
 * A ring in shared memory between one writing and one reading process.
 *
 * <pre>
 *   position      size      field                       written by   read by
 *   0             8         magic and version           maker        both, once
 *   128           8         read position               reader       writer, when its copy says full
 *   256           4         reader sleeps               both         writer, when it flushes
 *   384           4         writer waits for room       both         reader, when it has made room
 *   512           capacity  records
 *
 *   a record, at a multiple of 8:
 *   0             4         word: length &lt;&lt; 3 | kind      written last, with release; 0 = nothing yet
 *   4             4         unused
 *   8             length    payload
 * </pre>
 *
 * <p>What one side writes and the other reads often lies two cache lines from its neighbours, for
 * processors fetch lines in pairs.
 *
 * <p><b>Writing.</b> There is no shared write position. The writer copies the payload, puts 0 into
 * the word of the record to come, and then the record's own word with release. A reader that finds
 * a word therefore finds its payload, and behind it either 0 or the next record. No record passes
 * the end of the ring: what is left there becomes padding, which is thus shorter than the longest
 * payload and never stands at the beginning. Eight bytes always stay free for the word to come.
 *
 * <p>Several records can be published at once: only the word of the first is held back until all
 * are written.
 *
 * <p><b>Making room.</b> The reader publishes how far it is once per batch, with release. The
 * writer keeps a copy and looks again only when that says full.
 *
 * <p><b>Sleeping.</b> Who finds nothing to do says so in its flag, looks once more, and then waits
 * for a bell (which is not of this package). Between the two lies a full fence, and another one at
 * the other side between publishing and looking at the flag: one of the two sees the other, so that
 * no bell is missed. The other side takes the flag back, so that it rings once.
 *
 * <p><b>Trust.</b> All of this memory may be changed by the peer at any time. Each word and
 * position is read once and checked before it is used; what breaks the rules is a {@link
 * io.weirmq.transport.shm.internal.ring.RingViolationException}, which ends this connection.
 * Payload must be copied out before it is looked at.
 *
 * <p>Read {@link io.weirmq.transport.shm.internal.ring.RingMemory} first, then the writer and the
 * reader. A writer and a reader are confined to one thread each.
 */
@NullMarked
package io.weirmq.transport.shm.internal.ring;

import org.jspecify.annotations.NullMarked;
