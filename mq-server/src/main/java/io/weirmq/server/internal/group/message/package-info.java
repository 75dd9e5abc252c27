/**
 * What the group coordinator is asked and what it answers, free of protocol versions.
 *
 * <p>The handlers translate: a request of any version becomes one of the commands, a result becomes
 * a response of the request's version. So the coordinator and its tests know nothing of compact
 * strings or of fields that came with some version; the few differences in behaviour between
 * versions are flags of a command, named by what they mean.
 *
 * <p>One pair for each API: {@link io.weirmq.server.internal.group.message.JoinGroupCommand} and
 * {@link io.weirmq.server.internal.group.message.JoinGroupResult}, and so on. Errors are values of
 * {@link io.weirmq.protocol.ErrorCode}. All types are immutable.
 */
@NullMarked
package io.weirmq.server.internal.group.message;

import org.jspecify.annotations.NullMarked;
