/**
 * The broker as a library: start one in any JVM, and take it down without a trace.
 *
 * <pre>{@code
 * try (Broker broker =
 *     Broker.builder().set("log.dirs", folder.toString()).set("listeners", "PLAINTEXT://127.0.0.1:0").start()) {
 *   int port = broker.boundPort();
 *   ...
 * }
 * }</pre>
 *
 * <p>{@link io.weirmq.server.Broker} is all there is to it; configuration is in {@code
 * io.weirmq.server.config}, the command line in {@code io.weirmq.server.cli}. Several brokers run
 * side by side in one JVM as long as each has data folders of its own.
 *
 * <p>Threads: a broker makes its own, all daemons with names that begin with {@code mq-}; after
 * {@code close} none of them is left.
 */
@NullMarked
package io.weirmq.server;

import org.jspecify.annotations.NullMarked;
