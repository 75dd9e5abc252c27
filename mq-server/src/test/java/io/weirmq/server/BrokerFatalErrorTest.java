package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.server.internal.broker.BrokerThreads;
import io.weirmq.server.internal.broker.FatalErrors;
import io.weirmq.server.internal.schedule.ThreadScheduler;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OP-03: a core thread that dies for good is seen from outside. */
final class BrokerFatalErrorTest {

  private final Error injected = new Error("injected by the test");

  @TempDir private Path folder;

  @Test
  void op03_isDownWhenTheWriterOfAPipelineDies() throws Exception {
    FailingFiles files = new FailingFiles();
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Broker broker = TestBroker.in(folder).files(files).onFatalError(told::complete).start();
    TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
    files.failOn(name -> name.endsWith(".log"), injected);
    try (RawClient client = RawClient.connect(broker.boundPort())) {
      client.send(ApiKey.PRODUCE, 9, TestBroker.produce("t", 0, 1, batch("x")));
      assertDown(broker, told);
    }
    assertThat(files.failedOn()).startsWith("mq-append");
    files.failOn(name -> false, injected);
    broker.close();
  }

  @Test
  void op03_isDownWhenTheMetadataThreadDies() throws Exception {
    FailingFiles files = new FailingFiles();
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Broker broker = TestBroker.in(folder).files(files).onFatalError(told::complete).start();
    files.failOn(name -> name.contains("metadata"), injected);
    try (RawClient client = RawClient.connect(broker.boundPort())) {
      CreateTopicsRequest.CreatableTopic topic =
          new CreateTopicsRequest.CreatableTopic()
              .setName("t")
              .setNumPartitions(1)
              .setReplicationFactor((short) 1);
      client.send(ApiKey.CREATE_TOPICS, 5, new CreateTopicsRequest().setTopics(List.of(topic)));
      assertDown(broker, told);
    }
    assertThat(files.failedOn()).startsWith("mq-metadata");
    files.failOn(name -> false, injected);
    broker.close();
  }

  @Test
  void op03_reportsTheEndOfAnExecutorsThread() throws Exception {
    FatalErrors fatal = new FatalErrors();
    try (BrokerThreads.SingleThread thread = new BrokerThreads(fatal).singleThread("mq-test")) {
      thread.execute(
          () -> {
            throw new IllegalStateException("an exception is not fatal; expected by the test");
          });
      thread.execute(
          () -> {
            throw injected;
          });
      assertThat(fatal.happened().toCompletableFuture().get(10, TimeUnit.SECONDS))
          .isSameAs(injected);
    }
  }

  @Test
  void op03_reportsTheEndOfTheScheduler() throws Exception {
    FatalErrors fatal = new FatalErrors();
    try (ThreadScheduler scheduler =
        new ThreadScheduler(
            new BrokerThreads(fatal).named("mq-test"), error -> fatal.report("timer", error))) {
      scheduler.schedule(
          0,
          () -> {
            throw injected;
          });
      assertThat(fatal.happened().toCompletableFuture().get(10, TimeUnit.SECONDS))
          .isSameAs(injected);
    }
  }

  private void assertDown(Broker broker, CompletableFuture<Throwable> told) throws Exception {
    assertThat(broker.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(broker.awaitTermination()).contains(injected);
    assertThat(told.get(10, TimeUnit.SECONDS)).isSameAs(injected);
    assertThat(broker.health()).isEqualTo(Broker.Health.DOWN);
  }
}
