/**
 * A disk for tests: files in memory that can lose power, fill up, refuse, lie and be slow.
 *
 * <p>{@link io.weirmq.testkit.storage.InMemoryFileSystem} stands in for the machine's files behind
 * {@link io.weirmq.storage.io.LogFileSystem}. It keeps apart what was written and what was forced,
 * for bytes and for names, so that a test can pull the plug and look at what a restart finds:
 *
 * <pre>{@code
 * InMemoryFileSystem disk = new InMemoryFileSystem();
 * disk.faults().powerOffAfter(17);              // changes of files or names
 * try {
 *   useLog(disk);                               // ends in a PowerOffException
 * } catch (StorageException e) {
 *   InMemoryFileSystem after = disk.cutPower(PowerCut.seeded(seed));
 *   LogDirectories.open(folder, options, after, clock);
 * }
 * }</pre>
 *
 * <p>In reading order: {@link io.weirmq.testkit.storage.InMemoryFileSystem} is the disk, {@link
 * io.weirmq.testkit.storage.PowerCut} what a power cut leaves, {@link
 * io.weirmq.testkit.storage.Faults} what goes wrong while the power is on, with {@link
 * io.weirmq.testkit.storage.FileOperation} as what a rule sees and {@link
 * io.weirmq.testkit.storage.FileGate} for a test that holds an operation up, {@link
 * io.weirmq.testkit.storage.FileCounts} what was read and written.
 *
 * <p>The rules of the model, and why they are these, are in {@code docs/adr/0008-crash-model.md}.
 * In short: unforced writes of a file survive each on its own, whole, in part, as zeros or not at
 * all, in any combination; unforced names of a folder survive in the order in which they were made,
 * up to some point; nothing else makes a name durable than forcing its folder; what a failed force
 * should have covered stays in doubt until it is written again.
 *
 * <p>Threads: everything is safe for use by several threads, and nothing here starts one.
 */
@NullMarked
package io.weirmq.testkit.storage;

import org.jspecify.annotations.NullMarked;
