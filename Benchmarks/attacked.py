"""The time from a device's POST to its acknowledgement, without and beside attacks from other addresses of loopback."""

import base64
import json
import os
import subprocess
import sys
import threading
import time
from http.client import HTTPException

from measuring import ROOT, say

import harness
import sealed

DEVICES = 20
SECONDS = float(os.environ.get("TRIBUTARY_BENCH_ATTACK_SECONDS", "10"))
# Between two submissions of a device, and before one that was not taken is sent again.
PAUSE, AGAIN = 0.5, 0.2
LARGE = 8 << 20
SOURCE = "127.0.0.2"


def submission_id(protected):
    return json.loads(base64.urlsafe_b64decode(protected + "=" * (-len(protected) % 4)))["sid"]


def attack(server, name, *options):
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "attacks", name, "--port", str(server.port), "--seconds", str(SECONDS + 4),
         "--source", SOURCE, *options],
        cwd=ROOT / "Tests" / "Integration", stdout=subprocess.PIPE)


def acknowledged(client, sid, body):
    headers = {**client.headers, "Tributary-Submission": sid}
    try:
        answer = harness.http("POST", client.server.url + "/encfhir", headers, body, timeout=30)
    except (OSError, HTTPException):
        return False
    return answer.status == 200 and answer.json == {"status": "received", "submission": sid}


def sending(client, bodies, end, times):
    while time.monotonic() < end:
        sid, body = bodies.pop()
        begin = time.perf_counter()
        while not acknowledged(client, sid, body):
            time.sleep(AGAIN)
        times.append(time.perf_counter() - begin)
        time.sleep(PAUSE)


def percentile99(clients, bodies):
    """The 99th percentile of the seconds until a submission is acknowledged, retries and their waits included."""
    times = []
    end = time.monotonic() + SECONDS
    threads = [threading.Thread(target=sending, args=(client, bodies, end, times)) for client in clients]
    for thread in threads:
        thread.start()
        time.sleep(PAUSE / DEVICES)
    for thread in threads:
        thread.join()
    return sorted(times)[int(len(times) * 0.99)], len(times)


def attacked(work, numbered_envelopes):
    """(k) The 99th percentile without an attack as a share of the worst one beside an attack."""
    study = harness.Study()
    try:
        server = study.serve("--roles", "receiver,records")
        clients = [sealed.SealedClient(server, study) for _ in range(DEVICES)]
        stranger = sealed.SealedClient(server, study)
        token = [f"--header={name}: {value}" for name, value in stranger.headers.items()]
        attacks = {
            "idle": ["idle", "--count", "2000"],
            "slow-bodies": ["slow-bodies", "--count", "200", "--path", "/encfhir", *token],
            "large-bodies": ["large-bodies", "--count", "100", "--path", "/encfhir", "--length", str(LARGE), *token],
            "flood /register": ["flood", "--count", "4", "--path", "/register", "--method", "POST"],
            "flood /oauth": ["flood", "--count", "4", "--path", "/oauth", "--method", "POST"],
            "flood /fhir": ["flood", "--count", "4", "--path", "/fhir/Observation"],
        }
        path = work / "bodies.ndjson"
        numbered_envelopes(study, path, int(DEVICES * (len(attacks) + 1) * (SECONDS / PAUSE + 2)))
        bodies = []
        for line in path.read_text().splitlines():
            header = json.loads(line)["protected"]
            bodies.append((submission_id(header), line.encode()))
        alone, sent = percentile99(clients, bodies)
        found = {}
        for name, options in attacks.items():
            running = attack(server, *options)
            time.sleep(1)
            seconds, count = percentile99(clients, bodies)
            counts = json.loads(running.communicate(timeout=60)[0])
            found[name] = {"p99Seconds": round(seconds, 4), "sent": count, "attack": counts}
            say(f"   {name}: p99 {seconds * 1000:.0f} ms (alone {alone * 1000:.0f} ms), {count} sent, {json.dumps(counts)}")
            sent += count
        stored = study.queue_number("SELECT count(*) FROM submission")
        if stored != sent:
            raise AssertionError(f"{stored} submissions are stored, not {sent}")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
        server.stop()
        worst = max(one["p99Seconds"] for one in found.values())
        return {"ratio": round(alone / worst, 3), "aloneP99Seconds": round(alone, 4), "attacks": found,
                "peakMegabytes": round(peak)}
    finally:
        study.close()
