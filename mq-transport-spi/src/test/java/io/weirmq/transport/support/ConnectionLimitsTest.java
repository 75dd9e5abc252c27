package io.weirmq.transport.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ConnectionLimitsTest {

  private final ConnectionLimits limits = new ConnectionLimits(3, 2, "user");

  @Test
  void namesTheLimitOfAnOwner() {
    assertThat(limits.tryAcquire("ann")).isNull();
    assertThat(limits.tryAcquire("ann")).isNull();
    assertThat(limits.tryAcquire("ann")).isEqualTo("limit of 2 connections per user");
    assertThat(limits.tryAcquire("bob")).as("another owner").isNull();
  }

  @Test
  void namesTheLimitOfAll() {
    limits.tryAcquire("ann");
    limits.tryAcquire("bob");
    limits.tryAcquire("cid");
    assertThat(limits.tryAcquire("dot")).isEqualTo("limit of 3 connections");
  }

  @Test
  void givesAPlaceToTheNextWhenOneIsReleased() {
    limits.tryAcquire("ann");
    limits.tryAcquire("ann");
    limits.release("ann");
    assertThat(limits.tryAcquire("ann")).isNull();
    assertThat(limits.tryAcquire("bob")).isNull();
    assertThat(limits.tryAcquire("cid")).as("a refused one takes no place").isNotNull();
    limits.release("bob");
    assertThat(limits.tryAcquire("cid")).isNull();
  }
}
