/**
 * What the cluster agrees on: topics, their ids, partitions and configurations, brokers.
 *
 * <p>{@link io.weirmq.replication.metadata.MetadataImage} is an immutable picture of it. A {@link
 * io.weirmq.replication.metadata.MetadataStore} holds the newest image, takes {@link
 * io.weirmq.replication.metadata.MetadataChange}s one after the other, makes each durable, and
 * tells its listeners before it tells the one who asked:
 *
 * <pre>
 *   apply(change) --&gt; check against the image --&gt; durable --&gt; listeners(before, after) --&gt; stage completes
 * </pre>
 *
 * <p>So whoever sees a change succeed may rely on the partitions of this broker having followed it.
 * {@link io.weirmq.replication.metadata.LocalMetadataStore} keeps everything in one file and serves
 * a broker that stands alone; a store for a cluster implements the same interface.
 *
 * <p>Invariants of the images of one store: the version rises with each change; the leader epoch of
 * a partition never goes back, also not over restarts; a topic id is never used twice.
 *
 * <p>Threads: images are immutable; stores are safe for use by several threads and call listeners
 * on one thread, in order.
 */
@NullMarked
package io.weirmq.replication.metadata;

import org.jspecify.annotations.NullMarked;
