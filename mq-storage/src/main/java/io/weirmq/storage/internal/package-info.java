/**
 * The implementation of the storage engine; no other module imports it.
 *
 * <p>{@link io.weirmq.storage.internal.AppendTarget} is where the pipeline and a log meet: the
 * pipeline decides when, the log decides how.
 */
@NullMarked
package io.weirmq.storage.internal;

import org.jspecify.annotations.NullMarked;
