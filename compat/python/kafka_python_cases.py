"""Drives a broker with kafka-python."""

import time

import kafka
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic
from kafka.errors import TopicAlreadyExistsError
from kafka.structs import OffsetAndMetadata

from cases import YESTERDAY_MS, Cases, compare, equal, eventually, main, records

COUNT = 900
WAIT_S = 30


class KafkaPython:
    def __init__(self, bootstrap):
        self.bootstrap = bootstrap
        self.admin = KafkaAdminClient(bootstrap_servers=bootstrap)

    def create(self, topic, partitions, config=None):
        self.admin.create_topics(
            [NewTopic(topic, partitions, 1, topic_configs=config or {})], timeout_ms=10000
        )
        self.await_partitions(topic, partitions)

    def await_partitions(self, topic, count):
        def there():
            described = self.admin.describe_topics([topic])[0]
            equal(0, described["error_code"], "error of the topic")
            equal(count, len(described["partitions"]), "partitions")
            equal([0] * count, [p["error_code"] for p in described["partitions"]], "errors")

        eventually(there)

    def consumer(self, group=None, **settings):
        return KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=10000,
            heartbeat_interval_ms=500,
            **settings,
        )

    def read(self, consumer, count):
        found = {}
        total = 0
        end = time.monotonic() + WAIT_S
        while total < count:
            if time.monotonic() > end:
                raise AssertionError(f"{count} records within {WAIT_S} s, found {total}")
            for batch in consumer.poll(200).values():
                for record in batch:
                    total += 1
                    found.setdefault(record.partition, []).append(
                        (
                            record.offset,
                            record.key,
                            record.value,
                            record.timestamp,
                            list(record.headers),
                        )
                    )
        return found

    def round_trip(self, name, **settings):
        topic = f"kafkapython-{name}"
        self.create(topic, 3)
        producer = KafkaProducer(bootstrap_servers=self.bootstrap, linger_ms=20, **settings)
        futures = [
            producer.send(topic, value, key, headers, partition, timestamp)
            for partition, key, value, timestamp, headers in records(COUNT)
        ]
        producer.flush(WAIT_S)
        for future in futures:
            future.get(WAIT_S)
        producer.close()
        consumer = self.consumer(f"{topic}-group")
        consumer.subscribe([topic])
        try:
            compare(records(COUNT), self.read(consumer, COUNT))
        finally:
            consumer.close()
        return f"{COUNT} records"

    def positions(self):
        partition = TopicPartition("kafkapython-none", 1)
        consumer = self.consumer()
        try:
            consumer.assign([partition])
            equal({partition: 0}, consumer.beginning_offsets([partition]), "beginning")
            equal({partition: 300}, consumer.end_offsets([partition]), "end")
            times = consumer.offsets_for_times({partition: YESTERDAY_MS + 450})
            equal(150, times[partition].offset, "offset for a time")
            consumer.seek(partition, 290)
            equal(290, self.read(consumer, 10)[1][0][0], "first offset read")
        finally:
            consumer.close()

    def resume(self):
        topic = "kafkapython-resume"
        self.create(topic, 1)
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        for i in range(50):
            producer.send(topic, str(i).encode())
        producer.flush(WAIT_S)
        producer.close()
        partition = TopicPartition(topic, 0)
        consumer = self.consumer(topic)
        consumer.subscribe([topic])
        self.read(consumer, 50)
        consumer.commit({partition: OffsetAndMetadata(20, "so far")})
        equal(20, consumer.committed(partition), "committed")
        equal("so far", consumer.committed(partition, metadata=True).metadata, "metadata")
        consumer.close()
        consumer = self.consumer(topic)
        consumer.subscribe([topic])
        equal(20, self.read(consumer, 30)[0][0][0], "first offset after the commit")
        consumer.close()
        return "from the committed offset"

    def admin_topics(self):
        topic = "kafkapython-admin"
        self.create(topic, 2, {"retention.ms": "3600000"})
        try:
            self.create(topic, 2)
            raise AssertionError("created twice")
        except TopicAlreadyExistsError:
            pass
        self.admin.create_partitions({topic: NewPartitions(5)})
        self.await_partitions(topic, 5)
        if topic not in self.admin.list_topics():
            raise AssertionError("not listed")

    def admin_configs(self):
        def value(key):
            resource = ConfigResource(
                ConfigResourceType.TOPIC, "kafkapython-admin", configs={key: None}
            )
            entries = self.admin.describe_configs([resource])[0].resources[0][4]
            return entries[0][1]

        equal("3600000", value("retention.ms"), "retention.ms")
        self.admin.alter_configs(
            [
                ConfigResource(
                    ConfigResourceType.TOPIC, "kafkapython-admin", configs={"segment.ms": "60000"}
                )
            ]
        )
        eventually(lambda: equal("60000", value("segment.ms"), "segment.ms"))

    def admin_groups(self):
        group = "kafkapython-resume"
        if (group, "consumer") not in self.admin.list_consumer_groups():
            raise AssertionError("group not listed")
        described = self.admin.describe_consumer_groups([group])[0]
        equal("Empty", described.state, "state")
        offsets = self.admin.list_consumer_group_offsets(group)
        equal(20, offsets[TopicPartition(group, 0)].offset, "committed")
        self.admin.delete_consumer_groups([group])
        if group in [name for name, _ in self.admin.list_consumer_groups()]:
            raise AssertionError("group still listed")

    def admin_delete(self):
        self.admin.delete_topics(["kafkapython-admin"])

        def gone():
            if "kafkapython-admin" in self.admin.list_topics():
                raise AssertionError("still there")

        eventually(gone)


def run(bootstrap):
    cases = Cases(f"kafka-python {kafka.__version__}")
    client = KafkaPython(bootstrap)
    for codec in (None, "gzip", "snappy", "lz4", "zstd"):
        name = codec or "none"
        try:
            KafkaProducer(bootstrap_servers=bootstrap, compression_type=codec).close()
        except AssertionError as error:
            print("CASE", cases.client, f"produce compression={name}", "skip", "0.0", error, sep="\t")
            continue
        cases.run(
            f"produce compression={name}",
            lambda codec=codec, name=name: client.round_trip(name, compression_type=codec),
        )
    for acks in (0, 1, "all"):
        cases.run(
            f"produce acks={acks}", lambda acks=acks: client.round_trip(f"acks-{acks}", acks=acks)
        )
    cases.run("consumer positions", client.positions)
    cases.run("group commits and resumes", client.resume)
    cases.run("admin topics", client.admin_topics)
    cases.run("admin configs", client.admin_configs)
    cases.run("admin groups", client.admin_groups)
    cases.run("admin delete topic", client.admin_delete)


main(run)
