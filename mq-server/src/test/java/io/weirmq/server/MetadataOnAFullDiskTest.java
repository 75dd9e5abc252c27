package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MetadataOnAFullDiskTest {

  private static final Path FILE = Path.of("/data/weirmq-metadata");

  private final InMemoryFileSystem files = new InMemoryFileSystem();

  private LocalMetadataStore open() throws Exception {
    return LocalMetadataStore.open(FILE, files, Runnable::run, 1);
  }

  @Test
  @DisplayName(
      "ST-06 a store opens on a full disk, and topics can be deleted on it, again and again")
  void st06_opensAndDeletesTopicsWithoutRoom() throws Exception {
    LocalMetadataStore store = open();
    for (int i = 0; i < 20; i++) {
      store
          .apply(new CreateTopic("topic-" + i, new UUID(1, i), List.of(List.of(1)), Map.of()))
          .toCompletableFuture()
          .join();
    }
    store.close();
    files.capacityBytes(files.usedBytes());

    for (int start = 0; start < 3; start++) {
      LocalMetadataStore again = open();
      for (int i = 0; i < 5; i++) {
        again.apply(new DeleteTopic(new UUID(1, start * 5 + i))).toCompletableFuture().join();
      }
      again.close();
    }

    LocalMetadataStore last = open();
    assertThat(last.image().topics())
        .extracting(TopicMetadata::name)
        .containsExactlyInAnyOrder("topic-15", "topic-16", "topic-17", "topic-18", "topic-19");
    last.close();
  }
}
