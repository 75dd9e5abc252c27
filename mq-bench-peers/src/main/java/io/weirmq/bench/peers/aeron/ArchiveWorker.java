package io.weirmq.bench.peers.aeron;

import io.aeron.CommonContext;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.client.AeronArchive;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Outcome;
import io.weirmq.bench.compare.worker.Worker;
import java.io.File;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Aeron's media driver with an archive that records without sync; a thread for each of the two. */
public final class ArchiveWorker implements Worker {

  private static final int NO_SYNC = 0;
  private static final int SEGMENT_BYTES = 128 * 1024 * 1024;

  private final Settings settings;
  private @Nullable ArchivingMediaDriver driver;

  /** Made by name. */
  public ArchiveWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() {
    String folder = settings.text("aeronFolder");
    driver =
        ArchivingMediaDriver.launch(
            new MediaDriver.Context()
                .aeronDirectoryName(folder)
                .threadingMode(ThreadingMode.SHARED)
                .spiesSimulateConnection(true)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true),
            new Archive.Context()
                .aeronDirectoryName(folder)
                .archiveDir(new File(settings.text("archive")))
                .threadingMode(ArchiveThreadingMode.SHARED)
                .fileSyncLevel(NO_SYNC)
                .catalogFileSyncLevel(NO_SYNC)
                .segmentFileLength(SEGMENT_BYTES)
                .controlChannelEnabled(false)
                .localControlChannel(CommonContext.IPC_CHANNEL)
                .replicationChannel("aeron:udp?endpoint=localhost:0")
                .archiveClientContext(
                    new AeronArchive.Context().controlResponseChannel(CommonContext.IPC_CHANNEL))
                .recordingEventsEnabled(false)
                .deleteArchiveOnStart(true));
    return Map.of();
  }

  @Override
  public Outcome run(Progress progress) {
    throw new IllegalStateException("an archive reports nothing");
  }

  @Override
  public void close() {
    if (driver != null) {
      driver.close();
    }
  }
}
