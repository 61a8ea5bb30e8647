"""kill -9 at random instants: what was acknowledged is there, and nothing is there twice."""

import os
import signal
import subprocess
import sys
import time
import unittest

from forms import VISIT, visit
from harness import BIN, Study, health_export, seeded, tributary

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
FORMS = 8
CUPS = 10_000_000  # more than any reading


def retry_crashed(test):
    """A message over which the process was killed three times is quarantined, as one that kills it would be; these killed
    nobody, and the study team says so."""
    quarantined = test.study.queue_sql("SELECT reason_code FROM submission WHERE status = 'quarantined'")
    test.assertLessEqual({reason for (reason,) in quarantined}, {"processing-crashed"})
    if quarantined:
        print(f"  {len(quarantined)} were being handled at three kills", file=sys.stderr)
        tributary("queue", "retry", test.study.dir, "--all")
        test.study.settled()


class Killed(unittest.TestCase):
    def setUp(self):
        self.random = seeded()
        self.study = Study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        self.server = self.study.serve()
        self.device = self.study.device(self.server)
        self.queued = self.device.consent().json["submissions"]
        self.device.send()
        self.device.settled()
        self.cups = self.midway = 0

    def answer(self):
        self.cups += 1
        self.queued += self.device.answer(VISIT, visit(cups=CUPS + self.cups)).json["submissions"]

    def restart(self):
        """A new server on a new port; the device is told."""
        old = self.server.url
        self.server = self.study.serve()
        self.device.follow(old, self.server.url)

    def sending(self):
        return subprocess.Popen(
            [str(BIN), "device", "send", "--store", str(self.device.store), "--attempts", "1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self):
        """At the end: all are stored once, as records and as facts."""
        if self.midway:
            print(f"  {self.midway} of {ROUNDS} rounds ended with something left to send", file=sys.stderr)
        self.device.send()
        self.assertEqual(self.device.queued(), [])
        self.device.settled()
        retry_crashed(self)
        deliveries = self.device.settled()
        self.assertEqual(set(deliveries), set(self.queued))
        self.assertEqual({row["status"] for row in deliveries.values()}, {"stored"})
        study = self.study
        self.assertEqual(study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireResponse'"), self.cups)
        self.assertEqual(study.number("SELECT count(*) FROM record_history WHERE type = 'QuestionnaireResponse'"), self.cups)
        counted = study.sql("SELECT nval_num, count(*) FROM observation_fact WHERE nval_num > 10000000 AND modifier_cd = '@' "
                            "GROUP BY nval_num ORDER BY nval_num")
        self.assertEqual(counted, [(CUPS + number, 1) for number in range(1, self.cups + 1)])
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission"), len(self.queued))
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission_body"), 0)
        self.assertTrue(study.is_sound())

    def test_the_server_is_killed_while_a_device_sends(self):
        for round_number in range(ROUNDS):
            for _ in range(FORMS):
                self.answer()
            sender = self.sending()
            time.sleep(self.random.uniform(0.0, 0.12))
            self.server.kill()
            sender.wait(120)
            self.midway += bool(self.device.queued())
            gone = len(self.queued) - len(self.device.queued())
            # Acknowledged means durable: beside the dead server, the database has all that the device let go.
            self.assertGreaterEqual(self.study.queue_number("SELECT count(*) FROM submission"), gone, f"round {round_number}")
            self.restart()
        self.check()

    def test_the_device_is_killed_while_it_sends(self):
        for _ in range(ROUNDS):
            for _ in range(FORMS):
                self.answer()
            sender = self.sending()
            time.sleep(self.random.uniform(0.0, 0.12))
            sender.send_signal(signal.SIGKILL)
            sender.wait()
            self.midway += bool(self.device.queued())
        self.check()

    def test_the_server_is_killed_while_a_health_export_comes_in(self):
        health = self.device.health(health_export()).json
        self.queued += health["submissions"]
        for _ in range(ROUNDS):
            sender = self.sending()
            time.sleep(self.random.uniform(0.0, 0.5))
            self.server.kill()
            sender.wait(120)
            self.midway += bool(self.device.queued())
            gone = len(self.queued) - len(self.device.queued())
            self.assertGreaterEqual(self.study.queue_number("SELECT count(*) FROM submission"), gone)
            self.restart()
        self.check()
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), health["queued"])
        self.assertEqual(self.study.number("SELECT count(*) FROM record_history WHERE type = 'Observation'"), health["queued"])
        self.assertEqual(self.study.sql(
            "SELECT encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd, instance_num FROM "
            "observation_fact GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING count(*) > 1"), [])
        # As many facts as a server that was never killed makes of the same export.
        calm = Study()
        self.addCleanup(calm.close)
        device = calm.device(calm.serve())
        device.consent()
        device.health(health_export())
        device.send()
        device.settled(120)
        facts = "SELECT count(*) FROM observation_fact"
        self.assertEqual(self.study.number(facts), calm.number(facts))

    def test_the_device_is_killed_while_it_queues_a_health_export(self):
        """Asked again, it queues the rest: no reading is lost, and none comes twice."""
        export = health_export()
        for _ in range(ROUNDS):
            process = subprocess.Popen(
                [str(BIN), "device", "health", "--store", str(self.device.store), str(export)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.2, 0.9))
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.device.health(export)
        sent = self.device.send().json
        self.assertEqual((sent["refused"], sent["remaining"]), (0, 0))
        self.assertEqual({row["status"] for row in self.device.settled(120).values()}, {"stored"})
        calm = Study()
        self.addCleanup(calm.close)
        device = calm.device(calm.serve())
        device.consent()
        queued = device.health(export).json["queued"]
        device.send()
        device.settled(120)
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), queued)
        facts = "SELECT count(*) FROM observation_fact"
        self.assertEqual(self.study.number(facts), calm.number(facts))

    def test_the_device_is_killed_while_it_queues(self):
        """A form that was being queued is there whole or not at all."""
        started = 0
        for _ in range(ROUNDS):
            form, answers = self.device.write(VISIT), self.device.write(visit(cups=5))
            process = subprocess.Popen(
                [str(BIN), "device", "answer", "--store", str(self.device.store), str(form), "--answers", str(answers)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.0, 0.06))
            process.send_signal(signal.SIGKILL)
            process.wait()
            started += 1
        self.answer()
        queued = len(self.device.queued())
        self.assertLessEqual(queued, started + 1)
        sent = self.device.send().json
        self.assertEqual((sent["sent"], sent["refused"], sent["remaining"]), (queued, 0, 0))
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireResponse'"), queued)

    def test_sigterm_finishes_what_is_in_flight(self):
        for _ in range(FORMS):
            self.answer()
        sender = self.sending()
        time.sleep(self.random.uniform(0.0, 0.08))
        self.assertEqual(self.server.stop(), 0)
        sender.wait(120)
        self.restart()
        self.check()


if __name__ == "__main__":
    unittest.main()
