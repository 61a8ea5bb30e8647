"""A journal of health data goes to FHIR servers and to an event hub: the study's own records and gateway here; servers of others
are in Tests/Programs."""

import json
import os
import signal
import subprocess
import time
import uuid

from harness import BIN, SpineTest, http, seeded, tributary, until
from test_device_sync import HEART, SLEEP, STEPS, Journal, content

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))


class Servers(SpineTest):
    @classmethod
    def prepare(cls):
        tributary("devices", "templates", "-o", cls.study.dir / "devices")

    def setUp(self):
        self.device = self.member()
        self.journal = Journal(self.study.root / f"journal-{uuid.uuid4()}.ndjson")
        self.token = self.device.write(b"", ".token")
        self.renew()
        self.fhir = ("--to", f"fhir={self.server.url}/fhir", "--token", self.token)

    def renew(self):
        done = tributary(
            "token", "create", self.study.dir, "--scope", "patient/Observation.cruds patient/Device.cruds",
            "--patient", self.device.participant)
        self.token.write_text(done.text)

    def sync(self, *more, status=0):
        return self.device.run("sync", "--source", self.journal.path, *more, status=status)

    def in_step(self, *more):
        for _ in range(200):
            report = self.sync(*more).json
            if not report["more"]:
                return report
        self.fail("there is always more")

    def records(self, participant=None):
        staff = {"Authorization": "Bearer " + self.study.staff_token()}
        url = f"{self.server.url}/fhir/Observation?subject=Patient/{participant or self.device.participant}&_count=200"
        found = []
        while url:
            page = http("GET", url, staff).json
            found += [entry["resource"] for entry in page.get("entry", [])]
            url = next((link["url"] for link in page["link"] if link["relation"] == "next"), None)
        return found

    def check(self):
        self.assertEqual(sorted(map(content, self.records())), self.journal.content)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])

    def test_records_end_equal_to_the_journal(self):
        names = [self.journal.add(HEART, 60 + number, number) for number in range(30)]
        self.journal.add(HEART, 60, 0)  # equal content
        self.journal.add(SLEEP, 3, 20)
        report = self.in_step(*self.fhir)
        self.assertEqual({row["store"] for row in report["streams"]}, {f"fhir={self.server.url}/fhir"})
        self.check()
        for name in names[:3]:
            self.journal.delete(name)
        self.journal.add(HEART, 99, 2)
        self.in_step(*self.fhir)
        self.check()
        # What the outbox brings is the same resource.
        self.in_step("--to", "outbox")
        self.device.send()
        self.device.settled(120)
        self.check()
        # An ended token keeps all that is left, and names why.
        self.token.write_text("ended")
        self.journal.add(HEART, 100, 3)
        refused = self.sync(*self.fhir, status=1)
        self.assertTrue(refused.json["more"])
        self.renew()
        self.in_step(*self.fhir)
        self.check()
        status = self.device.run("sync-status").json
        self.assertNotIn(self.token.read_text().strip(), json.dumps(status))

    def test_a_token_that_may_not_write_is_reported_as_such_and_nothing_is_set_aside(self):
        done = tributary("token", "create", self.study.dir, "--scope", "patient/Observation.rs patient/Device.rs",
                         "--patient", self.device.participant)
        self.token.write_text(done.text)
        self.journal.add(HEART, 61, 0)
        refused = self.sync(*self.fhir, status=1)
        self.assertIn("the token may not write (403)", refused.errors)
        self.assertEqual({row["code"] for row in refused.json["streams"]}, {"token-may-not-write"})
        self.assertEqual({row["quarantined"] for row in refused.json["streams"]}, {0})
        self.renew()
        self.in_step(*self.fhir)
        self.check()

    def test_killed_at_random_instants_records_have_everything_once(self):
        random = seeded()
        began = time.monotonic()
        self.journal.add(HEART, 1, 0)
        self.in_step(*self.fhir)
        usual = time.monotonic() - began
        midway = 0
        for _ in range(ROUNDS):
            for _ in range(40):
                self.journal.change(random)
            process = subprocess.Popen(
                [str(BIN), "device", "sync", "--store", str(self.device.store), "--source", str(self.journal.path),
                 *map(str, self.fhir), "--samples", str(random.randrange(5, 60))],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.3, 1.5) * usual)
            process.send_signal(signal.SIGKILL)
            midway += process.wait() == -signal.SIGKILL
        print(f"  {midway} of {ROUNDS} were killed before their end")
        self.in_step(*self.fhir)
        self.check()

    def test_the_studys_gateway_is_a_hub(self):
        participant = self.device.participant
        tributary("devices", "register", self.study.dir, "--device", f"org.tributary.device.{participant}",
                  "--participant", participant)
        connection = self.device.write(tributary(
            "devices", "key", self.study.dir, "--hub", f"phones-{uuid.uuid4().hex[:8]}", "--url",
            self.server.url).text.encode(), ".hub")
        self.journal.add(HEART, 61, 0)
        self.journal.add(HEART, 62, 1)
        self.journal.add(STEPS, 100, 5)
        self.journal.add(SLEEP, 3, 6)
        self.in_step("--to", f"hub=@{connection}")

        def status():
            return tributary("devices", "status", self.study.dir, "--json").json

        until(lambda: status()["pending"] == 0, "the messages are worked on")
        self.assertEqual([(item["code"], item["device"]) for item in status()["quarantined"]], [])
        found = {item["code"]["text"]: item for item in self.records()}
        self.assertEqual(set(found), {"HeartRate", "StepCount", "SleepAnalysis-3"})
        self.assertEqual([value for value in found["HeartRate"]["valueSampledData"]["data"].split() if value != "E"],
                         ["61", "62"])
        self.assertEqual(found["StepCount"]["valueQuantity"]["value"], 100)
        self.assertEqual(found["SleepAnalysis-3"]["valueCodeableConcept"]["coding"][0]["code"],
                         "HKCategoryValueSleepAnalysisAsleepCore")
        # A deletion is taken, and nothing is quarantined for it.
        for name in list(self.journal.samples):
            self.journal.delete(name)
        report = self.in_step("--to", f"hub=@{connection}")
        self.assertEqual(sum(row["deleted"] for row in report["streams"]), 4)
        until(lambda: status()["pending"] == 0, "the deletions are worked on")
        self.assertEqual(status()["quarantined"], [])
        for item in found.values():
            done = tributary("fhir", "validate", self.device.write(item), "--json").json
            problems = [issue for issue in done["issues"] if issue["severity"] in ("error", "fatal")] \
                if isinstance(done, dict) and "issues" in done else []
            self.assertEqual(problems, [])
        refused = self.sync("--to", "hub=Endpoint=sb://x/;SharedAccessKey=secret", status=1)
        self.assertNotIn("secret", refused.errors)
        self.sync("--to", "fhir=http://example.org/fhir", status=64)


if __name__ == "__main__":
    import unittest
    unittest.main()
