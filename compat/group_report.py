"""Tells who got what when one of two members of a group was killed, and checks it.

usage: group_report.py ONE TWO COMMITTED KILLED_AT_MS

ONE and TWO are the outputs of the two members (see GroupMember), COMMITTED the committed and end
offsets of each partition. Nothing may be missing; what comes twice may only be what the dead member
had read and not committed; the survivor goes on exactly at the committed offset.
"""

import sys

POLL_RECORDS = 20  # a member commits after each poll of at most so many records


def parse(path):
    got, assigned = [], []
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[:1] == ["got"]:
            got.append((int(words[1]), int(words[3]), int(words[4])))
        elif words[:1] == ["assigned"]:
            assigned.append((int(words[1]), words[3] if len(words) > 3 else ""))
    return got, assigned


def main():
    one, assigned_one = parse(sys.argv[1])
    two, assigned_two = parse(sys.argv[2])
    committed = {}
    for line in open(sys.argv[3], encoding="utf-8"):
        words = line.split()
        if words[:1] == ["committed"]:
            committed[int(words[1])] = (int(words[2]), int(words[3]))
    killed_at = int(sys.argv[4])
    problems = []

    for partition, (offset, end) in sorted(committed.items()):
        if offset != end:
            problems.append(f"partition {partition}: committed {offset}, end {end}")
        seen = {o for _, p, o in one + two if p == partition}
        missing = set(range(end)) - seen
        if missing:
            problems.append(f"partition {partition}: nobody got {sorted(missing)[:5]} ...")
    for name, got in (("one", one), ("two", two)):
        for partition in committed:
            offsets = [o for _, p, o in got if p == partition]
            if offsets != sorted(set(offsets)):
                problems.append(f"{name} got partition {partition} out of order or twice")
    twice = {(p, o) for _, p, o in one} & {(p, o) for _, p, o in two}
    for partition in committed:
        count = sum(1 for p, _ in twice if p == partition)
        if count > POLL_RECORDS:
            problems.append(f"partition {partition}: {count} records came to both")

    takeover = [at for at, partitions in assigned_two if partitions == "0,1,2,3" and at > killed_at]
    if not takeover:
        problems.append("two never got all partitions")
        took = float("nan")
    else:
        took = (takeover[-1] - killed_at) / 1000
    before = [partitions for at, partitions in assigned_one if at <= killed_at][-1:]
    print(
        f"detail: one got {len(one)}, two {len(two)}, both {len(twice)}; one had {before},"
        f" two took over {took:.1f} s after the kill (session timeout 6 s)"
    )
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
