/**
 * What transports would otherwise each write for themselves: bounds on what peers can cause.
 *
 * <p>Nothing here is part of the contract between a transport and its user; a transport may do
 * without. The JDK only, so that no logger comes along: {@link
 * io.weirmq.transport.support.RateLimit} says when to report, and the caller does.
 *
 * <p><b>Threads.</b> All classes are safe for use by several threads.
 */
@NullMarked
package io.weirmq.transport.support;

import org.jspecify.annotations.NullMarked;
