"""Care plans by the command line: two phones of one person and a doctor, without a network, after kill -9 and restorations."""

import json
import shutil
import signal
import subprocess
import time
import unittest
import uuid

from accounts import AccountStudy
from harness import BIN, seeded

CALENDAR = {"identifier": "gregorian", "current": 0, "firstWeekday": 2, "minimumDaysInFirstWeek": 4,
            "locale": {"identifier": "", "current": 0}, "timeZone": {"identifier": "Europe/Zurich"}}


def task(id="walk", title="Walk", effective="2026-11-01T00:00:00Z", **members):
    """A daily task at 8 o'clock in Zurich."""
    element = {"start": "2026-11-02T08:00:00+01:00", "interval": {"day": 1}, "calendar": CALENDAR,
               "duration": {"isAllDay": False, "seconds": 1200}, "targetValues": []}
    return {"type": "task", "object": {"id": id, "title": title, "impactsAdherence": True, "effectiveDate": effective,
                                       "schedule": {"elements": [element]}} | members}


def contact(id):
    return {"type": "contact", "object": {"id": id, "name": {"givenName": "Ann", "familyName": "Roe"}}}


class CareCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = AccountStudy()
        cls.server = cls.study.serve()
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.study.close()

    def file(self, value):
        path = self.study.root / f"{uuid.uuid4()}.json"
        path.write_text(json.dumps(value))
        return path

    def phones(self, group=None):
        """One person with two phones."""
        CareCommands.count += 1
        email = f"care{CareCommands.count}@example.org"
        one = self.study.person(self.server, email, group=group)
        two = self.study.person(self.server, email, signs_up=False)
        two.login()
        two.id = one.id
        return one, two

    def member(self, role="care-team", group="main"):
        CareCommands.count += 1
        email = f"doctor{CareCommands.count}@example.org"
        account = self.study.account("create", "--email", email)["account"]
        doctor = self.study.person(self.server, email, signs_up=False)
        doctor.run("reset", *doctor.place, "--code", self.study.code(email), "--password-file", self.study.password)
        doctor.login()
        doctor.grant = self.study.account("grant", "--account", account, "--role", role, "--group", group)["grant"]
        return doctor

    def care(self, person, *arguments, status=0):
        return person.command(("care",), *arguments, status=status)

    def versions(self, person, *options):
        return {row["object"]["uuid"]: row for row in self.care(person, "show", "--versions", *options)}

    def complete(self, person, occurrence, value, *options):
        return self.care(person, "outcome", "--task", "walk", "--occurrence", str(occurrence), "--value",
                         json.dumps(value), *options)["uuids"]

    def test_changes_without_a_network_reach_the_other_phone_and_conflicts_are_resolved(self):
        one, two = self.phones()
        [added] = self.care(one, "add", self.file(task()))["uuids"]
        report = self.care(one, "sync")
        self.assertEqual({name: report[name] for name in ("pulled", "pushed", "resolved")},
                         {"pulled": 0, "pushed": 1, "resolved": 0})
        self.assertTrue(report["knowledgeVector"]["processes"])
        self.assertEqual(self.care(two, "show"), [])
        self.assertEqual(self.care(two, "sync")["pulled"], 1)
        self.assertEqual(self.versions(two), self.versions(one))
        # Both phones complete the same event before they synchronise.
        self.complete(one, 0, 20)
        self.complete(two, 0, 25)
        self.care(one, "sync")
        self.assertEqual(self.care(two, "sync")["resolved"], 1)
        self.care(one, "sync")
        self.assertEqual(self.versions(two), self.versions(one))
        [outcome] = self.care(one, "show", "outcome")
        self.assertEqual(outcome["object"]["taskUUID"], added)
        events = self.care(one, "events", "--from", "2026-11-02", "--to", "2026-11-04")
        self.assertEqual([(event["task"], event["occurrence"], event["outcome"] is not None) for event in events],
                         [("walk", 0, True), ("walk", 1, False)])
        self.assertEqual(events[0]["start"], "2026-11-02T08:00:00+01:00")
        self.assertEqual(self.care(one, "adherence", "--from", "2026-11-01", "--to", "2026-11-03"), [
            {"date": "2026-11-01", "due": 0, "done": 0}, {"date": "2026-11-02", "due": 1, "done": 1},
            {"date": "2026-11-03", "due": 1, "done": 0}])
        # An outcome after a removal has a new id.
        former = outcome["object"]["id"]
        self.care(one, "outcome", "--task", "walk", "--occurrence", "0", "--remove")
        self.complete(one, 0, 30)
        [outcome] = self.care(one, "show", "outcome")
        self.assertNotEqual(outcome["object"]["id"], former)
        self.care(one, "sync")
        self.care(two, "sync")
        self.assertEqual(self.care(two, "show", "outcome"), [outcome])
        # A deletion is a further version.
        self.care(one, "delete", "task", "walk")
        self.care(one, "sync")
        self.care(two, "sync")
        self.assertEqual(self.care(two, "show", "task"), [])
        self.assertIn("[update-after-deletion]", self.care(two, "update", self.file(task()), status=1).errors)

    def test_refused_changes_have_codes_and_change_nothing(self):
        one, _ = self.phones()
        self.care(one, "add", self.file([task(), contact("friend")]))
        before = self.versions(one)
        for arguments, code in [
            (["add", self.file([contact("other"), task()])], "id-in-use"),
            (["add", self.file({"type": "planet", "object": {}})], "entity-invalid"),
            (["update", self.file(task("run"))], "entity-missing"),
            (["delete", "task", "run"], "entity-missing"),
            (["outcome", "--task", "walk", "--occurrence", "-1", "--value", "1"], "occurrence-missing"),
            (["outcome", "--task", "walk", "--occurrence", "0", "--remove"], "outcome-missing"),
            (["events", "--from", "2026-01-01", "--to", "2028-01-01"], "range-too-large"),
        ]:
            with self.subTest(code):
                self.assertIn(f"[{code}]", self.care(one, *arguments, status=1).errors)
        for arguments in [["delete", "planet", "x"], ["outcome", "--task", "walk", "--occurrence", "0"],
                          ["adherence", "--from", "today", "--to", "2026-11-01"], ["events", "--from", "x", "--to", "y"]]:
            self.care(one, *arguments, status=64)
        self.assertEqual(self.versions(one), before)

    def test_a_doctor_changes_the_plan_and_an_observer_only_reads_it(self):
        one, two = self.phones()
        self.care(one, "add", self.file(task()))
        self.complete(one, 0, 20)
        self.care(one, "sync")
        doctor, observer = self.member(), self.member("observer")
        patient = ["--patient", one.id]
        pulled = doctor.team("pull")
        self.assertIn(one.id, pulled["entered"])
        self.assertEqual(pulled["failed"], [])
        self.assertEqual(self.versions(doctor, *patient), self.versions(one))
        self.assertEqual(len(self.care(doctor, "events", *patient, "--from", "2026-11-02", "--to", "2026-11-03")), 1)
        self.care(doctor, "update", self.file(task(title="Walk far", effective="2026-11-03T00:00:00Z")), *patient)
        self.assertEqual(self.care(doctor, "sync", *patient)["pushed"], 1)
        self.care(two, "sync")
        self.assertEqual([row["object"]["title"] for row in self.care(two, "show", "task")], ["Walk far"])
        # The change that would lose the outcome is refused before it is sent.
        self.assertIn("[outcomes-lost]", self.care(
            doctor, "update", self.file(task(effective="2026-11-01T00:00:00Z")), *patient, status=1).errors)
        self.assertEqual(self.versions(observer, *patient), self.versions(two))
        self.care(observer, "delete", "task", "walk", *patient)
        refused = self.care(observer, "sync", *patient, status=1)
        self.assertIn("[read-only]", refused.errors)
        self.care(two, "sync")
        self.assertEqual(len(self.care(two, "show", "task")), 1)
        stranger, _ = self.phones()
        self.care(stranger, "show", *patient, status=1)

    def test_team_pull_updates_all_plans_but_names_those_that_fail(self):
        people = [self.phones(group="other")[0] for _ in range(3)]
        for person in people:
            self.care(person, "add", self.file(task()))
            self.care(person, "sync")
        doctor = self.member(group="other")
        pulled = doctor.team("pull")
        self.assertEqual(set(pulled["entered"]) & {person.id for person in people}, {person.id for person in people})
        # One copy is damaged. The others are still updated.
        bad, good, leaving = people
        copy = doctor.store / "plans" / f"{bad.id}.care"
        sound = copy.read_bytes()
        copy.write_bytes(b"something else, of some length")
        for person in (bad, good):
            self.complete(person, 0, 20)
            self.care(person, "sync")
        leaving.run("sharing", "off")
        failed = doctor.team("pull", status=1)
        self.assertEqual(failed.json["failed"], [{"patient": bad.id, "code": "care-store-damaged"}])
        self.assertEqual(failed.json["left"], [leaving.id])
        self.assertEqual(self.versions(doctor, "--patient", good.id), self.versions(good))
        self.assertFalse((doctor.store / "plans" / f"{leaving.id}.care").exists())
        self.care(doctor, "show", "--patient", leaving.id, status=1)
        # The next pull tries it again, without a change at the server.
        copy.write_bytes(sound)
        again = doctor.team("pull")
        self.assertEqual((again["changed"], again["failed"]), ([], []))
        self.assertEqual(self.versions(doctor, "--patient", bad.id), self.versions(bad))
        # A logout removes the copies.
        doctor.run("logout")
        self.assertEqual([path for path in (doctor.store / "plans").glob("*") if path.is_file()], [])

    def test_kill_9_during_syncs_loses_no_change(self):
        rng = seeded()
        one, two = self.phones()
        self.care(one, "add", self.file(task()))
        made = set()
        for round in range(12):
            person = rng.choice([one, two])
            made.update(self.care(person, "add", self.file([contact(str(uuid.uuid4())) for _ in range(rng.randrange(1, 30))]))["uuids"])
            process = subprocess.Popen([BIN, "care", "sync", "--store", person.store, "--json"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * 0.15)
            process.send_signal(signal.SIGKILL)
            process.wait()
        for person in (one, two, one):
            self.care(person, "sync")
        self.assertEqual(self.versions(one), self.versions(two))
        self.assertLessEqual(made, set(self.versions(one)))

    def test_a_restored_copy_gets_its_own_versions_back(self):
        one, two = self.phones()
        self.care(one, "add", self.file(task()))
        former = self.care(one, "sync")["knowledgeVector"]
        backup = self.study.root / f"backup-{uuid.uuid4()}"
        shutil.copytree(one.store / "plans", backup)
        later = self.complete(one, 0, 20)
        self.care(one, "sync")
        # The phone is restored, and changed before its first sync.
        shutil.rmtree(one.store / "plans")
        shutil.copytree(backup, one.store / "plans")
        mine = self.complete(one, 1, 25)
        report = self.care(one, "sync")
        self.assertEqual((report["pulled"], report["pushed"]), (1, 1))
        self.assertGreater(len(report["knowledgeVector"]["processes"]), len(former["processes"]))
        self.care(two, "sync")
        self.assertLessEqual(set(later + mine), set(self.versions(one)))
        self.assertEqual(self.versions(one), self.versions(two))
        # A phone without its copy reads everything again.
        shutil.rmtree(two.store / "plans")
        self.assertEqual(self.care(two, "sync")["pulled"], 3)

    def test_versions_that_the_server_refuses_are_in_the_quarantine(self):
        one, two = self.phones()
        self.care(one, "add", self.file(task()))
        self.care(one, "sync")
        outcome = {"type": "outcome", "object": {"taskUUID": str(uuid.uuid4()), "taskOccurrenceIndex": 0, "values": []}}
        self.assertIn("[entity-missing]", self.care(one, "add", self.file(outcome), status=1).errors)
        big = contact("big")
        big["object"]["userInfo"] = {"text": "x" * (20 << 20)}
        [refused] = self.care(one, "add", self.file(big))["uuids"]
        self.care(one, "add", self.file(contact("small")))
        done = self.care(one, "sync", status=1)
        self.assertEqual(done.json["pushed"], 1)
        [row] = self.care(one, "quarantine")
        self.assertEqual((row["uuid"], row["cause"]), (refused, None))
        self.assertIn(refused, done.errors)
        self.care(two, "sync")
        self.assertEqual([row["object"]["id"] for row in self.care(two, "show", "contact")], ["small"])
        self.care(one, "quarantine", "--retry")
        self.care(one, "sync", status=1)
        self.care(one, "quarantine", "--discard")
        self.care(one, "sync")
        self.assertEqual(self.versions(one), self.versions(two))

    def test_a_phone_without_a_server_keeps_working(self):
        study = AccountStudy()
        try:
            server = study.serve()
            ann = study.person(server, "ann@example.org")
            server.stop()
            self.care(ann, "add", self.file(task()))
            self.assertIn("[connection-failed]", self.care(ann, "sync", status=1).errors)
            self.assertEqual(len(self.care(ann, "show")), 1)
        finally:
            study.close()


if __name__ == "__main__":
    unittest.main()
