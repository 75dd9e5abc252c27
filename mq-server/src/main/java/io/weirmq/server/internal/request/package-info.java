/**
 * From frames to handlers and back: what the broker does with a connection.
 *
 * <pre>
 *   transport --frame--&gt; header, version check, decode --request--&gt; ApiHandler
 *                                                                     |
 *   transport &lt;--frame-- encode &lt;-- responses in request order &lt;------+ stage completes
 * </pre>
 *
 * <p>Read {@link io.weirmq.server.internal.request.ApiHandler} first: it is what each API
 * implements. Then {@link io.weirmq.server.internal.request.RequestConnection}, the life of a
 * connection, with {@link io.weirmq.server.internal.request.RequestDecoding}, the upper half of the
 * picture, and {@link io.weirmq.server.internal.request.PendingResponses}, the lower one.
 *
 * <p><b>Threads.</b> All of a connection's state is confined to its I/O thread. Handlers complete
 * their stages on any thread; the result hops back to the I/O thread, which encodes and sends it.
 */
@NullMarked
package io.weirmq.server.internal.request;

import org.jspecify.annotations.NullMarked;
