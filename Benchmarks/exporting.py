"""The cost of a bulk export: all resources of a store through `$export`, against the sqlite3 shell that selects them from a copy
whose contents are not compressed."""

import os
import re
import sqlite3
import statistics
import subprocess
import time

from measuring import RUNS, quotient, timed

import harness
from exporting_client import Export
from health import generated
from stored_contents import plain

EXPORTED = int(os.environ.get("TRIBUTARY_BENCH_EXPORTED", "1000000"))


def exporting(work):
    """(x) `$export` of a million Observations, from the request to the manifest, against `sqlite3` selecting the same
    contents from an uncompressed copy; with the peak memory of the server."""
    study = harness.Study(forms=False)
    try:
        harness.tributary("health", "load", study.dir, generated(work, EXPORTED), "--participant", "p1", timeout=None)
        copy, count = _uncompressed(study, work / "uncompressed.sqlite")
        server = study.serve()
        token = study.staff_token()
        ours, theirs = [], []
        for turn in range(RUNS + 1):
            first, found = _exported(server, token)
            second = timed(lambda: subprocess.run(
                ["sqlite3", copy, "SELECT content FROM uncompressed"], check=True, stdout=subprocess.DEVNULL))
            if found != count:
                raise AssertionError(f"{found} of {count} resources were exported")
            if turn:  # The first turn warms the file cache.
                ours.append(first)
                theirs.append(second)
        status = open(f"/proc/{server.process.pid}/status").read()
        return {**quotient(ours, theirs), "resources": count, "perSecond": round(count / statistics.median(ours)),
                "mostMegabytes": round(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024)}
    finally:
        study.close()


def _uncompressed(study, copy):
    """A file of only the present contents, each as received."""
    connection = sqlite3.connect(copy)
    connection.create_function("plain", 1, plain, deterministic=True)
    connection.execute("ATTACH ? AS store", [str(study.database)])
    connection.execute("CREATE TABLE uncompressed (content TEXT)")
    connection.execute("INSERT INTO uncompressed SELECT CAST(plain(v.content) AS TEXT) FROM store.record r "
                       "JOIN store.record_version v ON v.number = r.number AND v.version = r.version ORDER BY r.number")
    connection.commit()
    count = connection.execute("SELECT count(*) FROM uncompressed").fetchone()[0]
    connection.close()
    return copy, count


def _exported(server, token):
    begin = time.perf_counter()
    export = Export(server, token)
    manifest = export.done()
    seconds = time.perf_counter() - begin
    count = sum(file["count"] for file in manifest["output"])
    export.request("DELETE", export.status_url)
    return seconds, count
