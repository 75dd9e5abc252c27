/**
 * What all measurements need of the machine: a folder to measure in, free ports, command lines of
 * Java programs, a broker in a process of its own, and what a process has used. Linux tells the
 * last by {@code /proc}. Confined to one thread each.
 */
@NullMarked
package io.weirmq.bench.host;

import org.jspecify.annotations.NullMarked;
