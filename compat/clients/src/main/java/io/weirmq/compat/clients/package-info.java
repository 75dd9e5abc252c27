/**
 * A client of the Java client: small programs that use nothing but the public API of kafka-clients,
 * compiled against the oldest version and run on the class path of each.
 *
 * <p>{@link io.weirmq.compat.clients.Main} lists the programs. The cases ({@code ProducerCases},
 * {@code ConsumerCases}, {@code GroupCases}, {@code AdminCases}) print one line each through {@link
 * io.weirmq.compat.clients.CaseRunner}; the others are parts that the shell scripts put together:
 * dump a topic, load a topic while the broker is killed, be a member of a group that is killed.
 */
package io.weirmq.compat.clients;
