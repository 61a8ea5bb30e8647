#!/usr/bin/env python3
"""Prints the slowest suites, from the events that `swift test --event-stream-output-path FILE` writes.

    Scripts/slowest-suites.py FILE [COUNT]

The time of a suite is the sum of the times of its test cases: a case that waits for a thread has not started.
"""

import collections
import json
import sys


def main():
    path, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    started, seconds = {}, collections.Counter()
    for line in open(path, encoding="utf-8"):
        try:
            event = json.loads(line)
        except ValueError:
            continue  # The last line of a run that was stopped.
        event = event.get("payload", {}) if event.get("kind") == "event" else {}
        test, case = event.get("testID"), (event.get("_testCase") or {}).get("id")
        instant = (event.get("instant") or {}).get("absolute")
        if test is None or instant is None:
            continue
        if event.get("kind") == "testCaseStarted":
            started[test, case] = instant
        elif event.get("kind") == "testCaseEnded" and (test, case) in started:
            seconds[suite(test)] += instant - started.pop((test, case))
    for name, time in seconds.most_common(count):
        print(f"{time:7.1f} s {name}")


def suite(test):
    """The module and the suite of a test's identifier, `Module.Suite/test()/File.swift:1:2`."""
    return test.split("/")[0]


if __name__ == "__main__":
    main()
