"""Waits until a broker answers a Metadata request.

usage: probe.py HOST PORT SECONDS [PID]

Ends with 0 at the first answer, with 1 after SECONDS or when the process PID has gone.
"""

import os
import socket
import struct
import sys
import time

# Metadata v4: all topics (null array), no auto-creation; client id "probe".
BODY = struct.pack(">hhih5s", 3, 4, 7, 5, b"probe") + struct.pack(">iB", -1, 0)


def answers(host, port):
    with socket.create_connection((host, port), timeout=1) as connection:
        connection.settimeout(5)
        connection.sendall(struct.pack(">i", len(BODY)) + BODY)
        stream = connection.makefile("rb")
        header = stream.read(8)
        if len(header) < 8:
            return False
        length, correlation = struct.unpack(">ii", header)
        body = stream.read(length - 4)
        # throttle time, then the count of brokers: a node that is not ready yet names none
        return correlation == 7 and struct.unpack(">i", body[4:8])[0] > 0


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def main():
    host, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    pid = int(sys.argv[4]) if len(sys.argv) > 4 else os.getpid()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if answers(host, port):
                return 0
        except OSError:
            pass
        if gone(pid):
            print(f"probe: process {pid} has ended", file=sys.stderr)
            return 1
        time.sleep(0.03)
    print(f"probe: no answer from {host}:{port} within {seconds} s", file=sys.stderr)
    return 1


sys.exit(main())
