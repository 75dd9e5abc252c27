/**
 * The command line {@code ./mq}: one class per command, on picocli.
 *
 * <p>{@link io.weirmq.server.cli.Main} holds the commands together; commands of other modules (the
 * load generator of mq-bench) join through {@link io.weirmq.server.cli.CliExtension}. Commands that
 * talk to a broker use the client side of mq-protocol and see it as any client would. Exit codes: 0
 * done, 1 failed with one line on standard error, 2 wrong usage. What a script would read is on
 * standard output, as JSON where {@code --json} is given; progress and remarks are on standard
 * error.
 *
 * <p>Threads: commands run on the main thread. Here, as in the rest of the composition root, clocks
 * may be read.
 */
@NullMarked
package io.weirmq.server.cli;

import org.jspecify.annotations.NullMarked;
