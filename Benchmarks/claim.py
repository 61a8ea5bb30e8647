"""The cost of the queue on a server: leasing and settling, against the same statements sent by pgbench."""

import os
import statistics

from measuring import PROGRAMS, RUNS, printed, quotient

import harness
from stores import QUEUE, Script, database, number, psql, sent, tidied, transactions

# As many as the consumer leases at a time, each of another device.
BATCH = 16
SUBMISSIONS = int(os.environ.get("TRIBUTARY_BENCH_SUBMISSIONS", "8192")) // BATCH * BATCH
# The first number of each kind, so that a value shows its kind.
FIRST, CHANGE, LEASE = 1_000_001, 500_000_000, 700_000_000
CAPTURED = 8

FILL = f"""
TRUNCATE submission, submission_body;
UPDATE queue_state SET change = {CHANGE}, lease = {LEASE};
INSERT INTO submission (number, client_id, lane, submission_id, digest, format, sequence, size, received_at, status,
    changed_at, change)
SELECT n, 'client-' || mod(n, {BATCH}), 'lane-' || mod(n, {BATCH}), gen_random_uuid()::text, repeat(md5(n::text), 2), 'jwe', n,
    1504, '2026-01-01T00:00:00.000Z', 'received', '2026-01-01T00:00:00.000Z', n
FROM generate_series({FIRST}, {FIRST} + %d - 1) n;
INSERT INTO submission_body (number, body)
SELECT n, decode(repeat(md5(n::text), 94), 'hex') FROM generate_series({FIRST}, {FIRST} + %d - 1) n;
"""


def claim(work):
    """(o) Batches leased and settled by the queue, against pgbench with the same statements in the same order and
    transactions, prepared too."""
    study = harness.Study(forms=False, queue_url=database())
    url = study.queue_url
    try:
        script = _script(url)
        ours, theirs = [], []
        for run in range(RUNS + 1):
            _fill(url, SUBMISSIONS)
            first = _settle(url, SUBMISSIONS)
            _fill(url, SUBMISSIONS)
            second = script.seconds(url, QUEUE, work, 1, SUBMISSIONS // BATCH, first=FIRST - BATCH)
            _require_settled(url, SUBMISSIONS)
            if run:
                ours.append(first)
                theirs.append(second)
    finally:
        study.close()
    return {**quotient(ours, theirs), "submissions": SUBMISSIONS, "batch": BATCH,
            "submissionsPerSecond": round(SUBMISSIONS / statistics.median(ours))}


def _fill(url, count):
    psql(url, FILL % (count, count), QUEUE)
    tidied(url)


def _settle(url, count):
    done = printed(PROGRAMS / "QueueSpeed", url, BATCH)
    if done["submissions"] != count:
        raise AssertionError(f"{done['submissions']} submissions were settled, not {count}")
    _require_settled(url, count)
    return done["seconds"]


def _require_settled(url, count):
    """Whether each was settled once, and lost its body."""
    stored = number(url, f"SELECT count(*) FROM submission WHERE status = 'stored' AND change > {CHANGE} AND begun = 0", QUEUE)
    changes = number(url, "SELECT count(DISTINCT change) FROM submission", QUEUE)
    bodies = number(url, "SELECT count(*) FROM submission_body", QUEUE)
    if (stored, changes, bodies) != (count, count, 0):
        raise AssertionError(f"{stored} submissions are stored with {changes} changes and {bodies} bodies, not {count}")


def _script(url):
    """The statements of the queue for one batch: of several, one with the usual number of transactions."""
    _fill(url, BATCH * CAPTURED)
    sequence = transactions(sent(url, lambda: _settle(url, BATCH * CAPTURED)))
    batches = []
    for transaction in sequence:
        texts = [text for text, _ in transaction]
        if any(text.startswith("SELECT 1 AS one FROM submission WHERE status") for text in texts):
            batches.append([])
        if batches:
            batches[-1].append(transaction)
    # The last one is empty.
    batches = batches[:CAPTURED]
    middle = statistics.median_low(len(batch) for batch in batches)
    index = next(index for index, batch in enumerate(batches) if index and len(batch) == middle)
    first = FIRST + index * BATCH

    def variable(value):
        if not value.isdigit():
            return None
        if first <= int(value) < first + BATCH:
            return f"number{int(value) - first}"
        if int(value) > LEASE:
            return "lease_value"
        return "change_value" if int(value) > CHANGE else None

    def kept(text):
        return next((f"{name}_" for name in ("change", "lease") if text.startswith(f"UPDATE queue_state SET {name}")), None)

    before = [f"\\set first :first + {BATCH}", *(f"\\set number{index} :first + {index}" for index in range(BATCH))]
    return Script([statement for transaction in batches[index] for statement in transaction], "\n".join(before), variable,
                  kept)
