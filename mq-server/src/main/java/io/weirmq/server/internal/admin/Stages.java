package io.weirmq.server.internal.admin;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Puts stages together. */
public final class Stages {

  private Stages() {}

  /** Completes with all results, in the order of the stages. */
  public static <T> CompletableFuture<List<T>> inOrder(List<? extends CompletionStage<T>> stages) {
    List<CompletableFuture<T>> futures =
        stages.stream().map(CompletionStage::toCompletableFuture).toList();
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }
}
