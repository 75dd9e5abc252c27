/**
 * The driver: {@link io.weirmq.bench.compare.run.Comparison} runs the turns of a suite, each in
 * processes of its own ({@link io.weirmq.bench.compare.run.Turn}), and makes the report.
 *
 * <p><b>Bounds.</b> Each step of a turn has a time limit ({@link
 * io.weirmq.bench.compare.run.TurnLimits}); a process that hangs or ends is a failed turn with the
 * end of its output, and the run goes on. What a turn leaves behind is removed when it ends, and
 * when the driver is interrupted ({@link io.weirmq.bench.compare.run.CleanUp}).
 *
 * <p>Confined to the thread that runs the comparison; a thread per process reads its lines.
 */
@NullMarked
package io.weirmq.bench.compare.run;

import org.jspecify.annotations.NullMarked;
