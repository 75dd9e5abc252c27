/**
 * The folder of an endpoint and the files in it: who may own it, how a dead owner's things are
 * removed, how the memory of a connection comes and goes.
 *
 * <p>{@link io.weirmq.transport.shm.internal.folder.FolderAccess} says who may use it; {@link
 * io.weirmq.transport.shm.internal.folder.ServerFolder} is the listener's side; {@link
 * io.weirmq.transport.shm.internal.folder.RingFile} is the memory of one connection:
 *
 * <pre>
 *   0                  512                512 + a            1024 + a            1024 + a + b
 *   | header           | records          | header           | records           |
 *   +---- ring to the listening side -----+---- ring to the connecting side -----+
 * </pre>
 *
 * <p>The layout of a ring is in {@link io.weirmq.transport.shm.internal.ring}. The file has a name
 * from its making until the connecting side has mapped it, a few hundred microseconds; whoever is
 * killed later leaves nothing behind, and what is left by one who is killed in between goes when
 * the folder is taken the next time. {@link io.weirmq.transport.shm.internal.folder.MappingLedger}
 * sees to it that the mappings of closed connections go in time.
 */
@NullMarked
package io.weirmq.transport.shm.internal.folder;

import org.jspecify.annotations.NullMarked;
