"""What the two Python programs share: running cases and printing one line for each."""

import sys
import time
import traceback

# Older records would fall to the retention of a week.
YESTERDAY_MS = int(time.time() * 1000) - 86_400_000


class Cases:
    """Runs functions as cases; the lines are those that compat/lib.sh collects."""

    def __init__(self, client):
        self.client = client

    def run(self, name, body):
        began = time.monotonic()
        try:
            result, detail = "ok", body() or ""
        except Exception as error:  # noqa: BLE001 - a failed case must not stop the next one
            traceback.print_exc()
            result, detail = "FAIL", " ".join(repr(error).split())[:300]
        seconds = f"{time.monotonic() - began:.1f}"
        print("CASE", self.client, name, result, seconds, detail, sep="\t", flush=True)


def equal(expected, found, what):
    if expected != found:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def eventually(check, seconds=10):
    """Repeats a check until it passes: clusters answer before a change is seen everywhere."""
    end = time.monotonic() + seconds
    while True:
        try:
            return check()
        except Exception:  # noqa: BLE001
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def records(count):
    """(partition, key, value, timestamp, headers) of records with and without each of them."""
    for i in range(count):
        yield (
            i % 3,
            None if i % 4 == 0 else f"key-{i}".encode(),
            None if i % 7 == 0 and i % 4 != 0 else f"value number {i} ".encode() * (1 + i % 5),
            YESTERDAY_MS + i,
            [("trace", f"t-{i}".encode()), ("empty", b"")] if i % 2 == 0 else [],
        )


def compare(sent, found):
    """`found` is a dict of lists by partition with tuples (offset, key, value, ts, headers)."""
    position = {}
    for partition, key, value, timestamp, headers in sent:
        index = position.get(partition, 0)
        position[partition] = index + 1
        equal((index, key, value, timestamp, headers), found[partition][index], "record")
    equal(sum(position.values()), sum(len(p) for p in found.values()), "records in all")


def main(program):
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} BOOTSTRAP")
    program(sys.argv[1])
