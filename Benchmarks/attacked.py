"""The time from a device's POST to its acknowledgement, without attacks and during attacks from other addresses of loopback."""

import json
import os
import subprocess
import sys
import time

from measuring import ROOT, say

import harness
import sealed
from devices import Devices

SECONDS = float(os.environ.get("TRIBUTARY_BENCH_ATTACK_SECONDS", "10"))
LARGE = 8 << 20
SOURCE = "127.0.0.2"


def attack(server, name, *options):
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "attacks", name, "--port", str(server.port), "--seconds", str(SECONDS + 4),
         "--source", SOURCE, *options],
        cwd=ROOT / "Tests" / "Integration", stdout=subprocess.PIPE)


def attacked(work):
    """(k) The 99th percentile without an attack as a share of the worst one during an attack."""
    study = harness.Study()
    try:
        server = study.serve("--roles", "receiver,records")
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
        devices = Devices(study, server, pause=0.5, seconds=SECONDS, rounds=len(attacks) + 1)
        alone, _ = devices.percentile99()
        found = {}
        for name, options in attacks.items():
            running = attack(server, *options)
            time.sleep(1)
            seconds, count = devices.percentile99()
            counts = json.loads(running.communicate(timeout=60)[0])
            found[name] = {"p99Seconds": round(seconds, 4), "sent": count, "attack": counts}
            say(f"   {name}: p99 {seconds * 1000:.0f} ms (alone {alone * 1000:.0f} ms), {count} sent, {json.dumps(counts)}")
        stored = study.queue_number("SELECT count(*) FROM submission")
        if stored != devices.sent:
            raise AssertionError(f"{stored} submissions are stored, not {devices.sent}")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
        server.stop()
        worst = max(one["p99Seconds"] for one in found.values())
        return {"ratio": round(alone / worst, 3), "aloneP99Seconds": round(alone, 4), "attacks": found,
                "peakMegabytes": round(peak)}
    finally:
        study.close()
