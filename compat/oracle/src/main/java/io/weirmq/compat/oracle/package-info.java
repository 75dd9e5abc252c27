/**
 * Replays one script of raw requests against two brokers and compares the decoded answers field by
 * field.
 *
 * <p>Read {@link io.weirmq.compat.oracle.Main} for the arguments, {@link
 * io.weirmq.compat.oracle.Session} for how a scenario talks to a broker and what is recorded,
 * {@link io.weirmq.compat.oracle.Normalizer} for the values that must differ between two brokers,
 * and the classes named {@code …Scenarios} for the script itself. A scenario is code, not a file of
 * requests: it uses the member ids, topic ids and sessions that the broker at hand has given out.
 *
 * <p>The two brokers are driven at the same time by one thread each; a scenario sees one broker and
 * must not depend on anything but that broker's answers, so that both run the same conversation.
 */
package io.weirmq.compat.oracle;
