"""Stores on PostgreSQL: the whole way, several receivers and consumers, moves, backups, and a server that fails."""

import json
import os
import subprocess
import threading
import time
import unittest

import postgresql
from forms import VISIT, visit
from harness import EXAMPLES, Study, http, small_examples, tributary, until
from stored_contents import clear_text, dumped_contents

ROUNDS = max(2, int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5")) // 2)
CUPS = 20_000_000  # more than any reading


class OnServer(unittest.TestCase):
    def make(self, **options):
        self.study = Study(url=postgresql.server().database(), **options)
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        return self.study

    def cups_stored(self, study=None):
        study = study or self.study
        return study.sql("SELECT CAST(nval_num AS bigint) AS cups, count(*) AS facts FROM observation_fact "
                         "WHERE nval_num > 20000000 AND modifier_cd = '@' GROUP BY nval_num ORDER BY nval_num")


class WayTest(OnServer):
    def test_what_a_phone_sends_is_recorded_and_found(self):
        study = self.make()
        server = study.serve()
        device = study.device(server)
        device.consent(name="Planted Name")
        device.answer(VISIT, visit(cups=CUPS + 1))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertEqual(self.cups_stored(), [(CUPS + 1, 1)])
        # The tables are i2b2's, in a schema of our own, and no file of the study holds a store.
        self.assertEqual(study.number("SELECT count(*) FROM patient_dimension"), 1)
        self.assertFalse(list(study.dir.rglob("*.sqlite")))
        token = study.staff_token()
        answer = server.request("GET", "/fhir/QuestionnaireResponse?subject=Patient/" + device.participant,
                                {"Authorization": "Bearer " + token})
        self.assertEqual((answer.status, answer.json["total"]), (200, 1))
        status = tributary("study", "status", study.dir, "--json").json
        self.assertEqual([row["consent"] for row in status["participants"]], ["consented"], status)
        self.assertEqual(tributary("queue", "status", study.dir, "--json").json["depth"], 0)
        count = tributary("warehouse", "count", study.dir, "--path", "\\Tributary\\Surveys\\", "--json").json
        self.assertEqual(count["patients"], 1)
        self.assertEqual(server.request("GET", "/fhir/metadata").status, 200)
        # Who is deleted is nowhere in the database's tables, where they stood before: also in what is compressed.
        # In the digits of the dictionaries, which are the program's own, a number may stand by chance.
        dump = subprocess.run(["pg_dump", "-d", study.url, "--exclude-table-data=*.content_dictionary"],
                              capture_output=True, check=True).stdout
        self.assertIn(device.participant.encode(), b"".join(dumped_contents(dump)))
        self.assertEqual(server.stop(20), 0)
        tributary("participant", "delete", study.dir, device.participant, "--reason", "as asked", "--yes")
        # In the digits of the dictionaries, which are the program's own, a number may stand by chance.
        dump = subprocess.run(["pg_dump", "-d", study.url, "--exclude-table-data=*.content_dictionary"],
                              capture_output=True, check=True).stdout
        for word in (device.participant, "Planted Name", str(CUPS + 1)):
            self.assertNotIn(word.encode(), clear_text(dump), word)

    def test_several_receivers_and_consumers_store_each_submission_once(self):
        study = self.make()
        receivers = [study.serve("--roles", "receiver") for _ in range(2)]
        consumers = [study.serve("--roles", "consumer") for _ in range(3)]
        devices = [study.device(receivers[number % 2]) for number in range(6)]
        expected = []

        def use(number, device):
            device.consent()
            for form in range(5):
                device.answer(VISIT, visit(cups=CUPS + number * 100 + form + 1))
            device.send()

        threads = [threading.Thread(target=use, args=pair) for pair in enumerate(devices)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, device in enumerate(devices):
            self.assertEqual({row["status"] for row in device.settled(120).values()}, {"stored"})
            expected += [(CUPS + number * 100 + form + 1, 1) for form in range(5)]
        self.assertEqual(self.cups_stored(), expected)
        # Each of a device's answers in its order: numbers of records grow with those of submissions.
        self.assertEqual(study.number("SELECT count(*) FROM record_history WHERE type = 'QuestionnaireResponse'"), 30)
        for server in receivers + consumers:
            self.assertEqual(server.stop(20), 0)

    def test_a_consumer_that_dies_loses_its_leases_to_its_successor_at_once(self):
        study = self.make()
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()
        for round_ in range(ROUNDS):
            for form in range(3):
                device.answer(VISIT, visit(cups=CUPS + round_ * 10 + form + 1))
            device.send()
            server.kill()
            url = server.url
            server = study.serve()
            device.follow(url, server.url)
            began = time.monotonic()
            self.assertEqual({row["status"] for row in device.settled(60).values()}, {"stored"})
            self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(
            self.cups_stored(), [(CUPS + round_ * 10 + form + 1, 1) for round_ in range(ROUNDS) for form in range(3)])


class FailingServerTest(OnServer):
    def test_a_server_that_goes_away_is_said_and_waited_for(self):
        database = postgresql.PostgreSQL()
        self.addCleanup(database.close)
        study = self.study = Study(url=database.database())
        self.addCleanup(study.close)
        study.publish(VISIT)
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()
        database.stop()
        # It says so, and takes nothing that it could not keep.
        def problems():
            answer = http("GET", server.monitor_url + "/readyz")
            return [reason["code"] for reason in answer.json.get("reasons", [])]
        until(lambda: "store-unwritable" in problems(), "the server says that its store is away", 60)
        device.answer(VISIT, visit(cups=CUPS + 1))
        device.send(attempts=1, status=None)
        self.assertEqual(len(device.queued()), 1)
        database.start()
        until(lambda: problems() == [], "the server is ready again", 60)
        device.send()
        self.assertEqual({row["status"] for row in device.settled(60).values()}, {"stored"})
        self.assertEqual(self.cups_stored(), [(CUPS + 1, 1)])
        self.assertEqual(server.stop(20), 0)

    def test_what_cannot_be_used_is_said_before_anything_is_done(self):
        database = postgresql.server()
        url = database.database()
        study = Study(url="")
        self.addCleanup(study.close)

        def refused(*options, code):
            done = tributary("migrate", study.dir, *options, status=1, timeout=60)
            self.assertIn(code, done.errors)
            return done.errors

        def without(database_url, name):
            return database_url.rsplit("/", 1)[0] + "/" + name

        # Nobody there; no such database; a password where everybody can read it.
        refused("--database", f"postgresql://tributary@127.0.0.1:{postgresql.free_port()}/x", code="storage-open")
        refused("--database", without(url, "nowhere"), code="storage-open")
        told = refused("--database", url.replace("tributary@", "tributary:hunter2@"), code="storage-password-in-url")
        self.assertNotIn("hunter2", told)
        refused("--database", "mysql://host/name", code="storage-engine-unknown")
        # Not in UTF-8.
        database.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
        refused("--database", without(url, "latin"), code="storage-encoding")
        # A user who may not write, and one whose password is wrong.
        database.sql("CREATE USER reader; ")
        reader = url.replace("tributary@", "reader@")
        postgresql.run_sql(url, "REVOKE CREATE ON DATABASE " + url.rsplit("/", 1)[1] + " FROM PUBLIC")
        refused("--database", reader, code="storage-read-only")
        # Another study's queue, and records without theirs.
        first = Study(url=url)
        self.addCleanup(first.close)
        first.serve().stop(20)
        other = Study(name="other", url="")
        self.addCleanup(other.close)
        done = tributary("serve", other.dir, "--port", "0", "--queue", url, status=1, timeout=60)
        self.assertIn("queue-of-another-study", done.errors)
        # A column of another type: said by its name, and nothing is half-written.
        postgresql.run_sql(url, "ALTER TABLE tributary_queue.submission ALTER COLUMN sequence TYPE text")
        postgresql.run_sql(url, "DROP TABLE tributary_records.record_version CASCADE")
        done = tributary("study", "status", first.dir, "--json", status=1)
        self.assertIn("storage-", done.errors)


class MovingTest(OnServer):
    def test_a_study_is_moved_to_a_server_and_back_and_its_phones_go_on(self):
        study = self.study = Study(url="")
        self.addCleanup(study.close)
        study.publish(VISIT)
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.answer(VISIT, visit(cups=CUPS + 1))
        device.send()
        device.settled()
        url = postgresql.server().database()
        # A server that works with the stores is not moved away from under its feet.
        refused = tributary("study", "move", study.dir, "--queue", url, "--database", url, status=1, timeout=90)
        self.assertIn("storage-locked", refused.errors)
        self.assertEqual(server.stop(20), 0)
        before = tributary("study", "status", study.dir, "--json").json
        moved = tributary("study", "move", study.dir, "--queue", url, "--database", url, "--json").json
        self.assertEqual(moved["records"]["to"], url)
        self.assertGreater(moved["records"]["rows"]["record"], 2)
        self.assertEqual(tributary("study", "status", study.dir, "--json").json, before)
        for store in ("queue/queue.sqlite", "data/records.sqlite"):
            done = tributary("study", "status", study.dir, "--queue", study.dir / "queue/queue.sqlite",
                             "--database", study.dir / "data/records.sqlite", status=1)
            self.assertIn("storage-moved", done.errors, store)
        study.url = url
        self.assertEqual(self.cups_stored(), [(CUPS + 1, 1)])
        self.go_on(device, server, 2)
        # A backup of it is a file as of any study; and what was made of it is the same.
        file = study.root / "backup.tar"
        tributary("backup", study.dir, "-o", file)
        restored = tributary("restore", file, "-o", study.root / "restored", "--json").json
        self.assertEqual(restored["records"],
                         study.number("SELECT count(*) AS n FROM record WHERE deleted = 0"))
        # Back into files.
        tributary("study", "move", study.dir, "--queue", study.root / "q.sqlite", "--database", study.root / "r.sqlite")
        done = tributary("study", "status", study.dir, "--queue", url, "--database", url, status=1)
        self.assertIn("storage-moved", done.errors)
        study.url = None
        self.go_on(device, server, 3, study.root / "r.sqlite")

    def go_on(self, device, former, number, records=None):
        server = self.study.serve()
        device.follow(former.url, server.url)
        former.url = server.url
        device.answer(VISIT, visit(cups=CUPS + number))
        device.send()
        self.assertEqual({row["status"] for row in device.settled(60).values()}, {"stored"})
        if records is None:
            self.assertEqual(self.cups_stored(), [(CUPS + each, 1) for each in range(1, number + 1)])
        self.assertEqual(server.stop(20), 0)


class DemonstrationTest(OnServer):
    def test_the_demonstration_plays_into_a_database_again_and_again_but_over_no_study(self):
        url = postgresql.server().database()
        self.make()
        lines = []
        for _ in range(2):
            done = tributary("demo", "--examples", small_examples(), "--database", url, "--queue", url, "--json", timeout=600)
            lines.append(json.loads(done.text.strip().splitlines()[-1]))
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(lines[0]["submissionsRefused"], 1)
        self.assertEqual(int(postgresql.run_sql(
            url, "SELECT count(*) FROM tributary_records.observation_fact WHERE modifier_cd = '@'")), lines[0]["facts"])
        done = tributary("demo", "--examples", EXAMPLES, "--database", self.study.url, "--queue", self.study.url, status=1)
        self.assertIn("demo-database-not-ours", done.errors)
        self.assertEqual(self.study.number("SELECT count(*) AS n FROM schema_migration WHERE number = 1"), 1)


if __name__ == "__main__":
    unittest.main()
