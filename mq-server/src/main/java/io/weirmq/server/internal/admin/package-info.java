/**
 * What the handlers of administrative APIs share: rules for topics and configurations, and the way
 * from a refused change to an error code.
 *
 * <p>{@link io.weirmq.server.internal.admin.TopicPlans} checks what is asked of a new topic and
 * makes a {@link io.weirmq.replication.metadata.MetadataChange} of it; {@link
 * io.weirmq.server.internal.admin.TopicCreation} has it made. {@link
 * io.weirmq.server.internal.admin.ConfigAlterations} changes configurations from an image to the
 * next, again where somebody else was faster. What breaks a rule is thrown as a {@link
 * io.weirmq.server.internal.admin.RefusedException}; what reaches a client is an {@link
 * io.weirmq.server.internal.admin.AdminError}.
 *
 * <p>Threads: everything is immutable or safe for use by several threads; nothing blocks. Stages
 * complete on the thread of the metadata store.
 */
@NullMarked
package io.weirmq.server.internal.admin;

import org.jspecify.annotations.NullMarked;
