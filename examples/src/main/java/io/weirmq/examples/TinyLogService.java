package io.weirmq.examples;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.FileSlice;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A log behind a protocol of its own, from mq-storage and a transport alone.
 *
 * <pre>
 *   'A' value          append; answered by the record's offset, int64
 *   'R' offset int64   read; answered by the stored batches from there on, straight from the file
 * </pre>
 */
public final class TinyLogService implements AutoCloseable {

  private static final String CLUSTER_ID = "dGlueS1sb2ctc2VydmljZQ";
  private static final TopicPartition LOG = new TopicPartition("tiny", 0);
  private static final int READ_BYTES_MAX = 64 * 1024;

  private final LogDirectory directory;
  private final AppendPipeline pipeline;
  private final Transport transport;
  private final PartitionLog log;
  private final LogAppender appender;
  private final Listener listener;

  /** Opens the log in a folder and listens on a free port of the loopback interface. */
  public TinyLogService(Path folder) throws IOException {
    InstantSource clock = InstantSource.system();
    directory =
        LogDirectories.open(
            folder, LogDirectoryOptions.of(1, CLUSTER_ID), new NioLogFileSystem(), clock);
    log = openLog(directory);
    pipeline =
        AppendPipelines.open(
            PipelineOptions.defaults("tiny"),
            task -> new Thread(task, "tiny-writer"),
            clock,
            (component, error) -> System.err.println(component + " ended: " + error));
    appender = pipeline.attach(log, writer -> writer.advanceHighWatermark(log.logEndOffset()));
    transport =
        TransportProviders.open("tcp", TransportOptions.defaults().withIoThreads(1, "tiny-io"));
    listener = transport.listen(Endpoint.tcp("127.0.0.1", 0), connection -> new Handler());
  }

  /** Where the service listens. */
  public Endpoint endpoint() {
    return listener.endpoint();
  }

  @Override
  public void close() throws IOException {
    transport.close();
    pipeline.close();
    directory.close();
  }

  private static PartitionLog openLog(LogDirectory directory) throws StorageException {
    var known = directory.log(LOG);
    return known.isPresent()
        ? known.get()
        : directory.create(LOG, UUID.nameUUIDFromBytes(new byte[] {1}), LogConfig.defaults());
  }

  /** Answers one connection; stateless. */
  private final class Handler implements ConnectionHandler {

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      ByteBuffer request = frame.buffer();
      switch (request.get()) {
        case 'A' -> append(connection, request);
        case 'R' -> read(connection, request.getLong());
        default -> connection.close();
      }
      frame.release();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}

    private void append(Connection connection, ByteBuffer value) {
      ByteBuffer batch =
          new RecordBatchBuilder()
              .append(System.currentTimeMillis(), (ByteBuffer) null, value)
              .build();
      boolean taken =
          appender.tryAppend(
              new AppendRequest(batch, AppendOrigin.CLIENT, 0),
              result -> answer(connection, result));
      if (!taken) {
        connection.close(); // a service for grown-ups would stop reading until there is room
      }
    }

    private static void answer(Connection connection, AppendResult result) {
      if (result instanceof AppendResult.Appended appended) {
        ByteBuffer offset = ByteBuffer.allocate(Long.BYTES).putLong(0, appended.baseOffset());
        connection.send(OutboundFrame.of(offset));
        connection.flush();
      } else {
        connection.close();
      }
    }

    private void read(Connection connection, long offset) {
      try {
        LogSlice slice = log.read(offset, READ_BYTES_MAX, log.highWatermark(), true);
        FileSlice range =
            new FileSlice(slice.channel(), slice.position(), slice.lengthBytes(), slice::release);
        connection.send(new OutboundFrame(List.of(range), () -> {}));
        connection.flush();
      } catch (StorageException e) {
        connection.close();
      }
    }
  }
}
