/**
 * The seam to the file system: everything that the storage engine does to files goes through {@link
 * io.weirmq.storage.io.LogFileSystem} and {@link io.weirmq.storage.io.LogFile}.
 *
 * <p>The seam is small so that a test can stand in for the disk: run out of space, fail the n-th
 * call, write short, flush slowly, or lose everything that was not forced. Rules that an
 * implementation obeys and that callers rely on:
 *
 * <ul>
 *   <li>{@link io.weirmq.storage.io.LogFile#write} and {@link io.weirmq.storage.io.LogFile#read}
 *       may move fewer bytes than asked; the {@code …Fully} methods loop
 *   <li>written bytes are readable at once, and durable once {@link
 *       io.weirmq.storage.io.LogFile#force} has returned
 *   <li>a created, renamed or deleted name is durable once {@link
 *       io.weirmq.storage.io.LogFileSystem#forceDirectory} of its folder has returned
 *   <li>an open file stays usable after its name was renamed or deleted
 *   <li>a failed call throws {@link java.io.IOException} with the path in its message
 * </ul>
 *
 * <p>{@link io.weirmq.storage.io.NioLogFileSystem} is the real one; a {@link
 * io.weirmq.storage.io.FilterLogFileSystem} stands in front of another one. The storage engine uses
 * absolute positions only, so that readers and the writer share one open file.
 */
@NullMarked
package io.weirmq.storage.io;

import org.jspecify.annotations.NullMarked;
