package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecordCodec;
import io.weirmq.server.internal.group.records.KeyValue;
import io.weirmq.server.internal.group.records.MalformedGroupRecordException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Partitions in memory, whose appends and loads can be held back and made to fail. */
final class MemoryOffsetsLog implements OffsetsLog {

  private final Map<Integer, List<KeyValue>> partitions = new HashMap<>();
  private final Queue<Runnable> held = new ArrayDeque<>();
  private boolean holds;
  private ErrorCode failure = ErrorCode.NONE;
  private boolean isUnreadable;
  int appendCount;

  /** From now on appends and loads wait for {@link #release()}. */
  void hold() {
    holds = true;
  }

  void release() {
    holds = false;
    while (!held.isEmpty()) {
      held.remove().run();
    }
  }

  /** Lets the oldest held operation go on. */
  boolean releaseOne() {
    Runnable oldest = held.poll();
    if (oldest != null) {
      oldest.run();
    }
    return oldest != null;
  }

  void failAppendsWith(ErrorCode error) {
    failure = error;
  }

  void makeUnreadable(boolean unreadable) {
    isUnreadable = unreadable;
  }

  List<KeyValue> records(int partition) {
    return partitions.computeIfAbsent(partition, p -> new ArrayList<>());
  }

  List<GroupRecord> decoded(int partition) {
    List<GroupRecord> decoded = new ArrayList<>();
    for (KeyValue record : records(partition)) {
      try {
        decoded.add(GroupRecordCodec.decode(record.key(), record.value()));
      } catch (MalformedGroupRecordException e) {
        throw new AssertionError(e);
      }
    }
    return decoded;
  }

  @Override
  public CompletionStage<@Nullable Void> append(int partition, List<KeyValue> records) {
    appendCount++;
    CompletableFuture<@Nullable Void> appended = new CompletableFuture<>();
    ErrorCode error = failure;
    perform(
        () -> {
          if (error == ErrorCode.NONE) {
            records(partition).addAll(records);
            appended.complete(null);
          } else {
            appended.completeExceptionally(new OffsetsLogException(error, "refused by the test"));
          }
        });
    return appended;
  }

  @Override
  public CompletionStage<@Nullable Void> load(int partition, Visitor visitor) {
    CompletableFuture<@Nullable Void> loaded = new CompletableFuture<>();
    perform(
        () -> {
          if (isUnreadable) {
            loaded.completeExceptionally(new java.io.IOException("unreadable by the test"));
            return;
          }
          long offset = 0;
          for (KeyValue record : List.copyOf(records(partition))) {
            visitor.onRecord(offset++, record.key().duplicate(), duplicate(record.value()));
          }
          loaded.complete(null);
        });
    return loaded;
  }

  private static java.nio.@Nullable ByteBuffer duplicate(java.nio.@Nullable ByteBuffer buffer) {
    return buffer == null ? null : buffer.duplicate();
  }

  private void perform(Runnable operation) {
    if (holds) {
      held.add(operation);
    } else {
      operation.run();
    }
  }
}
