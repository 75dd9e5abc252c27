// Drives a broker with kafkajs.
//
//   node main.js cases BOOTSTRAP        one line per case, as compat/lib.sh collects them
//   node main.js dump BOOTSTRAP TOPIC   values of a topic with one partition, a line each
"use strict";

const assert = require("node:assert");
const { Kafka, CompressionTypes, ConfigResourceTypes, logLevel } = require("kafkajs");

const WAIT_MS = 30000;
// Older records would fall to the retention of a week.
const YESTERDAY = Date.now() - 86400000;
const [program, bootstrap, argument] = process.argv.slice(2);
const kafka = new Kafka({
  clientId: "kafkajs-compat",
  brokers: [bootstrap],
  logLevel: logLevel.ERROR,
  retry: { initialRetryTime: 50, retries: 8 },
});

const failures = [];

async function runCase(name, body) {
  const began = process.hrtime.bigint();
  let result = "ok";
  let detail;
  try {
    detail = (await body()) || "";
  } catch (error) {
    result = "FAIL";
    detail = String(error).replace(/\s+/g, " ").slice(0, 300);
    failures.push(name);
    console.error(name, error);
  }
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  console.log(["CASE", "kafkajs 2.2.4", name, result, seconds.toFixed(1), detail].join("\t"));
}

async function within(promise, what, waitMs = WAIT_MS) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${waitMs} ms`)), waitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function eventually(check) {
  const end = Date.now() + 10000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

// Reads a topic in a group until `count` records have come, and returns them by partition.
async function consume(topic, groupId, count, options = {}) {
  const consumer = kafka.consumer({ groupId, sessionTimeout: 10000, heartbeatInterval: 1000, maxWaitTimeInMs: 500 });
  const byPartition = new Map();
  let total = 0;
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await within(
      new Promise((done, reject) => {
        // After a retriable error, such as a coordinator that still loads, it restarts by itself.
        consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error));
        consumer
          .run({
            eachMessage: async ({ partition, message }) => {
              if (!byPartition.has(partition)) byPartition.set(partition, []);
              byPartition.get(partition).push(message);
              if (options.sink) options.sink(message);
              total++;
              if (total >= count) done();
            },
          })
          .catch(reject);
      }),
      `${count} records of ${topic}`,
      options.waitMs
    );
    // What has been processed is committed when the consumer stops.
    await consumer.stop();
  } finally {
    await consumer.disconnect();
  }
  return byPartition;
}

function messages(count) {
  const list = [];
  for (let i = 0; i < count; i++) {
    list.push({
      partition: i % 3,
      key: i % 4 === 0 ? null : `key-${i}`,
      value: i % 7 === 0 ? null : `value number ${i}`,
      timestamp: String(YESTERDAY + i),
      headers: i % 2 === 0 ? { trace: `t-${i}`, list: ["a", "b"] } : {},
    });
  }
  return list;
}

async function roundTrip(admin, topic, compression, producerOptions = {}) {
  await admin.createTopics({ topics: [{ topic, numPartitions: 3 }] });
  const sent = messages(900);
  const producer = kafka.producer(producerOptions);
  await producer.connect();
  try {
    for (let i = 0; i < sent.length; i += 100) {
      await producer.send({ topic, compression, messages: sent.slice(i, i + 100) });
    }
  } finally {
    await producer.disconnect();
  }
  const found = await consume(topic, `${topic}-group`, sent.length);
  const next = [0, 0, 0];
  for (const expected of sent) {
    const message = found.get(expected.partition)[next[expected.partition]++];
    assert.strictEqual(message.offset, String(next[expected.partition] - 1));
    assert.strictEqual(message.key === null ? null : message.key.toString(), expected.key);
    assert.strictEqual(message.value === null ? null : message.value.toString(), expected.value);
    assert.strictEqual(message.timestamp, expected.timestamp);
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.map(String) : String(value),
      ])
    );
    assert.deepStrictEqual(headers, expected.headers);
  }
  return `${sent.length} records`;
}

async function twoMembers(admin) {
  const topic = "kafkajs-two-members";
  await admin.createTopics({ topics: [{ topic, numPartitions: 4 }] });
  const assignments = new Map();
  const consumers = [];
  const start = async (name) => {
    const consumer = kafka.consumer({
      groupId: "kafkajs-two",
      sessionTimeout: 10000,
      heartbeatInterval: 500,
      maxWaitTimeInMs: 500,
    });
    consumers.push(consumer);
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) =>
      assignments.set(name, payload.memberAssignment[topic] || [])
    );
    await consumer.connect();
    await consumer.subscribe({ topics: [topic] });
    await consumer.run({ eachMessage: async () => {} });
    return consumer;
  };
  const sizes = () => [...assignments.values()].map((partitions) => partitions.length).sort();
  try {
    await start("a");
    await eventually(() => assert.deepStrictEqual(sizes(), [4]));
    const second = await start("b");
    await eventually(() => assert.deepStrictEqual(sizes(), [2, 2]));
    await second.disconnect();
    assignments.delete("b");
    await eventually(() => assert.deepStrictEqual(sizes(), [4]));
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.disconnect()));
  }
  return "4, 2 + 2, 4 partitions";
}

async function resume(admin) {
  const topic = "kafkajs-resume";
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  const producer = kafka.producer();
  await producer.connect();
  const send = (from, to) =>
    producer.send({
      topic,
      messages: Array.from({ length: to - from }, (_, i) => ({ value: String(from + i) })),
    });
  try {
    await send(0, 50);
    const first = (await consume(topic, "kafkajs-resume", 50)).get(0);
    assert.strictEqual(first.length, 50);
    await send(50, 80);
    const second = (await consume(topic, "kafkajs-resume", 30)).get(0);
    assert.deepStrictEqual(
      second.map((message) => message.value.toString()),
      Array.from({ length: 30 }, (_, i) => String(50 + i))
    );
  } finally {
    await producer.disconnect();
  }
  return "50, then 30 more, none twice";
}

async function adminTopics(admin) {
  const topic = "kafkajs-admin";
  assert.strictEqual(
    await admin.createTopics({
      topics: [
        { topic, numPartitions: 2, configEntries: [{ name: "retention.ms", value: "3600000" }] },
      ],
    }),
    true
  );
  assert.strictEqual(await admin.createTopics({ topics: [{ topic }] }), false);
  assert.ok((await admin.listTopics()).includes(topic));
  await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
  await eventually(async () => {
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
    assert.strictEqual(metadata.topics[0].partitions.length, 3);
  });
}

async function adminConfigs(admin) {
  const resource = { type: ConfigResourceTypes.TOPIC, name: "kafkajs-admin" };
  const value = async (key) => {
    const answer = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ ...resource, configNames: [key] }],
    });
    return answer.resources[0].configEntries[0].configValue;
  };
  assert.strictEqual(await value("retention.ms"), "3600000");
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ ...resource, configEntries: [{ name: "segment.ms", value: "60000" }] }],
  });
  await eventually(async () => {
    assert.strictEqual(await value("segment.ms"), "60000");
    // AlterConfigs replaces: what is not named goes back to its default.
    assert.strictEqual(await value("retention.ms"), "604800000");
  });
}

async function adminOffsets(admin) {
  const topic = "kafkajs-none";
  const ends = await admin.fetchTopicOffsets(topic);
  assert.deepStrictEqual(
    ends.map((end) => [end.partition, end.low, end.high]).sort(),
    [0, 1, 2].map((partition) => [partition, "0", "300"])
  );
  const byTime = await admin.fetchTopicOffsetsByTimestamp(topic, YESTERDAY + 450);
  assert.deepStrictEqual(
    byTime.sort((a, b) => a.partition - b.partition).map((entry) => entry.offset),
    ["150", "150", "150"]
  );
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "10" }] });
  const after = await admin.fetchTopicOffsets(topic);
  assert.strictEqual(after.find((end) => end.partition === 0).low, "10");
}

async function adminGroups(admin) {
  const groupId = "kafkajs-resume";
  assert.ok((await admin.listGroups()).groups.some((group) => group.groupId === groupId));
  const described = await admin.describeGroups([groupId]);
  assert.strictEqual(described.groups[0].state, "Empty");
  const topic = "kafkajs-resume";
  const offset = async () =>
    (await admin.fetchOffsets({ groupId, topics: [topic] }))[0].partitions[0].offset;
  assert.strictEqual(await offset(), "80");
  await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: "7" }] });
  assert.strictEqual(await offset(), "7");
  await admin.resetOffsets({ groupId, topic, earliest: true });
  await admin.deleteGroups([groupId]);
  assert.ok(!(await admin.listGroups()).groups.some((group) => group.groupId === groupId));
}

async function adminCluster(admin) {
  const cluster = await admin.describeCluster();
  assert.strictEqual(cluster.brokers.length, 1);
  assert.ok(cluster.clusterId.length > 0);
}

async function adminDelete(admin) {
  await admin.deleteTopics({ topics: ["kafkajs-admin"] });
  await eventually(async () => {
    assert.ok(!(await admin.listTopics()).includes("kafkajs-admin"));
  });
}

async function cases() {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await runCase("produce and consume", () =>
      roundTrip(admin, "kafkajs-none", CompressionTypes.None)
    );
    await runCase("produce and consume gzip", () =>
      roundTrip(admin, "kafkajs-gzip", CompressionTypes.GZIP)
    );
    await runCase("produce idempotent", () =>
      roundTrip(admin, "kafkajs-idempotent", CompressionTypes.None, {
        idempotent: true,
        maxInFlightRequests: 1,
      })
    );
    await runCase("group resumes", () => resume(admin));
    await runCase("group of two members", () => twoMembers(admin));
    await runCase("admin topics", () => adminTopics(admin));
    await runCase("admin configs", () => adminConfigs(admin));
    await runCase("admin offsets and records", () => adminOffsets(admin));
    await runCase("admin groups", () => adminGroups(admin));
    await runCase("admin cluster", () => adminCluster(admin));
    await runCase("admin delete topic", () => adminDelete(admin));
  } finally {
    await admin.disconnect();
  }
}

async function dump(topic) {
  const admin = kafka.admin();
  await admin.connect();
  const [end] = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const chunks = [];
  let next = 0;
  await consume(topic, `kafkajs-dump-${Date.now()}`, Number(end.high), {
    waitMs: 150000,
    sink: (message) => {
      assert.strictEqual(message.offset, String(next++));
      chunks.push(message.value, "\n");
    },
  });
  for (const chunk of chunks) process.stdout.write(chunk);
  console.error(`detail: ${next} records`);
}

(program === "dump" ? dump(argument) : cases()).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
