"""A journal of health data goes to the study and to a file: each change once, deletions too, wherever a process is killed."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
import uuid

from harness import BIN, SpineTest, Study, http, seeded, tributary
from test_kill import retry_crashed

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
HEART, STEPS = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
UNITS = {HEART: "count/min", STEPS: "count"}
STAGES = {0: "InBed", 1: "AsleepUnspecified", 2: "Awake", 3: "AsleepCore", 4: "AsleepDeep", 5: "AsleepREM"}


class Journal:
    """A file of changes, and the samples that are there after them."""

    def __init__(self, path):
        self.path, self.samples = path, {}
        path.write_text("")

    def write(self, change):
        with self.path.open("a") as file:
            file.write(json.dumps(change, ensure_ascii=False) + "\n")

    def add(self, kind, value, minute, name=None):
        name = name or str(uuid.uuid4()).upper()
        moment = f"2026-03-01T{8 + minute // 60:02}:{minute % 60:02}:00+01:00"
        unit = {"unit": UNITS[kind]} if kind in UNITS else {}
        self.write({"add": {"uuid": name, "type": kind, "value": value, **unit, "start": moment, "end": moment,
                            "metadata": {"HKTimeZone": "Europe/Berlin"},
                            "source": {"name": "Kim’s Watch", "productType": "Watch6,1", "version": "10.2"}}})
        self.samples[name] = (kind, value, moment)
        return name

    def delete(self, name):
        self.write({"delete": {"uuid": name, "type": self.samples.pop(name)[0]}})

    def change(self, random):
        if self.samples and random.random() < 0.35:
            name = random.choice(sorted(self.samples))
            kind = self.samples[name][0]
            self.delete(name)
            if random.random() < 0.5:  # an edit
                self.add(kind, random.randrange(1, 5), random.randrange(30))
        else:
            self.add(random.choice([HEART, STEPS, SLEEP]), random.randrange(1, 5), random.randrange(30))

    @property
    def content(self):
        """Samples of equal content are one."""
        return sorted(set(self.samples.values()))


def content(observation):
    """What an Observation says, as a journal would."""
    kind = next(coding["code"] for coding in observation["code"]["coding"] if coding["code"].startswith("HK"))
    if "valueQuantity" in observation:
        value = observation["valueQuantity"]["value"]
    else:
        codes = [coding["code"] for coding in observation["valueCodeableConcept"]["coding"]]
        value = next(number for number, word in STAGES.items() if f"HKCategoryValueSleepAnalysis{word}" in codes)
    return kind, value, observation["effectiveDateTime"]


class JournalTest(SpineTest):
    """A member of a study whose health data are a journal."""

    def setUp(self):
        self.device = self.member()
        self.journal = Journal(self.study.root / f"journal-{uuid.uuid4()}.ndjson")
        self.file = self.study.root / f"health-{uuid.uuid4()}.ndjson"
        self.facts_before = self.facts()

    def facts(self):
        return self.study.number("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'")

    def sync(self, *more, status=0):
        return self.device.run("sync", "--source", self.journal.path, *more, status=status)

    def in_step(self, *more):
        for _ in range(200):
            report = self.sync(*more).json
            if not report["more"]:
                return report
        self.fail("there is always more")

    def idle(self):
        """A wake that has nothing to do."""
        report = self.sync().json
        self.assertFalse(report["more"])
        done = [row for row in report["streams"]
                if any(row[what] for what in ("added", "updated", "deleted", "quarantined", "waiting"))]
        self.assertEqual(done, [])

    def records(self):
        staff = {"Authorization": "Bearer " + self.study.staff_token()}
        url = f"{self.server.url}/fhir/Observation?subject=Patient/{self.device.participant}&_count=200"
        found = []
        while url:
            page = http("GET", url, staff).json
            found += [entry["resource"] for entry in page.get("entry", [])]
            url = next((link["url"] for link in page["link"] if link["relation"] == "next"), None)
        return found

    def send(self):
        self.device.send()
        self.device.settled(120)
        self.assertEqual({row["status"] for row in self.device.deliveries().values()}, {"stored"})

    def check(self):
        records = self.records()
        self.assertEqual(sorted(map(content, records)), self.journal.content)
        self.assertEqual(self.facts() - self.facts_before, len(records))
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])
        devices = {record["device"]["reference"] for record in records}
        self.assertLessEqual(len(devices), 1)
        self.assertNotIn("Kim", json.dumps(records))

    def check_file(self):
        present = {}
        for line in self.file.read_text().splitlines():
            resource = json.loads(line)
            if resource["resourceType"] == "Observation":
                self.assertNotIn(resource["id"], present)
                present[resource["id"]] = resource
            for entry in resource.get("entry", []):
                self.assertEqual(entry["request"]["method"], "DELETE")
                del present[entry["request"]["url"].split("/")[1]]
        self.assertEqual(sorted(map(content, present.values())), self.journal.content)


class DeviceSync(JournalTest):
    def test_adds_an_edit_deletions_and_equal_contents_reach_the_study_once(self):
        names = [self.journal.add(HEART, 60 + number, number) for number in range(5)]
        same = self.journal.add(HEART, 60, 0)
        self.journal.add(SLEEP, 3, 20)
        report = self.sync().json
        self.assertEqual([(row["type"], row["store"], row["added"], row["updated"]) for row in report["streams"]],
                         [(SLEEP, "outbox", 1, 0), (HEART, "outbox", 5, 1)])
        self.assertFalse(report["more"])
        self.send()
        self.check()
        self.assertEqual(len(self.records()), 6)

        self.journal.delete(names[0])  # its content is another's too
        self.journal.delete(names[1])
        self.journal.delete(names[2])
        self.journal.add(HEART, 99, 2)
        self.sync()
        self.send()
        self.check()
        self.journal.delete(same)
        self.sync()
        self.send()
        self.check()
        self.journal.add(HEART, 60, 0)  # what was deleted comes again
        self.sync()
        self.send()
        self.check()
        queued = self.device.queued()
        self.idle()
        self.assertEqual(self.device.queued(), queued)
        status = self.device.run("sync-status").json
        self.assertEqual([(row["type"], row["store"], row["waiting"]) for row in status["streams"]],
                         [(SLEEP, "outbox", 0), (HEART, "outbox", 0)])
        self.assertEqual(status["quarantine"], [])
        self.assertRegex(status["streams"][1]["anchor"], r"^\d+-[0-9a-f]{32}$")

    def test_what_an_export_sent_is_not_sent_again(self):
        export = self.study.root / "export.xml"
        watch = ("&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,1, "
                 "software:10.2&gt;")
        export.write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n'
            f'<Record type="{HEART}" sourceName="Kim’s Watch" sourceVersion="10.2" device="{watch}" unit="count/min" '
            'startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:00:00 +0100" value="60"/>\n</HealthData>\n')
        self.assertEqual(self.device.health(export).json["queued"], 1)
        name = self.journal.add(HEART, 60, 0)
        self.journal.add(HEART, 61, 1)
        row, = self.sync().json["streams"]
        self.assertEqual((row["added"], row["updated"]), (1, 1))
        self.send()
        self.check()
        self.journal.delete(name)
        self.sync()
        self.assertEqual(self.device.health(export).json["queued"], 1, "it was deleted and comes again")
        self.send()
        self.assertEqual(len(self.records()), 2)

    def test_a_store_of_files_and_the_bounds_of_a_wake(self):
        for number in range(30):
            self.journal.add(STEPS, number, number)
        both = ("--to", "outbox", "--to", f"ndjson={self.file}", "--samples", 7)
        report = self.sync(*both).json
        self.assertTrue(report["more"])
        self.assertEqual(sum(row["added"] for row in report["streams"]), 7)
        self.in_step(*both)
        self.check_file()
        self.file.unlink()
        self.in_step(*both)
        self.check_file()
        # Without the outbox no enrolment is needed.
        alone, out = self.study.root / "alone", self.study.root / "alone.ndjson"
        tributary("device", "sync", "--store", alone, "--source", self.journal.path, "--to", f"ndjson={out}",
                  "--subject", "p9", "--json")
        self.assertEqual({json.loads(line).get("subject", {}).get("reference") for line in out.read_text().splitlines()
                          if '"Observation"' in line}, {"Patient/p9"})
        refused = self.sync("--subject", "another", status=1)
        self.assertIn("subject-foreign", refused.errors)

    def test_what_cannot_be_read_is_set_aside_and_a_rewritten_journal_is_named(self):
        self.journal.add(HEART, 60, 0)
        bad = str(uuid.uuid4()).upper()
        self.journal.write({"add": {"uuid": bad, "type": HEART, "value": "many", "unit": "count/min",
                                    "start": "2026-03-01T08:00:00Z", "end": "2026-03-01T08:00:00Z"}})
        self.journal.write({"add": {"uuid": str(uuid.uuid4()), "type": "HKWorkoutRoute"}})
        with self.journal.path.open("a") as file:
            file.write("not json\n")
        self.journal.add(HEART, 61, 1)
        done = self.sync()
        row, = done.json["streams"]
        self.assertEqual((row["added"], row["quarantined"]), (2, 1))
        self.assertIn("name no type are left out: 1", done.errors)
        self.assertIn("not selected: 1", done.errors)
        self.assertEqual(self.device.run("sync-status").json["quarantine"],
                         [{"uuid": bad, "type": HEART, "reason": "value-not-a-number"}])
        self.send()
        self.check()
        text = self.journal.path.read_text()
        self.journal.path.write_text(text.replace('"value": 60', '"value": 99', 1))
        done = self.sync(status=1)
        self.assertEqual([row["code"] for row in done.json["streams"]], ["health-anchor-invalid"])
        self.journal.path.write_text(text)
        self.idle()
        tributary("device", "sync", "--store", self.device.store, "--source", self.study.root / "absent", status=1)

    def test_killed_at_random_instants_everything_is_there_once(self):
        random = seeded()
        began = time.monotonic()
        self.journal.add(HEART, 1, 0)
        self.sync("--to", "outbox", "--to", f"ndjson={self.file}")
        usual = time.monotonic() - began
        midway = 0
        for _ in range(ROUNDS):
            for _ in range(40):
                self.journal.change(random)
            process = subprocess.Popen(
                [str(BIN), "device", "sync", "--store", str(self.device.store), "--source", str(self.journal.path),
                 "--to", "outbox", "--to", f"ndjson={self.file}", "--samples", str(random.randrange(5, 60))],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.3, 1.5) * usual)
            process.send_signal(signal.SIGKILL)
            midway += process.wait() == -signal.SIGKILL
            if random.random() < 0.5:
                self.device.send()
        print(f"  {midway} of {ROUNDS} were killed before their end")
        self.in_step("--to", "outbox", "--to", f"ndjson={self.file}")
        self.check_file()
        self.send()
        self.check()
        self.assertTrue(self.study.is_sound())


class SignedDeviceSync(DeviceSync):
    """The same by a device that signs what it sends."""

    signs = True


class KilledOnBothSides(JournalTest):
    """kill -9 of `device sync`, of `device send` and of the server: records and facts are the journal's."""

    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.server = self.study.serve()
        super().setUp()

    def start(self, *arguments):
        return subprocess.Popen([str(BIN), "device", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def restart(self):
        old = self.server.url
        self.server = self.study.serve()
        self.device.follow(old, self.server.url)

    def test_everything_is_there_once(self):
        random = seeded()
        killed = {"sync": 0, "send": 0, "server": 0}
        for _ in range(ROUNDS):
            for _ in range(40):
                self.journal.change(random)
            sync = self.start("sync", "--store", self.device.store, "--source", self.journal.path, "--samples",
                              random.randrange(5, 60))
            time.sleep(random.uniform(0.0, 0.1))
            if random.random() < 0.6:
                sync.send_signal(signal.SIGKILL)
            killed["sync"] += sync.wait(120) == -signal.SIGKILL
            send = self.start("send", "--store", self.device.store, "--attempts", "1")
            time.sleep(random.uniform(0.0, 0.1))
            which = random.choice(["send", "server", "both", "neither"])
            if which in ("server", "both"):
                killed["server"] += 1
                self.server.kill()
            if which in ("send", "both"):
                send.send_signal(signal.SIGKILL)
            killed["send"] += send.wait(120) == -signal.SIGKILL
            if which in ("server", "both"):
                self.restart()
        print(f"  {ROUNDS} rounds, killed midway: {killed}", file=sys.stderr)
        self.in_step()
        self.device.send()
        self.device.settled(120)
        retry_crashed(self)
        self.device.settled(120)
        self.send()
        self.check()
        self.idle()
        self.assertTrue(self.study.is_sound())


class StudyDecides(SpineTest):
    """What is followed the study says, what becomes of it the phone tells, and a withdrawal ends it."""

    def setUp(self):
        self.device = self.member()
        self.journal = Journal(self.study.root / f"journal-{uuid.uuid4()}.ndjson")
        self.addCleanup(lambda: (self.study.dir / "health-sync.json").unlink(missing_ok=True))

    def sync(self, status=0):
        return self.device.run("sync", "--source", self.journal.path, status=status)

    def says(self, settings):
        (self.study.dir / "health-sync.json").write_text(settings if isinstance(settings, str) else json.dumps(settings))

    def added(self):
        return {row["type"]: row["added"] for row in self.sync().json["streams"]}

    def test_the_study_says_what_is_followed_and_the_last_good_word_stands(self):
        self.says({"types": [HEART]})
        fetched = "Fetched the settings of the health data"
        self.assertIn(fetched, self.device.send().errors)
        self.assertNotIn(fetched, self.device.send().errors)
        self.journal.add(HEART, 60, 0)
        self.journal.add(STEPS, 100, 1)
        self.assertEqual(self.added(), {HEART: 1})
        # A fault changes nothing, on the server and on the phone.
        self.says('{"types": ["HKNoSuchType"]}')
        self.device.send()
        self.journal.add(STEPS, 101, 2)
        self.assertNotIn(STEPS, self.added())
        self.says({"types": [HEART, STEPS]})
        self.device.send()
        self.assertEqual(self.added()[STEPS], 2)

    def test_the_phone_tells_of_itself_once_a_day_and_the_team_sees_why_a_stream_is_silent(self):
        self.says({"types": [HEART, STEPS], "expectHours": {HEART: 24, STEPS: 24}})
        self.device.send()
        self.journal.add(HEART, 60, 0)
        self.journal.write({"add": {"uuid": str(uuid.uuid4()).upper(), "type": HEART, "value": "many", "unit": "count/min",
                                    "start": "2026-03-01T08:00:00Z", "end": "2026-03-01T08:00:00Z"}})
        self.sync()
        self.sync()
        self.device.send()
        self.device.settled(120)
        self.assertEqual({row["status"] for row in self.device.deliveries().values()}, {"stored"})
        staff = {"Authorization": "Bearer " + self.study.staff_token()}
        found = http("GET", f"{self.server.url}/fhir/Device?patient=Patient/{self.device.participant}", staff).json
        reports = [entry["resource"] for entry in found["entry"] if "property" in entry["resource"]]
        self.assertEqual(len(reports), 1)
        self.assertEqual(reports[0]["meta"]["versionId"], "1", "once a day")
        self.assertNotIn("60", json.dumps([row for row in reports[0]["property"] if "healthkit" in json.dumps(row)][0]
                                          ["valueQuantity"][:2]))
        rows = {row["stream"]: row for row in tributary("study", "streams", self.study.dir, "--json").json
                if row["participant"] == self.device.participant}
        self.assertEqual((rows[HEART]["state"], rows[STEPS]["state"]), ("silent", "never"))
        self.assertIn("1 are quarantined there", rows[HEART]["hint"])
        self.assertIn("its latest sample is of 2026-03-01T07:00:00Z", rows[HEART]["hint"])
        self.assertIn("does not follow this type", rows[STEPS]["hint"])

    def test_a_withdrawal_ends_it_and_forgets_how_far_it_was(self):
        self.journal.add(HEART, 60, 0)
        self.sync()
        self.assertTrue(self.device.run("sync-status").json["streams"])
        self.device.withdraw()
        self.assertEqual(self.device.run("sync-status").json["streams"], [])
        self.journal.add(HEART, 61, 1)
        self.assertIn("consent-withdrawn", self.sync(status=1).errors)
        self.assertEqual(self.device.run("sync-status").json["streams"], [])


if __name__ == "__main__":
    unittest.main()
