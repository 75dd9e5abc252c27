/**
 * Finding the partition that a request names, or the error that tells why it is not here.
 *
 * <p>{@link io.weirmq.server.internal.partition.PartitionLookup} is what handlers ask; {@link
 * io.weirmq.server.internal.partition.EpochChecks} and {@link
 * io.weirmq.server.internal.partition.ProduceErrors} map outcomes of the lower layers to the error
 * codes of the protocol, each in one total table.
 *
 * <p>Looking up takes no lock and makes no garbage; the reason for an absence is worked out only
 * where there is one.
 */
@NullMarked
package io.weirmq.server.internal.partition;

import org.jspecify.annotations.NullMarked;
