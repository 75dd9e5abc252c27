package io.weirmq.server.internal.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Waits for several answers. Stateless. */
final class Stages {

  private Stages() {}

  /**
   * All answers, in the order of the stages.
   *
   * @return completes with a list that the receiver may keep and change, or with the first failure
   */
  static <T> CompletionStage<List<T>> all(List<CompletableFuture<T>> stages) {
    return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              List<T> answers = new ArrayList<>(stages.size());
              stages.forEach(stage -> answers.add(stage.join()));
              return answers;
            });
  }
}
