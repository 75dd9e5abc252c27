package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes outbound frames and file slices and counts their releases: each must be released exactly
 * once. Safe for use by several threads.
 */
public final class FrameLedger {

  private final List<AtomicInteger> releases = new CopyOnWriteArrayList<>();

  /** Returns a counted frame of one buffer on the heap. */
  public OutboundFrame frame(byte[] content) {
    return frame(List.of(new OutboundPart.Bytes(ByteBuffer.wrap(content))));
  }

  /** Returns a counted frame of one buffer outside the heap. */
  public OutboundFrame directFrame(byte[] content) {
    ByteBuffer direct = ByteBuffer.allocateDirect(content.length);
    direct.put(content).flip();
    return frame(List.of(new OutboundPart.Bytes(direct)));
  }

  /** Returns a counted frame of the given pieces. */
  public OutboundFrame frame(List<OutboundPart> parts) {
    return new OutboundFrame(parts, newEntry()::incrementAndGet);
  }

  /** Returns a counted file slice. */
  public FileSlice slice(FileChannel channel, long position, long lengthBytes) {
    return new FileSlice(channel, position, lengthBytes, newEntry()::incrementAndGet);
  }

  /** The number of frames and slices made. */
  public int size() {
    return releases.size();
  }

  /** The number of frames and slices released at least once. */
  public long releasedCount() {
    return releases.stream().filter(count -> count.get() > 0).count();
  }

  /** Waits until all have been released, and fails where one was released twice. */
  public void awaitAllReleasedOnce() {
    await("release of all frames and slices")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> releasedCount() == size());
    assertThat(releases).as("releases of each frame or slice").allMatch(count -> count.get() == 1);
  }

  private AtomicInteger newEntry() {
    AtomicInteger entry = new AtomicInteger();
    releases.add(entry);
    return entry;
  }
}
