package io.weirmq.server.internal.group;

import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.replication.metadata.MetadataChangeException;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataListener;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.ProducerIdBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Metadata in memory, with one broker, number 1, and one listener. */
final class MemoryMetadataStore implements MetadataStore {

  private final List<MetadataListener> listeners = new ArrayList<>();
  private MetadataImage image = MetadataImage.empty("abcdefghijklmnopqrstuv", 1);
  private boolean isBroken;

  MemoryMetadataStore() {
    apply(
        new MetadataChange.RegisterBroker(
            new BrokerMetadata(
                1, null, List.of(new BrokerEndpoint("PLAINTEXT", "broker.example", 9092)))));
  }

  void breakDown() {
    isBroken = true;
  }

  @Override
  public MetadataImage image() {
    return image;
  }

  @Override
  public CompletionStage<MetadataImage> apply(MetadataChange change) {
    if (isBroken) {
      return CompletableFuture.failedFuture(
          new MetadataChangeException(
              MetadataChangeException.Reason.STORAGE_FAILED, "broken by the test"));
    }
    try {
      MetadataImage before = image;
      image = before.with(change);
      listeners.forEach(listener -> listener.onChange(before, image));
      return CompletableFuture.completedFuture(image);
    } catch (MetadataChangeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletionStage<ProducerIdBlock> allocateProducerIds() {
    throw new UnsupportedOperationException("not needed here");
  }

  @Override
  public MetadataImage subscribe(MetadataListener listener) {
    listeners.add(listener);
    return image;
  }

  @Override
  public void close() {}
}
