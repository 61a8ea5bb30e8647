"""Health data go from a journal to FHIR servers of others: one that has transactions, conditions and ETags, and one that has
none of them and names the ids. Both end equal to the journal."""

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from harness import BIN, http, seeded, tributary, until
from programs import ENVIRONMENT, needs, say, tool, version
from test_device_sync import Journal, content

ROUNDS = 6


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class HealthStores:
    """What every server shows."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tributary-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.port = free_port()
        cls.log = open(cls.folder / "log", "wb")
        cls.addClassCleanup(cls.log.close)
        process = subprocess.Popen(
            [str(argument) for argument in cls.command()], cwd=cls.folder, stdin=subprocess.DEVNULL, stdout=cls.log,
            stderr=cls.log, env=ENVIRONMENT)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)

        def answers():
            try:
                return http("GET", f"{cls.base()}/metadata").status == 200
            except OSError:
                return False

        until(answers, "the server answers")

    def sync(self, *more, status=0):
        return tributary("device", "sync", "--store", self.store, "--source", self.journal.path, "--to",
                         f"fhir={self.base()}", "--subject", "p1", *more, "--json", status=status)

    def in_step(self):
        for _ in range(100):
            report = self.sync().json
            if not report["more"]:
                return report
        self.fail("there is always more")

    def observations(self):
        bundle = http("GET", f"{self.base()}/Observation?_count=1000").json
        return [entry["resource"] for entry in bundle.get("entry", [])]

    def check(self):
        found = self.observations()
        for item in found:  # a decimal may be written with its zeros
            if "valueQuantity" in item:
                item["valueQuantity"]["value"] = float(item["valueQuantity"]["value"])
        self.assertEqual(sorted(map(content, found)), self.journal.content)

    def test_the_server_ends_equal_to_the_journal(self):
        random = seeded()
        self.store = self.folder / "phone"
        self.journal = Journal(self.folder / "journal.ndjson")
        midway = 0
        for _ in range(ROUNDS):
            for _ in range(15):
                self.journal.change(random)
            process = subprocess.Popen(
                [str(BIN), "device", "sync", "--store", str(self.store), "--source", str(self.journal.path), "--to",
                 f"fhir={self.base()}", "--subject", "p1", "--samples", str(random.randrange(5, 40))],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.05, 0.6))
            process.send_signal(signal.SIGKILL)
            midway += process.wait() == -signal.SIGKILL
        self.in_step()
        self.check()
        say(f"{midway} of {ROUNDS} were killed before their end; {len(self.journal.content)} Observations")
        # A hospital changes one; what the device forgot and brings again is found by its identifiers.
        subprocess.run(["rm", "-r", str(self.store / "health-sync")], check=True)
        self.in_step()
        self.check()


@needs("sekmet-fhir")
class Sekmet(HealthStores, unittest.TestCase):
    @classmethod
    def base(cls):
        return f"http://127.0.0.1:{cls.port}/fhir"

    @classmethod
    def command(cls):
        say(f"sekmet-fhir {version('sekmet-fhir')}")
        return [tool("sekmet"), "serve", "--host", "127.0.0.1", "--port", cls.port]


@needs("fhirstarter")
class FHIRStarter(HealthStores, unittest.TestCase):
    @classmethod
    def base(cls):
        return f"http://127.0.0.1:{cls.port}"

    @classmethod
    def command(cls):
        say(f"fhirstarter {version('fhirstarter')}")
        return [sys.executable, "-W", "ignore", Path(__file__).with_name("fhirstarter_app.py"), cls.port]


if __name__ == "__main__":
    unittest.main()
