/**
 * Links over the publisher and subscriber of {@code io.weirmq.client.ipc} ({@link
 * io.weirmq.bench.peers.weirmq.IpcLink}). Publishers and subscribers belong to one thread each.
 */
@NullMarked
package io.weirmq.bench.peers.weirmq;

import org.jspecify.annotations.NullMarked;
