package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DescribeConfigsRequest;
import io.weirmq.protocol.message.DescribeConfigsResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Looks whether a topic's flush policy has each record on the disk before a leader answers. Never
 * blocks; immutable.
 */
final class FlushPolicy {

  private static final short DESCRIBE_CONFIGS_VERSION = 1;
  private static final byte TOPIC_RESOURCE = 2;
  private static final String FLUSH_MESSAGES = "flush.messages";
  private static final String EACH = "1";

  private final BrokerCalls calls;

  FlushPolicy(BrokerCalls calls) {
    this.calls = calls;
  }

  /**
   * Asks a broker for the policy of a topic.
   *
   * @return fails with an {@link IpcException} where records may be answered before they are on the
   *     disk, or the broker does not tell
   */
  CompletableFuture<Void> requireEachFlushed(RequestChannel broker, String topic) {
    DescribeConfigsRequest request =
        new DescribeConfigsRequest()
            .setResources(
                List.of(
                    new DescribeConfigsRequest.DescribeConfigsResource()
                        .setResourceType(TOPIC_RESOURCE)
                        .setResourceName(topic)
                        .setConfigurationKeys(List.of(FLUSH_MESSAGES))));
    return calls
        .ask(
            broker,
            ApiKey.DESCRIBE_CONFIGS,
            DESCRIBE_CONFIGS_VERSION,
            request,
            DescribeConfigsResponse.class)
        .thenApply(BrokerCalls::takeOut)
        .thenAccept(answer -> requireEachFlushed(answer, topic));
  }

  private static void requireEachFlushed(DescribeConfigsResponse answer, String topic) {
    DescribeConfigsResponse.DescribeConfigsResult found = answer.results().get(0);
    ErrorCode error = ErrorCode.forCode(found.errorCode());
    if (error != ErrorCode.NONE) {
      throw BrokerCalls.failed(
          "configuration of topic %s: %s (%s)".formatted(topic, error.text(), error));
    }
    String value =
        found.configs().stream()
            .filter(each -> each.name().equals(FLUSH_MESSAGES))
            .findFirst()
            .map(DescribeConfigsResponse.DescribeConfigsResourceResult::value) // may be null
            .orElse("unknown");
    if (!value.equals(EACH)) {
      throw BrokerCalls.failed(
          "topic %s has %s=%s, and %s needs %s: only then is a record on the disk when the leader answers"
              .formatted(topic, FLUSH_MESSAGES, value, Acknowledgement.FLUSHED, EACH));
    }
  }
}
