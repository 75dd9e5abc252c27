/**
 * Links over WeirMQ's transports ({@link io.weirmq.bench.peers.transport.SpiLink}), and over Netty
 * alone ({@link io.weirmq.bench.peers.transport.NettyLink}) to show what a transport adds to it.
 * Messages are received on I/O threads.
 */
@NullMarked
package io.weirmq.bench.peers.transport;

import org.jspecify.annotations.NullMarked;
