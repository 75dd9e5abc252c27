"""Attacks a broker in many small ways while a normal client goes on working.

usage: hostile.py HOST:PORT PID

After a first round that warms the broker up, its resident memory must stay flat over many more
rounds. All traffic goes to the given address on this machine, in a bounded number of rounds.
"""

import os
import random
import socket
import struct
import sys
import threading
import time

from confluent_kafka import Consumer, Producer

from cases import Cases

WARM_UP_ROUNDS = 40
ROUNDS = 150
GROWTH_MAX_MIB = 48
DEADLINE_S = 60
CLOSE_S = 20

HOST, PORT = sys.argv[1].rsplit(":", 1)
PORT = int(PORT)
PID = int(sys.argv[2])


def rss_mib():
    with open(f"/proc/{PID}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) // 1024
    raise RuntimeError("no VmRSS")


def connect():
    connection = socket.create_connection((HOST, PORT), timeout=CLOSE_S)
    connection.settimeout(CLOSE_S)
    return connection


def request(api, version, body=b"", correlation=1, client=b"hostile"):
    head = struct.pack(">hhih", api, version, correlation, len(client)) + client
    return struct.pack(">i", len(head) + len(body)) + head + body


API_VERSIONS = request(18, 0, correlation=99)

# Bytes after which the broker must close the connection without an answer.
CLOSED = {
    "HTTP GET": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS hello": bytes.fromhex("16030100200100001c0303") + bytes(26),
    "negative length": struct.pack(">i", -1) + b"x" * 100,
    "length 2 GiB": struct.pack(">i", 0x7FFFFFFF) + b"x" * 100,
    "length 3": struct.pack(">i", 3) + b"abc",
    "unknown api": request(999, 0),
    "inter-broker api": request(4, 0),
    "unknown version": request(0, 99),
    "produce v2": request(0, 2, struct.pack(">hii", 1, 1000, 0)),
    "fetch v3": request(1, 3, bytes(20)),
    "body cut short": request(3, 1, b"\x00\x00"),
    "array of two billion": request(3, 1, struct.pack(">i", 0x7FFFFFFF)),
    "string of 32 KiB that is not there": request(3, 1, struct.pack(">ih", 1, 0x7FFF) + b"a"),
    "compact array of two billion": request(3, 9, b"\x00\xff\xff\xff\xff\x07"),
}

# Bytes after which the broker may wait for more: it must survive that we go away.
HALF = {
    "half a length": b"\x00\x00",
    "half a frame": struct.pack(">i", 1000) + b"\x00\x12\x00\x00",
    "nothing": b"",
}
CLAIM = struct.pack(">i", 90 << 20) + b"\x00\x00\x00\x09"
CLAIMS = os.environ.get("HOSTILE_CLAIMS", "1") == "1"
if CLAIMS:
    HALF["a frame of 90 MiB that never comes"] = CLAIM


def ends(connection):
    """True when the peer closes the connection, False when it answers."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def expect_closed(name, data):
    with connect() as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return
        try:
            if not ends(connection):
                raise AssertionError(f"{name}: answered")
        except socket.timeout:
            raise AssertionError(f"{name}: still open after {CLOSE_S} s") from None


def random_bytes(seed):
    data = random.Random(seed).randbytes(random.Random(seed).randrange(1, 3000))
    with connect() as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        except (BrokenPipeError, ConnectionResetError, socket.timeout):
            pass


def leave_half():
    for data in HALF.values():
        with connect() as connection:
            connection.sendall(data)


def byte_by_byte():
    with connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in API_VERSIONS:
            connection.sendall(bytes([byte]))
            time.sleep(0.002)
        header = connection.recv(8, socket.MSG_WAITALL)
        if struct.unpack(">ii", header)[1] != 99:
            raise AssertionError(f"wrong answer {header.hex()}")
    return f"{len(API_VERSIONS)} pieces"


def glued():
    with connect() as connection:
        connection.sendall(b"".join(request(18, 0, correlation=i) for i in range(50)))
        stream = connection.makefile("rb")
        for i in range(50):
            length, correlation = struct.unpack(">ii", stream.read(8))
            if correlation != i:
                raise AssertionError(f"answer {i} has correlation id {correlation}")
            stream.read(length - 4)
    return "50 requests in one segment, answered in order"


def never_reads():
    """Asks for metadata again and again and never reads an answer."""
    with connect() as connection:
        connection.settimeout(0.2)
        sent = 0
        ask = request(3, 4, struct.pack(">iB", -1, 0))
        try:
            for _ in range(5_000):
                connection.sendall(ask)
                sent += 1
        except (socket.timeout, BrokenPipeError, ConnectionResetError):
            pass
    return f"{sent} requests taken before the broker stopped reading"


class NormalClient(threading.Thread):
    """Produces one record after the other; measures how long each acknowledgement takes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.done = threading.Event()
        self.worst_ms = 0.0
        self.count = 0
        self.failures = []
        self.producer = Producer({"bootstrap.servers": f"{HOST}:{PORT}", "linger.ms": 0})

    def run(self):
        while not self.done.is_set():
            began = time.monotonic()
            self.producer.produce("undisturbed", str(self.count).encode(), on_delivery=self.delivered)
            if self.producer.flush(DEADLINE_S) != 0:
                self.failures.append("not delivered in time")
            self.worst_ms = max(self.worst_ms, (time.monotonic() - began) * 1000)
            self.count += 1
            time.sleep(0.01)

    def delivered(self, error, _):
        if error:
            self.failures.append(str(error))

    def check(self):
        self.done.set()
        self.join(DEADLINE_S)
        if self.failures:
            raise AssertionError(f"{len(self.failures)} failures, first: {self.failures[0]}")
        consumer = Consumer(
            {
                "bootstrap.servers": f"{HOST}:{PORT}",
                "group.id": "undisturbed",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe(["undisturbed"])
        values = []
        end = time.monotonic() + DEADLINE_S
        while len(values) < self.count and time.monotonic() < end:
            message = consumer.poll(0.2)
            if message is not None and not message.error():
                values.append(int(message.value()))
        consumer.close()
        if values != list(range(self.count)):
            raise AssertionError(f"{self.count} records sent, {len(values)} read or out of order")
        return f"{self.count} records, slowest acknowledgement {self.worst_ms:.0f} ms"


def one_round(number):
    for name, data in CLOSED.items():
        expect_closed(name, data)
    leave_half()
    random_bytes(number)


def flat_memory():
    for number in range(WARM_UP_ROUNDS):
        one_round(number)
    before = rss_mib()
    for number in range(ROUNDS):
        one_round(WARM_UP_ROUNDS + number)
    after = rss_mib()
    connections = ROUNDS * (len(CLOSED) + len(HALF) + 1)
    text = f"{connections} bad connections, RSS {before} -> {after} MiB"
    if after - before > GROWTH_MAX_MIB:
        raise AssertionError(text)
    return text


def many_half_open():
    """300 connections that each claim 90 MiB to come: nothing is allocated by what they claim."""
    before = rss_mib()
    connections = [connect() for _ in range(300)]
    try:
        for connection in connections:
            connection.sendall(CLAIM)
        time.sleep(1)
        after = rss_mib()
    finally:
        for connection in connections:
            connection.close()
    text = f"RSS {before} -> {after} MiB with 300 such connections"
    if after - before > GROWTH_MAX_MIB:
        raise AssertionError(text)
    return text


def main():
    cases = Cases("hostile")
    client = NormalClient()
    client.start()
    time.sleep(1)
    for name, data in CLOSED.items():
        cases.run(name, lambda name=name, data=data: expect_closed(name, data))
    cases.run("bytes one by one", byte_by_byte)
    cases.run("glued frames", glued)
    cases.run("answers that are never read", never_reads)
    cases.run("half frames left behind", leave_half)
    cases.run("memory stays flat", flat_memory)
    if CLAIMS:
        cases.run("claims of 90 MiB", many_half_open)
    cases.run("a normal client all the while", client.check)
    if not os.path.exists(f"/proc/{PID}"):
        raise SystemExit("the broker is gone")


main()
