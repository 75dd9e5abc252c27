package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.testkit.time.VirtualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RateLimitedLogTest {

  @Test
  void writesOneLineInTenSecondsAndCountsTheOthers() {
    VirtualClock clock = new VirtualClock();
    Logger logger = new LoggerContext().getLogger("test");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    RateLimitedLog log = new RateLimitedLog(logger, clock.nanoClock());

    for (int i = 0; i < 5; i++) {
      log.warn("first " + i);
    }
    clock.advance(Duration.ofSeconds(10).minusNanos(1));
    log.warn("early");
    clock.advance(Duration.ofNanos(1));
    log.warn("late");

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "first 0 (0 like it since the last such line)",
            "late (5 like it since the last such line)");
  }
}
