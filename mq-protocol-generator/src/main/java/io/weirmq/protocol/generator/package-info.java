/**
 * Generates the message classes of the Kafka protocol; runs in the build of {@code mq-protocol} and
 * nowhere else.
 *
 * <p>Input are the protocol's own JSON schemas. {@link
 * io.weirmq.protocol.generator.ProtocolGenerator} reads them all, and writes classes for the
 * messages that a list names. In reading order:
 *
 * <ol>
 *   <li>the model: {@code MessageSpec}, {@code StructSpec}, {@code FieldSpec}, {@code FieldType},
 *       {@code Versions}, as {@code SchemaParser} reads it;
 *   <li>{@code MessageClass} and what it is put together from: {@code AccessorCode}, {@code
 *       ReadingCode}, {@code WritingCode}, {@code ObjectMethodsCode};
 *   <li>{@code ApiKeyClass} and {@code MessagesClass}, the tables over all messages.
 * </ol>
 *
 * <p>All decisions about versions are taken by {@code Versions.conditionWithin}: the code of a
 * struct asks for the version only where the versions in which that struct can occur differ.
 * Decoders never trust a count: {@code MinimumSize} gives the fewest bytes that an element takes,
 * and the reader refuses counts that the remaining bytes cannot hold.
 */
@NullMarked
package io.weirmq.protocol.generator;

import org.jspecify.annotations.NullMarked;
