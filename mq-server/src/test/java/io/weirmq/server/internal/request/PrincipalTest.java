package io.weirmq.server.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Peer;
import org.junit.jupiter.api.Test;

final class PrincipalTest {

  @Test
  void namesWhomTheTransportHasProved() {
    Peer.UnixUser user = new Peer.UnixUser("alice", "users");

    assertThat(Principal.of(Peer.ofAddress("192.0.2.1", 1))).hasToString("User:ANONYMOUS");
    assertThat(Principal.of(new Peer("alice", 0, null, user))).hasToString("User:alice");
    assertThat(Principal.of(new Peer("192.0.2.1", 1, "CN=bob", null))).hasToString("User:CN=bob");
  }
}
