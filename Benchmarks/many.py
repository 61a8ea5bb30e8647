"""The cost of a record as a store grows."""

import os
import shutil
import statistics

from measuring import RUNS, say, timed

import harness
from health import LOADED, generated

MANY = int(os.environ.get("TRIBUTARY_BENCH_MANY", "5000000"))


def many(work):
    """(v) The cost of a record in a load of five million, as a multiple of one in a load of a hundred thousand, each into a
    new store (`times`, at most 1.2; `--rebuild-indexes`), and the same for a record that is loaded later into either store,
    by turns (`timesAdded`). It takes 15 GB of disk and a quarter of an hour, so it runs only if it is named:
    `Benchmarks/run.sh many`."""
    export = generated(work, LOADED)
    small, large = harness.Study(forms=False), harness.Study(forms=False)
    ours, theirs, first = [], [], []
    try:
        for run in range(RUNS):
            if run:
                small.close()
                small = harness.Study(forms=False)
            first.append(timed(lambda: _load(small, export, "p0", "--rebuild-indexes")))
        whole = generated(work, MANY)
        seconds = timed(lambda: _load(large, whole, "p0", "--rebuild-indexes"))
        whole.unlink()
        sizes = [study.number("SELECT count(*) FROM record") for study in (small, large)]
        say(f"   {sizes[1]} resources in {seconds:.0f} s, {sizes[0]} in the small store")
        kept = work / "small.sqlite"
        shutil.copy(small.database, kept)
        added = set()
        for run in range(RUNS + 1):
            # The small store has the same size each time.
            for end in ("", "-wal", "-shm"):
                (small.database.parent / (small.database.name + end)).unlink(missing_ok=True)
            shutil.copy(kept, small.database)
            times = []
            for study in (large, small):
                before = study.number("SELECT count(*) FROM record")
                times.append(timed(lambda: _load(study, export, f"p{run + 1}")))
                added.add(study.number("SELECT count(*) FROM record") - before)
            if run:
                ours.append(times[0])
                theirs.append(times[1])
        if len(added) != 1 or min(added) < LOADED / 2:
            raise AssertionError(f"the loads added {added} resources")
    finally:
        small.close()
        large.close()
    few, whole = statistics.median(first) / sizes[0], seconds / sizes[1]
    return {"ratio": round(few / whole, 3), "times": round(whole / few, 3), "microseconds": round(whole * 1e6, 1),
            "microsecondsOfFew": round(few * 1e6, 1),
            "timesAdded": round(statistics.median(o / t for o, t in zip(ours, theirs)), 3), "added": added.pop(),
            "resources": sizes}


def _load(study, export, participant, *options):
    harness.tributary("health", "load", study.dir, export, "--participant", participant, *options, timeout=None)
