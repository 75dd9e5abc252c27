/**
 * The client's side of the protocol: requests out, responses in, over any transport.
 *
 * <p>{@link io.weirmq.protocol.client.RequestChannel} is one connection to one broker: it
 * negotiates versions when it opens, numbers requests, and completes a {@link
 * io.weirmq.protocol.client.Reply} for each. {@link io.weirmq.protocol.client.ClusterClient} stands
 * on it for tools that may block: it finds brokers, leaders and coordinators. Neither batches or
 * retries records: that is what full clients are for.
 *
 * <pre>
 *   RequestChannel.open(transport, endpoint, "my-tool")
 *       .thenCompose(c -&gt; c.send(new MetadataRequest(), MetadataResponse.class))
 *       .thenAccept(reply -&gt; { use(reply.message()); reply.close(); });
 * </pre>
 *
 * <p>Threads: channels may be used by several threads; replies complete on the connection's I/O
 * thread, where nobody may block.
 */
@NullMarked
package io.weirmq.protocol.client;

import org.jspecify.annotations.NullMarked;
