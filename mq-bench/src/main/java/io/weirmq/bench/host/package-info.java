/**
 * What all measurements need of the machine: a folder to measure in, free ports, command lines of
 * Java programs, a broker in a process of its own, and what a process has used.
 *
 * <pre>
 *   BenchFolder --folder--.
 *                          +--&gt; JavaCommand --command--&gt; BrokerProcess --pid--&gt; ProcessUsage
 *   Ports --------port----'
 * </pre>
 *
 * <p>Start with {@link io.weirmq.bench.host.BrokerProcess}, which puts the others together. What it
 * starts it ends: closing it ends the process and removes its folder. A measurement that starts
 * processes of its own takes the parts.
 *
 * <p>A free port was free when it was asked for; another process may take it before the broker
 * does. {@link io.weirmq.bench.host.ProcessUsage} reads {@code /proc}, which only Linux has.
 *
 * <p><b>Threads.</b> A {@code BrokerProcess} is confined to the thread that started it; the others
 * are stateless or immutable.
 */
@NullMarked
package io.weirmq.bench.host;

import org.jspecify.annotations.NullMarked;
