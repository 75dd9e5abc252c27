package io.weirmq.replication;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a topic on this broker, by number; null where only other brokers hold one, or
 * where it is offline. Immutable.
 */
final class HostedTopic {

  private final String name;
  private final @Nullable Partition[] partitions;

  /** Takes over the array. */
  HostedTopic(String name, @Nullable Partition[] partitions) {
    this.name = name;
    this.partitions = partitions;
  }

  String name() {
    return name;
  }

  int partitionCount() {
    return partitions.length;
  }

  /** Returns a copy of the partitions, with room for more of them. */
  @Nullable Partition[] partitions(int newCount) {
    return Arrays.copyOf(partitions, newCount);
  }

  Optional<Partition> find(int number) {
    return number >= 0 && number < partitions.length
        ? Optional.ofNullable(partitions[number])
        : Optional.empty();
  }

  void forEach(Consumer<Partition> action) {
    for (Partition partition : partitions) {
      if (partition != null) {
        action.accept(partition);
      }
    }
  }

  @Override
  public String toString() {
    return "HostedTopic[" + name + ", " + partitions.length + " partitions]";
  }
}
