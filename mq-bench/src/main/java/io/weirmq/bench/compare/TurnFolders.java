package io.weirmq.bench.compare;

import java.nio.file.Path;

/**
 * Empty folders of a turn, removed after it. Immutable.
 *
 * @param data on the disk that is measured; for what is durable
 * @param memory in memory where the system has such a folder ({@code /dev/shm}); for what is not
 */
public record TurnFolders(Path data, Path memory) {}
