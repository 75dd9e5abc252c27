/** Links over JeroMQ: a pair of sockets over TCP. Sockets belong to one thread. */
@NullMarked
package io.weirmq.bench.peers.jeromq;

import org.jspecify.annotations.NullMarked;
