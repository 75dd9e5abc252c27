/**
 * Links over Aeron: IPC ({@link io.weirmq.bench.peers.aeron.AeronLink}), with a media driver in a
 * process of its own ({@link io.weirmq.bench.peers.aeron.MediaDriverWorker}), and recorded by an
 * archive ({@link io.weirmq.bench.peers.aeron.ArchiveWorker}). One thread per process polls;
 * Aeron's own conductor threads stay with their defaults.
 */
@NullMarked
package io.weirmq.bench.peers.aeron;

import org.jspecify.annotations.NullMarked;
