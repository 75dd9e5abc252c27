/**
 * The messages of the Kafka protocol, generated in the build from the protocol's own schemas.
 *
 * <p>One class per message; the structs inside it are nested classes with the schema's names. All
 * are mutable and fluent: {@code new HeartbeatRequest().setGroupId("g").setGenerationId(7)}. Which
 * messages there are is the content of {@code src/main/protocol/messages.txt}; to get another one,
 * add its name there. {@link io.weirmq.protocol.message.Messages} goes from an API key to its
 * messages.
 *
 * <p>A field that a version lacks is left at its default when read. When written, a changed value
 * that the version cannot carry is dropped where the schema calls the field ignorable, and refused
 * with {@link io.weirmq.protocol.UnsupportedFieldException} elsewhere. Tagged fields that the
 * schema does not know are skipped and not kept.
 *
 * <p>{@code toString} is for a log: of byte arrays and records it gives the size only, as they may
 * be secrets or large. Strings it prints whole, values of configuration keys among them.
 *
 * <p>Records are {@link io.weirmq.protocol.RecordsData}: slices of the frame when decoded, buffers
 * or file ranges when encoded. Decoding checks each length and count before it allocates. Messages
 * are confined to one thread at a time.
 */
@NullMarked
package io.weirmq.protocol.message;

import org.jspecify.annotations.NullMarked;
