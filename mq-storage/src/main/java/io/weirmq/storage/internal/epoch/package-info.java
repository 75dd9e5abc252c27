/**
 * Leader epochs of a log: when each began, and the answers that followers and clients cut their own
 * logs or positions by.
 *
 * <p>{@link io.weirmq.storage.internal.epoch.LeaderEpochs} is the whole of it: a rising list of
 * {@link io.weirmq.storage.internal.epoch.EpochStart}, published to readers as an immutable list
 * after its file was replaced. The writer of the log assigns, truncates from both ends and rebuilds
 * it where the file was damaged.
 */
@NullMarked
package io.weirmq.storage.internal.epoch;

import org.jspecify.annotations.NullMarked;
