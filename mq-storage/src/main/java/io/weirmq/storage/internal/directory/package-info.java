/**
 * A data folder: the logs in it, and the files that stand beside them.
 *
 * <pre>
 *   meta.properties                    whose folder it is
 *   .lock                              held while the folder is open
 *   .kafka_cleanshutdown               only while nobody has the folder open
 *   recovery-point-offset-checkpoint   per log: below it all is on the disk
 *   log-start-offset-checkpoint        per log: the first offset that may be read
 *   replication-offset-checkpoint      per log: the high watermark
 *   orders-0/  orders-1/               a log each, see io.weirmq.storage.internal.log
 *   orders-2.&lt;32 hex digits&gt;-delete/   a log that was taken away
 * </pre>
 *
 * <p>{@link io.weirmq.storage.internal.directory.DataFolder} is the whole; {@code FolderScan} sorts
 * what is found, {@code Checkpoints} are the three files of offsets, {@code RemovalQueue} removes
 * files after their delay.
 *
 * <p>Threads: any; the folder's own lock guards its list of logs, and nothing is read or written of
 * a log under it.
 */
@NullMarked
package io.weirmq.storage.internal.directory;

import org.jspecify.annotations.NullMarked;
