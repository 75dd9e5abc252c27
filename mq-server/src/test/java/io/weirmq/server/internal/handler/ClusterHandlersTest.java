package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeClusterRequest;
import io.weirmq.protocol.message.DescribeClusterResponse;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.server.internal.admin.ProducerIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterHandlersTest {

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture = AdminFixture.open(folder);
  }

  @Test
  void theClusterIsDescribed() {
    DescribeClusterResponse response =
        describe(
            new DescribeClusterRequest()
                .setEndpointType((byte) 1)
                .setIncludeClusterAuthorizedOperations(true));

    assertThat(response.errorCode()).isZero();
    assertThat(response.clusterId()).isEqualTo(fixture.image().clusterId());
    assertThat(response.controllerId()).isEqualTo(AdminFixture.SELF);
    assertThat(response.clusterAuthorizedOperations()).isEqualTo(8096);
    assertThat(response.brokers())
        .extracting(b -> b.brokerId(), b -> b.host(), b -> b.port(), b -> b.rack())
        .containsExactly(tuple(1, "in.example", 9092, "r1"));
  }

  @Test
  void controllersAreNotToldHere() {
    assertThat(describe(new DescribeClusterRequest().setEndpointType((byte) 2)).errorCode())
        .isEqualTo(ErrorCode.MISMATCHED_ENDPOINT_TYPE.code());
    assertThat(describe(new DescribeClusterRequest().setEndpointType((byte) 3)).errorCode())
        .isEqualTo(ErrorCode.UNSUPPORTED_ENDPOINT_TYPE.code());
  }

  @Test
  void producersGetIdsThatNobodyElseHasOverRestarts() {
    List<Long> ids = new ArrayList<>();
    for (int start = 0; start < 2; start++) {
      InitProducerIdHandler handler =
          new InitProducerIdHandler(new ProducerIds(AdminFixture.open(folder).store));
      for (int i = 0; i < 1500; i++) {
        InitProducerIdResponse response =
            init(handler, new InitProducerIdRequest().setTransactionalId(null));
        assertThat(response.errorCode()).isZero();
        assertThat(response.producerEpoch()).isZero();
        ids.add(response.producerId());
      }
    }

    assertThat(ids).doesNotHaveDuplicates().startsWith(0L, 1L, 2L).allMatch(id -> id >= 0);
  }

  @Test
  void transactionsAreRefusedForGood() {
    InitProducerIdHandler handler = new InitProducerIdHandler(new ProducerIds(fixture.store));

    InitProducerIdResponse refused =
        init(handler, new InitProducerIdRequest().setTransactionalId("tx"));

    assertThat(refused.errorCode()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION.code());
    assertThat(ErrorCode.UNSUPPORTED_VERSION.isRetriable()).isFalse();
    assertThat(refused.producerId()).isEqualTo(-1);
    assertThat(init(handler, new InitProducerIdRequest().setTransactionalId("")).errorCode())
        .isEqualTo(ErrorCode.INVALID_REQUEST.code());
    assertThat(
            init(handler, new InitProducerIdRequest().setTransactionalId(null).setProducerId(4))
                .errorCode())
        .isEqualTo(ErrorCode.INVALID_REQUEST.code());
  }

  private DescribeClusterResponse describe(DescribeClusterRequest request) {
    return AdminFixture.join(
        new DescribeClusterHandler(fixture.store).handle(AdminFixture.version(1), request));
  }

  private static InitProducerIdResponse init(
      InitProducerIdHandler handler, InitProducerIdRequest request) {
    return AdminFixture.join(handler.handle(AdminFixture.version(5), request));
  }
}
