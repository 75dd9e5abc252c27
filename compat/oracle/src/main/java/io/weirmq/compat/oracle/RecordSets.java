package io.weirmq.compat.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/** Shows the record sets of a Fetch response batch by batch and record by record. */
final class RecordSets {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private RecordSets() {}

  /** Replaces the size of each record set in the JSON of a response by its content. */
  static void describe(FetchResponseData response, JsonNode json) {
    for (int topic = 0; topic < response.responses().size(); topic++) {
      var partitions = response.responses().get(topic).partitions();
      for (int partition = 0; partition < partitions.size(); partition++) {
        ObjectNode node =
            (ObjectNode) json.get("responses").get(topic).get("partitions").get(partition);
        node.remove("recordsSizeInBytes");
        node.set("records", describe((MemoryRecords) partitions.get(partition).records()));
      }
    }
  }

  private static JsonNode describe(MemoryRecords records) {
    if (records == null) {
      return JSON.nullNode();
    }
    ArrayNode batches = JSON.arrayNode();
    for (MutableRecordBatch batch : records.batches()) {
      batches.add(describe(batch));
    }
    // A batch that was cut at the end is not compared: clients drop it.
    return batches;
  }

  private static ObjectNode describe(MutableRecordBatch batch) {
    ObjectNode node = JSON.objectNode();
    node.put("baseOffset", batch.baseOffset());
    node.put("lastOffset", batch.lastOffset());
    node.put("sizeInBytes", batch.sizeInBytes());
    node.put("magic", batch.magic());
    node.put("partitionLeaderEpoch", batch.partitionLeaderEpoch());
    node.put("compression", batch.compressionType().name);
    node.put("timestampType", batch.timestampType().name);
    node.put("maxTimestamp", batch.maxTimestamp());
    node.put("producerId", batch.producerId());
    node.put("producerEpoch", batch.producerEpoch());
    node.put("baseSequence", batch.baseSequence());
    node.put("isTransactional", batch.isTransactional());
    node.put("isControl", batch.isControlBatch());
    node.put("crcFits", batch.isValid());
    if (batch.producerId() < 0 && batch.timestampType() == TimestampType.CREATE_TIME) {
      // Only then must the bytes be the same on both brokers.
      node.put("crc", batch.checksum());
    }
    ArrayNode records = node.putArray("records");
    for (Record record : batch) {
      ObjectNode one = records.addObject();
      one.put("offset", record.offset());
      one.put("timestamp", record.timestamp());
      one.put("key", text(record.key()));
      one.put("value", text(record.value()));
      ArrayNode headers = one.putArray("headers");
      for (Header header : record.headers()) {
        headers.add(header.key() + "=" + text(wrap(header.value())));
      }
    }
    return node;
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }

  private static String text(ByteBuffer buffer) {
    return buffer == null ? null : StandardCharsets.ISO_8859_1.decode(buffer).toString();
  }
}
