"""The method of all figures: ours and a reference take turns, and the median of the quotients is reported."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "Integration"))

PROGRAMS = Path(os.environ["TRIBUTARY_BENCH"])
RUNS = int(os.environ.get("TRIBUTARY_BENCH_RUNS", "5"))


def say(text):
    print(text, file=sys.stderr, flush=True)


def timed(body):
    begin = time.perf_counter()
    body()
    return time.perf_counter() - begin


def quotient(ours, theirs):
    """Our speed as a share of theirs, from times of the same work: 1 is as fast, 0.5 half as fast."""
    return {"ratio": round(statistics.median(t / o for o, t in zip(ours, theirs)), 3),
            "oursSeconds": [round(value, 4) for value in ours], "referenceSeconds": [round(value, 4) for value in theirs]}


def printed(*command):
    return json.loads(subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE).stdout)


def compare(expressions, ours, theirs, values, reference):
    """The speed of each expression as a multiple of the reference, from several runs of both. Both must find the same values."""
    rows = []
    for index, expression in enumerate(expressions):
        if ours[0][index][values] != theirs[0][index][values]:
            raise AssertionError(f"{expression}: other values than {reference}")
        each = statistics.median(t[index]["seconds"] / o[index]["seconds"] for o, t in zip(ours, theirs))
        rows.append({"expression": expression, "times": round(each, 1),
                     "microseconds": round(statistics.median(o[index]["seconds"] for o in ours) * 1e6, 2)})
    return {"ratio": round(statistics.geometric_mean(row["times"] for row in rows), 1),
            "least": min(row["times"] for row in rows), "expressions": rows}
