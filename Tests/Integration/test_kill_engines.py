"""kill -9 of receiver, consumer and PostgreSQL on each pair of engines: what was acknowledged is stored once, in order, and
the facts are what the records say."""

import functools
import os
import subprocess
import sys
import time
import unittest

import postgresql
from forms import VISIT, visit
from harness import BIN, ON_POSTGRESQL, Study, seeded, tributary
from parted import Parted

# TRIBUTARY_KILL_ROUNDS=100 makes fifty rounds of each.
ROUNDS = max(2, int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5")) // 2)
FORMS = 3
CUPS = 20_000_000  # more than any reading


@functools.cache
def server_of(store):
    """A server that is killed."""
    return postgresql.PostgreSQL()


class Pair(Parted):
    """One pair of engines. On servers each store has a server of its own, as with a queue in the DMZ."""

    queue = records = None

    @classmethod
    def setUpClass(cls):
        engines = {"queue": cls.queue, "records": cls.records}
        cls.databases = {store: server_of(store) for store, engine in engines.items() if engine == "postgresql"}

    def make_study(self):
        urls = {store: database.database() for store, database in self.databases.items()}
        return Study(url=urls.get("records", ""), queue_url=urls.get("queue", ""))

    def setUp(self):
        super().setUp()
        self.random = seeded()
        self.devices = [self.study.device(self.receiver) for _ in range(2)]
        self.queued = [device.consent().json["submissions"] for device in self.devices]
        self.consents = len(self.queued[0])
        for device in self.devices:
            device.send()
        self.cups = self.midway = self.waited = 0

    def answer(self):
        for _ in range(FORMS):
            for device, queued in zip(self.devices, self.queued):
                self.cups += 1
                queued += device.answer(VISIT, visit(cups=CUPS + self.cups)).json["submissions"]

    def sending(self):
        return [subprocess.Popen(
            [str(BIN), "device", "send", "--store", str(device.store), "--attempts", "1"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for device in self.devices]

    def kill(self, victims):
        for victim in victims:
            (self.databases.get(victim) or getattr(self, victim)).kill()

    def revive(self, victims):
        for victim in victims:
            if victim in self.databases:
                self.databases[victim].start()
        self.check_nothing_acknowledged_is_lost()
        self.restart(*victims, devices=self.devices)

    def check_nothing_acknowledged_is_lost(self):
        """Acknowledged means durable: the queue has what the phones let go."""
        left = [len(device.queued()) for device in self.devices]
        gone = sum(map(len, self.queued)) - sum(left)
        self.assertGreaterEqual(self.study.queue_number("SELECT count(*) FROM submission"), gone)
        self.midway += sum(left) > 0
        self.waited += self.study.queue_number("SELECT count(*) FROM submission WHERE status = 'received'") > 0

    def check_all_is_stored(self):
        """Each once, in each phone's order, with the facts that the records say."""
        for device, queued in zip(self.devices, self.queued):
            sent = device.send().json
            self.assertEqual((sent["refused"], sent["remaining"]), (0, 0))
            deliveries = device.settled(120)
            self.assertEqual({row["status"] for row in deliveries.values()}, {"stored"})
            self.assertEqual(set(deliveries), set(queued))
        stored = [row[0] for row in self.study.sql(
            "SELECT submission_id FROM record_history WHERE type = 'QuestionnaireResponse' ORDER BY number, version")]
        for queued in self.queued:
            of_device = set(queued)
            self.assertEqual([submission for submission in stored if submission in of_device], queued[self.consents:])
        self.assertEqual(len(stored), self.cups)
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission"), sum(map(len, self.queued)))
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission_body"), 0)
        facts = self.study.sql("SELECT CAST(nval_num AS bigint), count(*) AS facts FROM observation_fact WHERE nval_num > 20000000 "
                               "AND modifier_cd = '@' GROUP BY nval_num ORDER BY nval_num")
        self.assertEqual(facts, [(CUPS + number, 1) for number in range(1, self.cups + 1)])
        verified = tributary("warehouse", "verify", self.study.dir, "--json").json
        self.assertEqual(verified["differences"], [])
        self.assertGreater(verified["facts"], self.cups)
        self.assertTrue(self.study.is_sound())

    def victims(self):
        """Who is killed, round by round: all of them first, then each alone in turn, and all again."""
        alone = ["receiver", "consumer", *self.databases]
        self.random.shuffle(alone)
        acts = [alone, *([victim] for victim in alone)]
        return [acts[number % len(acts)] for number in range(ROUNDS)]


class Rounds:
    def play(self, victims):
        self.answer()
        senders = self.sending()
        time.sleep(self.random.uniform(0.0, 0.3))
        self.kill(victims)
        for sender in senders:
            sender.wait(120)
        self.revive(victims)
        self.check_all_is_stored()

    def test_whatever_is_killed_what_was_acknowledged_is_stored_once_and_in_order(self):
        began = time.monotonic()
        for number, victims in enumerate(self.victims()):
            try:
                self.play(victims)
            except AssertionError as error:
                raise AssertionError(f"round {number}, in which {' and '.join(victims)} were killed") from error
        print(f"  {type(self).__name__}: {ROUNDS} rounds in {time.monotonic() - began:.0f} s; when killed, {self.midway} had "
              f"something left to send and {self.waited} something to store", file=sys.stderr)
        for process in (self.receiver, self.consumer):
            self.assertEqual(process.stop(20), 0)


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class FileAndFile(Rounds, Pair):
    queue = records = "sqlite"


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class FileAndServer(Rounds, Pair):
    queue, records = "sqlite", "postgresql"


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class ServerAndFile(Rounds, Pair):
    queue, records = "postgresql", "sqlite"


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class ServerAndServer(Rounds, Pair):
    queue = records = "postgresql"


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class OneDatabase(Rounds, Pair):
    """Both stores in one database."""

    @classmethod
    def setUpClass(cls):
        cls.databases = {"queue": server_of("queue")}

    def make_study(self):
        return Study(url=self.databases["queue"].database())


if __name__ == "__main__":
    unittest.main()
