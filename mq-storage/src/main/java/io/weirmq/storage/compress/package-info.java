/**
 * The codecs of record batches: gzip, Snappy, LZ4, Zstandard.
 *
 * <p>{@link io.weirmq.storage.compress.Decompressor} opens a compressed block for reading in pieces
 * ({@link io.weirmq.storage.compress.DecompressedInput}), {@link
 * io.weirmq.storage.compress.Compressor} one for writing. Compressed bytes come from the network,
 * so nothing is allocated by what they claim, the total that comes out has a limit, and every
 * failure is a {@link io.weirmq.storage.compress.DecompressionException}.
 *
 * <p>Working memory comes from a bounded {@link io.weirmq.storage.compress.BufferPool} that the
 * owner passes in; there is no per-thread state. Compressor, decompressor and pool are safe for use
 * by several threads; opened blocks are confined to one.
 */
@NullMarked
package io.weirmq.storage.compress;

import org.jspecify.annotations.NullMarked;
