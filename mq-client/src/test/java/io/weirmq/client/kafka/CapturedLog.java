package io.weirmq.client.kafka;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the clients' network logs while this is open. */
final class CapturedLog implements AutoCloseable {

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.weirmq.client.kafka");
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  CapturedLog() {
    appender.start();
    logger.addAppender(appender);
  }

  /** The lines of a level, so far. */
  List<String> lines(Level level) {
    synchronized (appender) {
      return List.copyOf(appender.list).stream()
          .filter(event -> event.getLevel() == level)
          .map(ILoggingEvent::getFormattedMessage)
          .toList();
    }
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
