package io.weirmq.server.internal.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Waits for several answers. Stateless. */
public final class Stages {

  private Stages() {}

  /**
   * All answers, in the order of the stages.
   *
   * @return completes with a list that the receiver may keep and change, or with a failure once all
   *     have ended
   */
  public static <T> CompletableFuture<List<T>> all(List<? extends CompletionStage<T>> stages) {
    List<CompletableFuture<T>> futures =
        stages.stream().map(CompletionStage::toCompletableFuture).toList();
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              List<T> answers = new ArrayList<>(futures.size());
              futures.forEach(future -> answers.add(future.join()));
              return answers;
            });
  }
}
