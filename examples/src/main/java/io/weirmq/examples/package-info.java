/**
 * Small programs that assemble brokers from modules; the build compiles and runs them.
 *
 * <p>{@link io.weirmq.examples.EmbeddedBrokerExample} has the whole broker inside a program. {@link
 * io.weirmq.examples.TinyLogService} takes storage and transport alone and speaks a protocol of its
 * own: two request types in a hundred lines, with appends through the ring and reads by sendfile.
 * {@link io.weirmq.examples.SharedMemoryExample} is two processes that talk through shared memory.
 *
 * <p>{@code mvn -B -q -pl examples -am package -Dmaven.test.skip=true} in the clone's root gathers
 * what they need; {@code java -cp 'examples/target/classes:examples/target/lib/*'} with the name of
 * a class that has a {@code main} runs one.
 */
@NullMarked
package io.weirmq.examples;

import org.jspecify.annotations.NullMarked;
