/**
 * The records of the internal topic {@code __consumer_offsets}, byte for byte in Kafka's format, so
 * that Kafka's own tools read them and so that a topic of Kafka's can be taken over.
 *
 * <p>All numbers are big-endian; {@code string} is an int16 length and UTF-8, {@code bytes} an
 * int32 length and the bytes; a {@code ?} marks a string that may be null (length -1). A null value
 * is a tombstone.
 *
 * <pre>
 *   key 1  committed offset   int16 = 1 | string group | string topic | int32 partition
 *   value                     int16 = 3 | int64 offset | int32 leader epoch | string metadata
 *                                       | int64 commit timestamp
 *          with an expiry     int16 = 1 | int64 offset | string metadata | int64 commit timestamp
 *                                       | int64 expire timestamp
 *   key 2  group              int16 = 2 | string group
 *   value                     int16 = 3 | string protocol type | int32 generation | string? protocol
 *                                       | string? leader | int64 state timestamp
 *                                       | int32 count | member ...
 *          member             string id | string? instance id | string client id | string client host
 *                                       | int32 rebalance timeout | int32 session timeout
 *                                       | bytes subscription | bytes assignment
 * </pre>
 *
 * <p>Read as well: key 0 (an older key of the same fields as key 1), values of versions 0 to 4 (4
 * is the flexible one that newer Kafka writes), and, as {@link
 * io.weirmq.server.internal.group.records.GroupRecord.Unknown}, keys of the newer group protocols.
 *
 * <p>{@link io.weirmq.server.internal.group.records.GroupRecordCodec} translates between {@link
 * io.weirmq.server.internal.group.records.GroupRecord} and {@link
 * io.weirmq.server.internal.group.records.KeyValue}. Stateless; any thread.
 */
@NullMarked
package io.weirmq.server.internal.group.records;

import org.jspecify.annotations.NullMarked;
