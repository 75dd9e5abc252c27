package io.weirmq.server.cli;

import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.storage.record.RecordView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a record is printed; each ends with a line feed. */
enum RecordFormat {
  /** The value's bytes as they are. */
  VALUE {
    @Override
    void print(TopicPartition partition, RecordCursor cursor, OutputStream out) throws IOException {
      write(cursor.record().value(), out);
      out.write('\n');
    }
  },
  /** Key, a colon and value. */
  KEY_VALUE {
    @Override
    void print(TopicPartition partition, RecordCursor cursor, OutputStream out) throws IOException {
      write(cursor.record().key(), out);
      out.write(':');
      write(cursor.record().value(), out);
      out.write('\n');
    }
  },
  /** One JSON object with all there is; bytes as UTF-8 text. */
  JSON {
    @Override
    void print(TopicPartition partition, RecordCursor cursor, OutputStream out) throws IOException {
      RecordView record = cursor.record();
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("topic", partition.topic());
      fields.put("partition", partition.partition());
      fields.put("offset", cursor.offset());
      fields.put("timestamp", cursor.timestampMs());
      fields.put("key", text(record.key()));
      fields.put("value", text(record.value()));
      Map<String, @Nullable String> headers = new LinkedHashMap<>();
      while (record.nextHeader()) {
        headers.put(record.headerKey(), text(record.headerValue()));
      }
      fields.put("headers", headers);
      out.write(Json.line(fields).getBytes(StandardCharsets.UTF_8));
      out.write('\n');
    }
  };

  /** Prints the present record of a cursor. */
  abstract void print(TopicPartition partition, RecordCursor cursor, OutputStream out)
      throws IOException;

  private static void write(@Nullable ByteBuffer bytes, OutputStream out) throws IOException {
    if (bytes != null) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      out.write(copy);
    }
  }

  private static @Nullable String text(@Nullable ByteBuffer bytes) {
    return bytes == null ? null : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
