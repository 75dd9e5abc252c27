/**
 * Links over Chronicle Queue: two processes append to and tail the files of one folder. One thread
 * per process.
 */
@NullMarked
package io.weirmq.bench.peers.chronicle;

import org.jspecify.annotations.NullMarked;
