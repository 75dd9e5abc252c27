/**
 * How the local metadata store keeps its image in a file; nothing outside of the metadata package
 * uses it.
 *
 * <p>{@link io.weirmq.replication.metadata.internal.MetadataText} is the format, {@link
 * io.weirmq.replication.metadata.internal.MetadataFile} replaces the file in one step. Both are
 * confined to the thread of the store.
 */
@NullMarked
package io.weirmq.replication.metadata.internal;

import org.jspecify.annotations.NullMarked;
