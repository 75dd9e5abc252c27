package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.errors.RefreshRetriableException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables of error codes and API keys against those of kafka-clients. */
class ProtocolTablesTest {

  private static final List<ErrorCode> COORDINATOR_ERRORS =
      List.of(ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR);

  @Test
  void errorCodesHaveKafkasNumbersAndNames() {
    assertThat(Arrays.stream(ErrorCode.values()).map(e -> e.code() + " " + e.name()))
        .containsExactlyElementsOf(
            Arrays.stream(Errors.values()).map(e -> e.code() + " " + e.name()).toList());
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void errorCodesAreRetriedAsTheJavaClientDoes(ErrorCode error) {
    Exception exception = Errors.forCode(error.code()).exception();
    ErrorCode.Retry expected = ErrorCode.Retry.NEVER;
    if (COORDINATOR_ERRORS.contains(error)) {
      expected = ErrorCode.Retry.AFTER_COORDINATOR;
    } else if (exception instanceof RefreshRetriableException) {
      expected = ErrorCode.Retry.AFTER_METADATA;
    } else if (exception instanceof RetriableException) {
      expected = ErrorCode.Retry.AS_IS;
    }

    assertThat(error.retry()).isEqualTo(expected);
    assertThat(error.isRetriable()).isEqualTo(exception instanceof RetriableException);
    assertThat(error.text()).isNotBlank().doesNotEndWith(".");
    assertThat(ErrorCode.forCode(error.code())).isSameAs(error);
  }

  @Test
  void anErrorCodeFromALaterProtocolIsUnknown() {
    assertThat(ErrorCode.forCode(9999)).isEqualTo(ErrorCode.UNKNOWN_SERVER_ERROR);
    assertThat(ErrorCode.forCode(-2)).isEqualTo(ErrorCode.UNKNOWN_SERVER_ERROR);
  }

  @Test
  void apiKeysAreKafkasAndThoseThatKafkaWithdrew() {
    assertThat(
            Arrays.stream(ApiKey.values())
                .filter(key -> key.hasVersions() && !key.isOwn())
                .map(k -> k.name()))
        .containsExactlyElementsOf(
            Arrays.stream(ApiKeys.values())
                .filter(ApiKeys::hasValidVersion)
                .map(k -> k.name())
                .toList());
    assertThat(Arrays.stream(ApiKey.values()).filter(k -> !k.hasVersions()))
        .containsExactly(
            ApiKey.LEADER_AND_ISR,
            ApiKey.STOP_REPLICA,
            ApiKey.UPDATE_METADATA,
            ApiKey.CONTROLLED_SHUTDOWN);
  }

  @ParameterizedTest
  @EnumSource(ApiKey.class)
  void apiKeysHaveKafkasVersionsAndHeaders(ApiKey key) {
    assertThat(ApiKey.forId(key.id())).isSameAs(key);
    if (!key.hasVersions() || key.isOwn()) {
      return;
    }
    ApiKeys oracle = ApiKeys.forId(key.id());
    assertThat(key.name()).isEqualTo(oracle.name());
    assertThat(key.apiName()).isEqualTo(oracle.name);
    assertThat(key.lowestVersion()).isEqualTo(oracle.oldestVersion());
    assertThat(key.highestVersion()).isEqualTo(oracle.latestVersion(true));
    assertThat(key.highestStableVersion()).isEqualTo(oracle.latestVersion(false));
    for (short version = key.lowestVersion(); version <= key.highestVersion(); version++) {
      assertThat(key.requestHeaderVersion(version))
          .as("%s v%d", key, version)
          .isEqualTo(oracle.requestHeaderVersion(version));
      assertThat(key.responseHeaderVersion(version))
          .as("%s v%d", key, version)
          .isEqualTo(oracle.responseHeaderVersion(version));
    }
    assertThat(key.hasVersion(key.highestVersion() + 1)).isFalse();
    assertThat(key.hasVersion(key.lowestVersion() - 1)).isFalse();
  }

  @Test
  void ourOwnApisStayAwayFromKafkasNumbers() {
    assertThat(Arrays.stream(ApiKey.values()).filter(ApiKey::isOwn))
        .containsExactly(ApiKey.DIRECT_READ);
    assertThat(Arrays.stream(ApiKeys.values()).mapToInt(k -> k.id).max().orElseThrow())
        .isLessThan(1_000);
    assertThat(ApiKey.DIRECT_READ.id()).isEqualTo((short) 10_000);
  }

  @Test
  void unknownNumbersHaveNoApiKey() {
    assertThat(ApiKey.forId(-1)).isNull();
    assertThat(ApiKey.forId(9999)).isNull();
  }

  @Test
  void headersOfVersionsThatDoNotExistYetAreFlexible() {
    assertThat(ApiKey.API_VERSIONS.requestHeaderVersion(99)).isEqualTo((short) 2);
    assertThat(ApiKey.API_VERSIONS.responseHeaderVersion(99)).isZero();
    assertThat(ApiKey.SASL_HANDSHAKE.requestHeaderVersion(1)).isEqualTo((short) 1);
  }
}
