package io.weirmq.replication.metadata;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * From what metadata is made anew where its file is damaged or gone, beside the copy that lies next
 * to it. Immutable.
 *
 * @param dataFolders the broker's data folders, the one with the metadata first; looked at only
 *     where they are needed
 * @param configsOf gives the configurations of a topic whose own are lost, by its name; they should
 *     keep the broker from deleting what the lost ones may have kept
 * @param clock wall clock; producer ids go on above a number made of it, so that metadata that is
 *     lost again later does not use them twice
 */
public record RebuildSources(
    List<Path> dataFolders, Function<String, Map<String, String>> configsOf, InstantSource clock) {

  /** Copies the list and checks the parts. */
  public RebuildSources {
    dataFolders = List.copyOf(dataFolders);
    Objects.requireNonNull(configsOf, "configsOf");
    Objects.requireNonNull(clock, "clock");
  }

  /** Returns sources without data folders: only the copy beside the file can stand in for it. */
  public static RebuildSources none() {
    return new RebuildSources(List.of(), topic -> Map.of(), InstantSource.fixed(Instant.EPOCH));
  }
}
