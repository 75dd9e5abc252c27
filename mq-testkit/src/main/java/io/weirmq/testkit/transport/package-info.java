/**
 * What every transport has to do, as a test suite, and a transport that lives in memory.
 *
 * <p>{@link io.weirmq.testkit.transport.TransportContract} is the suite: a transport's module
 * extends it, says how the transport is opened and where it can listen, and inherits some fifty
 * tests of order, sizes, flow control, file slices, limits, errors and ends. {@link
 * io.weirmq.testkit.transport.RecordingHandler} and {@link io.weirmq.testkit.transport.FrameLedger}
 * are its instruments and serve other tests as well: one records what a connection's handler was
 * told and checks the callback rules on the way, the other makes frames and counts their releases.
 *
 * <p>{@link io.weirmq.testkit.transport.InMemoryNetwork} connects nodes of one process without
 * sockets. Its links can be delayed, partitioned and cut by a script, and on a {@link
 * io.weirmq.testkit.time.SteppedScheduler} a run is deterministic to the single callback:
 *
 * <pre>{@code
 * SteppedScheduler scheduler = new SteppedScheduler(new VirtualClock());
 * InMemoryNetwork network = new InMemoryNetwork(scheduler);
 * Transport one = network.provider("one").open(TransportOptions.defaults());
 * Transport two = network.provider("two").open(TransportOptions.defaults());
 * network.delay(Duration.ofMillis(5));
 * network.partition("one", "two");
 * }</pre>
 */
@NullMarked
package io.weirmq.testkit.transport;

import org.jspecify.annotations.NullMarked;
