"""Drives a broker with confluent-kafka (librdkafka)."""

import time

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from cases import YESTERDAY_MS, Cases, compare, equal, eventually, main, records

COUNT = 900
WAIT_S = 30


class Confluent:
    def __init__(self, bootstrap):
        self.bootstrap = bootstrap
        self.admin = AdminClient({"bootstrap.servers": bootstrap})

    def create(self, topic, partitions, config=None):
        new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=config or {})
        self.admin.create_topics([new])[topic].result(WAIT_S)

    def consumer(self, group, **settings):
        return Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "session.timeout.ms": 10000,
                "heartbeat.interval.ms": 500,
                **settings,
            }
        )

    def read(self, consumer, count):
        found = {}
        end = time.monotonic() + WAIT_S
        total = 0
        while total < count:
            if time.monotonic() > end:
                raise AssertionError(f"{count} records within {WAIT_S} s, found {total}")
            message = consumer.poll(0.2)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            total += 1
            found.setdefault(message.partition(), []).append(
                (
                    message.offset(),
                    message.key(),
                    message.value(),
                    message.timestamp()[1],
                    message.headers() or [],
                )
            )
        return found

    def round_trip(self, name, **settings):
        topic = f"confluent-{name}"
        self.create(topic, 3)
        failed = []
        producer = Producer(
            {"bootstrap.servers": self.bootstrap, "linger.ms": 20, **settings}
        )
        for partition, key, value, timestamp, headers in records(COUNT):
            producer.produce(
                topic,
                value,
                key,
                partition,
                timestamp=timestamp,
                headers=headers,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )
        equal(0, producer.flush(WAIT_S), "records not delivered")
        equal([], failed, "failed deliveries")
        consumer = self.consumer(f"{topic}-group")
        consumer.subscribe([topic])
        try:
            compare(records(COUNT), self.read(consumer, COUNT))
        finally:
            consumer.close()
        return f"{COUNT} records"

    def resume(self):
        topic = "confluent-resume"
        self.create(topic, 1)
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for i in range(50):
            producer.produce(topic, str(i).encode())
        producer.flush(WAIT_S)
        consumer = self.consumer(topic)
        consumer.subscribe([topic])
        self.read(consumer, 50)
        consumer.commit(
            offsets=[TopicPartition(topic, 0, 20)], asynchronous=False
        )
        committed = consumer.committed([TopicPartition(topic, 0)], timeout=10)
        equal(20, committed[0].offset, "committed")
        consumer.close()
        consumer = self.consumer(topic)
        consumer.subscribe([topic])
        rest = self.read(consumer, 30)
        equal(20, rest[0][0][0], "first offset after the commit")
        consumer.close()
        return "from the committed offset"

    def two_members(self):
        topic = "confluent-two"
        self.create(topic, 4)
        one = self.consumer(topic)
        two = self.consumer(topic)
        one.subscribe([topic])

        def sizes(first, second):
            end = time.monotonic() + WAIT_S
            while time.monotonic() < end:
                one.poll(0.05)
                if second:
                    two.poll(0.05)
                if len(one.assignment()) == first and (
                    not second or len(two.assignment()) == second
                ):
                    return
            raise AssertionError(f"{first} and {second} partitions, found {one.assignment()}")

        sizes(4, 0)
        two.subscribe([topic])
        sizes(2, 2)
        two.close()
        sizes(4, 0)
        one.close()
        return "4, 2 + 2, 4 partitions"

    def positions(self):
        topic = "confluent-none"
        consumer = self.consumer("confluent-positions")
        try:
            equal((0, 300), consumer.get_watermark_offsets(TopicPartition(topic, 1), 10), "marks")
            times = consumer.offsets_for_times(
                [TopicPartition(topic, 1, YESTERDAY_MS + 450)], timeout=10
            )
            equal(150, times[0].offset, "offset for a time")
            consumer.assign([TopicPartition(topic, 1, 290)])
            equal(290, self.read(consumer, 10)[1][0][0], "first offset read")
        finally:
            consumer.close()

    def admin_topics(self):
        topic = "confluent-admin"
        self.create(topic, 2, {"retention.ms": "3600000"})
        try:
            self.create(topic, 2)
            raise AssertionError("created twice")
        except KafkaException as error:
            equal(KafkaError.TOPIC_ALREADY_EXISTS, error.args[0].code(), "error")
        self.admin.create_partitions([NewPartitions(topic, 5)])[topic].result(WAIT_S)
        eventually(
            lambda: equal(
                5,
                len(self.admin.list_topics(topic, timeout=10).topics[topic].partitions),
                "partitions",
            )
        )

    def admin_configs(self):
        resource = ConfigResource(ConfigResource.Type.TOPIC, "confluent-admin")

        def value(key):
            answer = self.admin.describe_configs([resource])
            return next(iter(answer.values())).result(WAIT_S)[key].value

        equal("3600000", value("retention.ms"), "retention.ms")
        changed = ConfigResource(
            ConfigResource.Type.TOPIC, "confluent-admin", set_config={"segment.ms": "60000"}
        )
        next(iter(self.admin.alter_configs([changed]).values())).result(WAIT_S)
        eventually(lambda: equal("60000", value("segment.ms"), "segment.ms"))
        eventually(lambda: equal("604800000", value("retention.ms"), "retention.ms, not named"))

    def admin_cluster(self):
        metadata = self.admin.list_topics(timeout=10)
        equal(1, len(metadata.brokers), "brokers")
        if not metadata.cluster_id:
            raise AssertionError("no cluster id")

    def admin_delete(self):
        self.admin.delete_topics(["confluent-admin"])["confluent-admin"].result(WAIT_S)

        def gone():
            if "confluent-admin" in self.admin.list_topics(timeout=10).topics:
                raise AssertionError("still there")

        eventually(gone)


def run(bootstrap):
    version = f"{confluent_kafka.version()[0]}/{confluent_kafka.libversion()[0]}"
    cases = Cases(f"confluent {version}")
    client = Confluent(bootstrap)
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        cases.run(
            f"produce compression={codec}",
            lambda codec=codec: client.round_trip(codec, **{"compression.type": codec}),
        )
    for acks in ("0", "1", "all"):
        cases.run(
            f"produce acks={acks}",
            lambda acks=acks: client.round_trip(f"acks-{acks}", acks=acks),
        )
    cases.run(
        "produce idempotent",
        lambda: client.round_trip("idempotent", **{"enable.idempotence": True}),
    )
    cases.run("consumer positions", client.positions)
    cases.run("group commits and resumes", client.resume)
    cases.run("group of two members", client.two_members)
    cases.run("admin topics", client.admin_topics)
    cases.run("admin configs", client.admin_configs)
    cases.run("admin cluster", client.admin_cluster)
    cases.run("admin delete topic", client.admin_delete)


main(run)
