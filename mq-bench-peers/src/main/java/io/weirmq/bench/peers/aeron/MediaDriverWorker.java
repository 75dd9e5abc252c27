package io.weirmq.bench.peers.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Outcome;
import io.weirmq.bench.compare.worker.Worker;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Aeron's media driver with one thread for all its duties; messages over IPC do not pass through
 * it.
 */
public final class MediaDriverWorker implements Worker {

  private final Settings settings;
  private @Nullable MediaDriver driver;

  /** Made by name. */
  public MediaDriverWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() {
    driver =
        MediaDriver.launch(
            new MediaDriver.Context()
                .aeronDirectoryName(settings.text("aeronFolder"))
                .threadingMode(ThreadingMode.SHARED)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true));
    return Map.of();
  }

  @Override
  public Outcome run(Progress progress) {
    throw new IllegalStateException("a media driver reports nothing");
  }

  @Override
  public void close() {
    if (driver != null) {
      driver.close();
    }
  }
}
