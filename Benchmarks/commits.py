"""The cost of a commit on a server: rows that are durable one by one, against pgbench with the same statements."""

import os
import statistics

from measuring import PROGRAMS, RUNS, printed, quotient

import harness
from stores import QUEUE, Script, database, number, psql, sent, transactions

ROWS = int(os.environ.get("TRIBUTARY_BENCH_COMMITS", "4000"))
CONNECTIONS = (1, 4, 16)
TABLE = """
CREATE TABLE single_commit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer bigint NOT NULL, text text NOT NULL);
"""


def commits(work):
    """(p) One row in each transaction at 1, 4 and 16 connections, against pgbench with the same statements at the same
    number. The lock of a store's single writer is one of the statements. Also `together`: the same number of writers that
    share one connection and its grouped writer, as the requests of a receiver do, against pgbench's bare insertions."""
    study = harness.Study(forms=False, queue_url=database())
    url = study.queue_url
    figures = {}
    try:
        psql(url, TABLE, QUEUE)
        captured = transactions(sent(url, lambda: _ours(url, 1, 1, "apart")))
        one = [t for t in captured if any("single_commit" in text for text, _ in t)][-1]
        # Statements after the end belong to no transaction.
        end = next(place for place, (text, _) in enumerate(one) if text == "COMMIT")
        same = Script(one[:end + 1])
        bare = Script([statement for statement in one if "single_commit" in statement[0]])
        for connections in CONNECTIONS:
            measured = {"apart": ([], []), "together": ([], [])}
            for run in range(RUNS + 1):
                for way, script in (("apart", same), ("together", bare)):
                    first = _ours(url, connections, ROWS, way)
                    second = _theirs(url, connections, ROWS, script, work)
                    if run:
                        measured[way][0].append(first)
                        measured[way][1].append(second)
            figures[connections] = {
                **quotient(*measured["apart"]), "commitsPerSecond": round(ROWS / statistics.median(measured["apart"][0])),
                "together": {**quotient(*measured["together"]),
                             "commitsPerSecond": round(ROWS / statistics.median(measured["together"][0]))}}
    finally:
        study.close()
    return {"ratio": min(figure["ratio"] for figure in figures.values()), "rows": ROWS, "connections": figures}


def _emptied(url):
    psql(url, "TRUNCATE single_commit; CHECKPOINT;", QUEUE)


def _require(url, rows):
    found = number(url, "SELECT count(*) FROM single_commit", QUEUE)
    if found != rows:
        raise AssertionError(f"{found} rows were committed, not {rows}")


def _ours(url, connections, rows, way):
    _emptied(url)
    done = printed(PROGRAMS / "CommitSpeed", url, connections, rows, way)
    _require(url, rows // connections * connections + done["before"])
    return done["seconds"]


def _theirs(url, connections, rows, script, work):
    _emptied(url)
    seconds = script.seconds(url, QUEUE, work, connections, rows // connections)
    _require(url, rows // connections * connections)
    return seconds
