/**
 * What flush policies cost: {@code mq bench flush}. Closed loops of appenders on one log, under
 * each policy, in turns, with the forces counted.
 *
 * <p>Begin with {@link io.weirmq.bench.flush.FlushCommand}. A round is confined to one thread,
 * apart from the answers, which come on the pipeline's.
 */
@NullMarked
package io.weirmq.bench.flush;

import org.jspecify.annotations.NullMarked;
