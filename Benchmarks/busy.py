"""The time from a device's POST to its acknowledgement while the consumer is idle, and while it works."""

import os
import statistics

from measuring import RUNS, say

import harness
from devices import Devices
from health import generated

SECONDS = 10
# The work of the consumer: more than it can finish in that time.
RECORDS = int(os.environ.get("TRIBUTARY_BENCH_BACKLOG", "400000"))


def waiting(study):
    return study.queue_number("SELECT count(*) FROM submission WHERE status = 'received'")


def busy(work):
    """(m) The 99th percentile with an idle consumer as a share of that with a busy one, each a process of its own."""
    return _measured(work, ["receiver"], ["consumer"])


def busy_together(work):
    """(n) The same with receiver and consumer in one process."""
    return _measured(work, ["receiver,consumer,records"])


def _measured(work, *processes):
    export = generated(work, RECORDS)
    idle, working, sent = [], [], 0
    for _ in range(RUNS):
        study = harness.Study()
        try:
            servers = [study.serve("--roles", *roles) for roles in processes]
            receiver = servers[0]
            devices = Devices(study, receiver, pause=0.25, seconds=SECONDS, rounds=2)
            sender = study.device(receiver)
            sender.consent()
            sender.health(export)
            first, _ = devices.percentile99()
            harness.until(lambda: waiting(study) == 0, "the consumer has processed all submissions")
            # Sealed submissions are sent many times as fast as the consumer processes them.
            sender.send()
            before = waiting(study)
            second, count = devices.percentile99()
            if waiting(study) == 0:
                raise AssertionError("the consumer ended before the devices: increase TRIBUTARY_BENCH_BACKLOG")
            say(f"   p99 {first * 1000:.1f} ms with an idle consumer, {second * 1000:.1f} ms with a busy one "
                f"({before} waiting, {count} sent)")
            idle.append(first)
            working.append(second)
            sent += devices.sent
            for server in servers:
                server.stop()
        finally:
            study.close()
    times = statistics.median(second / first for first, second in zip(idle, working))
    return {"ratio": round(1 / times, 3), "times": round(times, 2), "sent": sent,
            "idleP99Seconds": [round(value, 4) for value in idle],
            "busyP99Seconds": [round(value, 4) for value in working]}
