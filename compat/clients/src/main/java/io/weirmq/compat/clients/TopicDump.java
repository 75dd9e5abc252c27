package io.weirmq.compat.clients;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;

/** Writes the values of a topic with one partition, a line each. */
final class TopicDump {
  private TopicDump() {}

  static boolean dump(Cluster cluster, String topic, OutputStream out) throws IOException {
    AtomicLong next = new AtomicLong();
    try (OutputStream buffered = new BufferedOutputStream(out, 1 << 16)) {
      cluster.forEach(
          topic,
          record -> {
            Checks.equal(next.getAndIncrement(), record.offset(), "offset");
            try {
              buffered.write(record.value());
              buffered.write('\n');
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
    System.err.println("detail: " + next.get() + " records");
    return true;
  }
}
