"""Receiver and consumer as two processes, of two users: what the one may see, and what is left when either is killed."""

import os
import shutil
import subprocess
import time
import unittest

from forms import VISIT, visit
from harness import BIN, ON_POSTGRESQL, Study, seeded, tributary, until
from parted import RECEIVER, Parted, as_user, memory, open_files
from test_kill import retry_crashed

ROUNDS = max(2, int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5")) * 2)
CUPS = 20_000_000  # more than any reading


@unittest.skipUnless(os.geteuid() == 0 and not ON_POSTGRESQL, "files of two users, whom only root can become")
class TwoUsers(Parted):
    users = True

    def test_the_receiver_sees_nothing_in_the_clear(self):
        device = self.study.device(self.receiver)
        device.consent(name="Planted Name")
        planted = "remembered-words-81c4"
        device.answer(VISIT, visit(cups=CUPS, why=planted))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireResponse'"), 1)
        process = self.receiver.process.pid
        # 1. Whose files it has open.
        files = open_files(process)
        self.assertTrue(any("queue.sqlite" in name for name in files), files)
        for name in files:
            self.assertNotIn(str(self.study.dir / "data"), name)
            self.assertNotIn(str(self.study.dir / "keys"), name)
        # 2. What it could open.
        for place in (self.study.database, self.study.dir / "keys"):
            done = subprocess.run(["cat", str(place)] if place.is_file() else ["ls", str(place)],
                                  preexec_fn=as_user(RECEIVER), capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0, place)
        # 3. What is in its memory, and in its store.
        words = [device.participant.encode(), device.contract.encode(), str(CUPS).encode(), b"Planted Name", planted.encode()]
        remembered = memory(process)
        self.assertIn(str(self.study.queue_database).encode(), remembered, "what it works with is found there")
        for word in words:
            self.assertNotIn(word, remembered, "the receiver's memory")
            for path in self.study.queue_database.parent.iterdir():
                self.assertNotIn(word, path.read_bytes(), path.name)
        self.assertEqual(self.receiver.stop(20), 0)
        self.assertEqual(self.consumer.stop(20), 0)


class Killed(Parted):
    def setUp(self):
        super().setUp()
        self.random = seeded()
        self.device = self.study.device(self.receiver)
        self.queued = self.device.consent().json["submissions"]
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.cups = self.backups = 0
        self.backup()

    def backup(self):
        """Made while both work."""
        self.backups += 1
        tributary("backup", self.study.dir, "-o", self.study.root / f"backup-{self.backups}.tar")

    def kill(self, *names):
        for name in names:
            getattr(self, name).kill()

    def take_over(self):
        """A second consumer waits for its turn, and the first one is killed."""
        first = self.consumer
        self.start_consumer()
        first.kill()

    def restore(self):
        """The machine is lost, and an older backup takes its place, as another study folder."""
        self.kill("receiver", "consumer")
        lost, place = self.study.dir, self.study.root / f"restored-{time.monotonic_ns()}"
        # The youngest or the one before.
        number = max(1, self.backups - self.random.randrange(2))
        tributary("restore", self.study.root / f"backup-{number}.tar", "-o", place)
        shutil.copytree(lost / "keys", place / "keys")
        os.chmod(place / "keys", 0o700)
        shutil.rmtree(lost)
        self.study.dir = place
        self.restart("receiver", "consumer", devices=[self.device])

    def test_acknowledged_submissions_survive_kills_and_restores_once_and_in_order(self):
        acts = ["receiver", "consumer", "both", "take over", "restore"]
        plan = [acts[number % len(acts)] for number in range(ROUNDS)]
        self.random.shuffle(plan)
        for act in plan:
            for _ in range(3):
                self.cups += 1
                self.queued += self.device.answer(VISIT, visit(cups=CUPS + self.cups)).json["submissions"]
            sender = subprocess.Popen(
                [str(BIN), "device", "send", "--store", str(self.device.store), "--attempts", "1"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if self.random.random() < 0.2:
                self.backup()
            time.sleep(self.random.uniform(0.0, 0.3))
            if act == "take over":
                self.take_over()
                sender.wait(120)
            elif act == "restore":
                self.restore()
                sender.wait(120)
            else:
                names = ("receiver", "consumer") if act == "both" else (act,)
                self.kill(*names)
                sender.wait(120)
                self.restart(*names, devices=[self.device])
        # The phone learns what a restored study does not know, and sends it again.
        until(self.complete, "all is stored", 300)
        self.assertEqual(self.device.queued(), [])
        deliveries = self.device.settled(120)
        self.assertEqual(set(deliveries), set(self.queued))
        self.assertEqual({row["status"] for row in deliveries.values()}, {"stored"})
        self.assertEqual(
            self.study.sql("SELECT nval_num, count(*) FROM observation_fact WHERE nval_num > 20000000 AND modifier_cd = '@' "
                           "GROUP BY nval_num ORDER BY nval_num"),
            [(CUPS + number, 1) for number in range(1, self.cups + 1)])
        for table in ("record", "record_history"):
            self.assertEqual(
                self.study.number(f"SELECT count(*) FROM {table} WHERE type = 'QuestionnaireResponse'"), self.cups)
        # What a restored study had lost came back before what was newer.
        sequences = [row[0] for row in self.study.queue_sql("SELECT sequence FROM submission ORDER BY number")]
        self.assertEqual(sequences, sorted(sequences))
        self.assertEqual(len(sequences), len(self.queued))
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission_body"), 0)
        self.assertTrue(self.study.is_sound())

    def complete(self):
        self.device.deliveries()
        self.device.send()
        self.device.settled(120)
        retry_crashed(self)
        stored = self.study.queue_sql("SELECT submission_id FROM submission WHERE status = 'stored'")
        return {row[0] for row in stored} == set(self.queued)

    @unittest.skipIf(ON_POSTGRESQL, "consumers work beside each other there")
    def test_a_second_consumer_waits_and_takes_over(self):
        device = self.study.device(self.receiver)
        device.consent()
        device.send()
        device.settled()
        first = self.consumer
        self.start_consumer()
        until(lambda: "another consumer" in self.consumer.log, "the second says that it waits")
        for cups in range(1, 6):
            device.answer(VISIT, visit(cups=CUPS + cups))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        first.kill()
        for cups in range(6, 11):
            device.answer(VISIT, visit(cups=CUPS + cups))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertEqual(
            self.study.number("SELECT count(*) FROM record_history WHERE type = 'QuestionnaireResponse'"), 10)

    def test_records_take_no_other_queue_and_a_queue_no_other_study(self):
        self.assertEqual(self.consumer.stop(20), 0)
        elsewhere = self.study.root / "other-queue.sqlite"
        done = tributary("serve", self.study.dir, "--port", "0", "--roles", "consumer", "--queue", elsewhere, status=1)
        self.assertIn("queue-missing", done.errors)
        self.assertFalse(elsewhere.exists(), "nothing was made")
        other = Study(name="other-study")
        self.addCleanup(other.close)
        done = tributary("serve", other.dir, "--port", "0", "--queue", self.study.queue_database, status=1, timeout=60)
        self.assertIn("queue-of-another-study", done.errors)
        self.start_consumer()
        self.assertEqual(self.consumer.stop(20), 0)


if __name__ == "__main__":
    unittest.main()
