package io.weirmq.storage;

import java.nio.file.Path;

/**
 * How another process finds a segment file. Immutable.
 *
 * <p>The path may be given to another file later (compaction swaps segments), or go (retention). A
 * reader that has opened it compares the number, and then has the file as long as it is open.
 *
 * @param path the name that the file had when it was opened here
 * @param inode the number of the file in its file system
 */
public record SegmentFile(Path path, long inode) {}
