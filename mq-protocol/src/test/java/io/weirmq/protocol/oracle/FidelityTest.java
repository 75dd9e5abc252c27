package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each message at each version, over random contents: what kafka-clients writes we read with the
 * same values, write with the same bytes, and kafka-clients reads again.
 *
 * <p>The contents come from the schemas inside kafka-clients, so that neither our generator nor our
 * accessors decide what is tested. Tags may carry the default there, which both sides drop.
 */
class FidelityTest {

  private static final int ROUNDS = 25;
  private static final long SEED = 20261129;

  static List<OracleMessage> messages() {
    return OracleMessage.all();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void agreesWithKafkaClientsAtEachVersion(OracleMessage message) throws ProtocolException {
    for (short version : message.versions()) {
      for (int round = 0; round < ROUNDS; round++) {
        long seed = SEED + round * 1000L + version;
        ByteBuffer random = new RandomWire(seed).next(message.schema(version));
        String what = "%s v%d, seed %d".formatted(message.name(), version, seed);

        Message theirs = message.decodeByOracle(random, version);
        ByteBuffer expected = OracleMessage.encodeByOracle(theirs, version);
        ApiMessage ours = message.decode(expected, version);
        MessageComparison.assertSame(what, ours, theirs);
        ByteBuffer written = OracleMessage.encode(ours, version);
        assertSameBytes(what, written, expected);
        assertThat(message.decodeByOracle(written, version)).as(what).isEqualTo(theirs);

        ApiMessage again = message.decode(random, version);
        assertThat(again).as(what).isEqualTo(ours).hasSameHashCodeAs(ours);
        assertThat(again.toString()).as(what).isEqualTo(ours.toString());
        assertSameBytes(what, OracleMessage.encode(again, version), expected);
      }
    }
  }

  /**
   * What one version cannot carry of another's contents is dropped or refused as the oracle does.
   */
  @ParameterizedTest
  @MethodSource("messages")
  void dropsAndRefusesWhatAVersionLacksAsKafkaClientsDo(OracleMessage message)
      throws ProtocolException {
    for (short from : message.versions()) {
      for (int round = 0; round < 4; round++) {
        long seed = SEED + round * 1000L + from;
        ByteBuffer random = new RandomWire(seed).next(message.schema(from));
        Message theirs = message.decodeByOracle(random, from);
        ApiMessage ours = message.decode(random, from);
        for (short to : message.versions()) {
          String what =
              "%s read as v%d, seed %d, written as v%d".formatted(message, from, seed, to);
          assertThat(outcome(() -> OracleMessage.encode(ours, to)))
              .as(what)
              .isEqualTo(outcome(() -> OracleMessage.encodeByOracle(theirs, to)));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void knowsTheVersionsThatKafkaClientsKnow(OracleMessage message) throws Exception {
    ApiMessage fresh = message.decoder().getDeclaringClass().getConstructor().newInstance();

    assertThat(fresh.lowestVersion()).isEqualTo(message.lowestVersion());
    assertThat(fresh.highestVersion()).isEqualTo(message.highestVersion());
    MessageComparison.assertSame(
        message.name() + " defaults", fresh, message.oracle().newInstance());
  }

  @Test
  void coversAllListedMessages() {
    assertThat(OracleMessage.all()).hasSize(86);
  }

  private static void assertSameBytes(String what, ByteBuffer ours, ByteBuffer theirs) {
    if (!ours.equals(theirs)) {
      assertThat(hex(ours)).as(what).isEqualTo(hex(theirs));
    }
  }

  private static String outcome(java.util.function.Supplier<ByteBuffer> encoding) {
    try {
      return hex(encoding.get());
    } catch (org.apache.kafka.common.errors.UnsupportedVersionException
        | NullPointerException
        | IllegalArgumentException e) {
      return "refused";
    }
  }

  private static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
