package io.weirmq.replication;

import io.weirmq.storage.StorageException;
import java.nio.file.Path;

/**
 * A data folder of the configuration that can't be used. Immutable.
 *
 * @param path the folder
 * @param cause why not
 */
public record OfflineFolder(Path path, StorageException cause) {}
