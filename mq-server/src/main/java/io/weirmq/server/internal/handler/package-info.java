/**
 * One class per API, for those that need no more than that.
 *
 * <p>Each implements {@link io.weirmq.server.internal.request.ApiHandler}; which versions are
 * served is written in the registration table alone. Handlers get what they need in their
 * constructors, keep no state of a request, and never block the I/O thread they are called on.
 *
 * <p>APIs with a life of their own have packages beside this one: produce, fetch, groups.
 */
@NullMarked
package io.weirmq.server.internal.handler;

import org.jspecify.annotations.NullMarked;
