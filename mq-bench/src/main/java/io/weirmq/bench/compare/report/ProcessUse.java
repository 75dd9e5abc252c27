package io.weirmq.bench.compare.report;

/**
 * What a process has used in the counted time. Immutable.
 *
 * @param role name of the process
 * @param helps whether it is a helper, such as a broker
 * @param cpuSeconds processor time, in steps of 10 ms
 * @param residentBytes resident memory at the end
 */
public record ProcessUse(String role, boolean helps, double cpuSeconds, long residentBytes) {}
