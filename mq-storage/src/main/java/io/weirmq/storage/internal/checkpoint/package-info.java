/**
 * The small state files of partition and data folders.
 *
 * <p>All of them are replaced as a whole by {@link io.weirmq.storage.internal.checkpoint.StateFile}
 * (temporary file, force, rename, force the folder), and read tolerantly: a {@link
 * io.weirmq.storage.internal.checkpoint.StateReading} holds what could be read and names what was
 * dropped. Whether damage matters is for the caller to say; most of these files can be rebuilt from
 * the logs.
 *
 * <pre>
 *   data folder       meta.properties, .kafka_cleanshutdown, *-offset-checkpoint
 *   partition folder  partition.metadata, leader-epoch-checkpoint, force-failed,
 *                    segment-checkpoint
 * </pre>
 *
 * <p>Of {@code force-failed} only the name counts; it and {@code segment-checkpoint} are WeirMQ's
 * own, and Kafka passes over them. Names and contents of the others are Kafka's, so that its tools
 * read them. Threads: single writer, many readers.
 */
@NullMarked
package io.weirmq.storage.internal.checkpoint;

import org.jspecify.annotations.NullMarked;
