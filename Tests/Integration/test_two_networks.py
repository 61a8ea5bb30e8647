"""A receiver and its queue in the DMZ's network, consumer and records in the house's: the house dials out, and nothing of what
phones send stands in the clear outside."""

import base64
import subprocess
import unittest
from pathlib import Path

import postgresql
from forms import VISIT, observation, visit
from harness import ON_POSTGRESQL, Study, tributary
from namespaces import ESTABLISHED, LISTENING, Namespace, ip, needs_namespaces
from parted import CONSUMER, RECEIVER, Parted, Process, memory, open_files
from sealed import SealedClient
from stored_contents import clear

DMZ, HOUSE = "10.203.77.1", "10.203.77.2"
CUPS = 283_746_519  # more than any reading, and nowhere by chance
NAME, WORDS, CODE = "Planted Name", "remembered-words-81c4", "planted-code-91d2"


def written(word):
    """A word as it may stand in bytes: as it is, in base64 wherever it begins, and in hexadecimal."""
    yield word
    yield word.hex().encode()
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + word)
        # Digits that have bits of what stands beside the word are left out.
        yield digits[(before * 8 + 5) // 6:len(digits) // 4 * 4 - 4]


def found(words, data):
    return [word for word in words if any(form in data for form in written(word))]


@needs_namespaces
@unittest.skipIf(ON_POSTGRESQL, "its stores are on servers always")
class TwoNetworks(Parted):
    users = True

    @classmethod
    def setUpClass(cls):
        try:
            cls.dmz, cls.house = Namespace(), Namespace()
        except OSError as error:
            raise unittest.SkipTest(f"this system lets nobody make a network: {error}") from error
        cls.addClassCleanup(cls.dmz.close)
        cls.addClassCleanup(cls.house.close)
        cls.dmz.join(cls.house, DMZ, HOUSE)
        with cls.dmz.entered():
            cls.queue = postgresql.PostgreSQL(address=DMZ, rules=[f"host all all {HOUSE}/32 trust"])
        cls.addClassCleanup(cls.queue.close)
        with cls.house.entered():
            cls.records = postgresql.PostgreSQL()
        cls.addClassCleanup(cls.records.close)

    def make_study(self):
        with self.dmz.entered():
            self.queue_url = self.queue.database()
        with self.house.entered():
            return Study(url=self.records.database(), queue_url=self.queue_url.replace("127.0.0.1", DMZ))

    def start_receiver(self):
        with self.dmz.entered():
            self.receiver = Process(
                self.study, self.outside, "--roles", "receiver", "--queue", self.queue_url, user=RECEIVER)

    def start_consumer(self):
        with self.house.entered():
            self.consumer = Process(self.study, self.study.dir, "--roles", "consumer,records", user=CONSUMER)

    def house_number(self, statement, *parameters):
        with self.house.entered():
            return self.study.number(statement, *parameters)

    def test_what_a_phone_sends_is_records_and_facts_inside_and_clear_text_nowhere_outside(self):
        with self.dmz.entered():
            device = self.study.device(self.receiver)
            device.consent(name=NAME)
            device.answer(VISIT, visit(cups=CUPS, rested=False, why=WORDS))
            device.send()
            self.assertEqual({row["status"] for row in device.settled(120).values()}, {"stored"})
        words = [device.participant.encode(), device.contract.encode(), str(CUPS).encode(), NAME.encode(), WORDS.encode(),
                 CODE.encode()]
        with self.dmz.entered():
            client = SealedClient(self.receiver, self.study, device=device)
            code = {"coding": [{"system": "https://example.org", "code": CODE}]}
            health = [observation(device.participant, value, code=code) for value in range(50, 100)]
            self.assertEqual(client.outcome(client.send(*health)), ("stored", None))
        self.assertEqual(self.house_number("SELECT count(*) FROM record WHERE type = 'Observation'"), len(health))
        for fact, number in ((f"nval_num = {CUPS}", 1), (f"tval_char = '{WORDS}'", 1), (f"concept_cd LIKE '%{CODE}'", len(health))):
            self.assertEqual(
                self.house_number(f"SELECT count(*) FROM observation_fact WHERE modifier_cd = '@' AND {fact}"), number, fact)
        with self.house.entered():
            verified = tributary("warehouse", "verify", self.study.dir, "--json").json
        self.assertEqual(verified["differences"], [])
        self.assertGreater(verified["facts"], len(health))
        self.assert_nothing_in_the_clear(words)
        # The same while messages wait in the DMZ.
        self.assertEqual(self.consumer.stop(20), 0)
        with self.dmz.entered():
            device.answer(VISIT, visit(cups=CUPS, why=WORDS))
            device.send()
            self.assertEqual([row["status"] for row in device.deliveries().values()].count("received"), 1)
        self.assert_nothing_in_the_clear(words)
        # The search finds what is there: inside.
        with self.house.entered():
            self.records.sql("CHECKPOINT")
        self.assertEqual(set(found(words, self.contents(self.records.folder / "data"))), set(words) - {NAME.encode()})

    def assert_nothing_in_the_clear(self, words):
        process = self.receiver.process.pid
        files = open_files(process)
        for name in files:
            self.assertFalse(name.startswith(str(self.study.dir)), name)
        remembered = memory(process)
        self.assertIn(self.queue_url.encode(), remembered, "what it works with is found there")
        self.assertEqual(found(words, remembered), [], "the receiver's memory")
        self.assertEqual(found(words, self.contents(self.outside)), [], "the receiver's folder")
        opened = b"".join(Path(name).read_bytes() for name in files if Path(name).is_file())
        self.assertEqual(found(words, opened + self.receiver.log.encode()), [], "what the receiver has open, and its log")
        with self.dmz.entered():
            dump = subprocess.run(["pg_dump", "-d", self.queue_url], capture_output=True, check=True).stdout
            self.queue.sql("CHECKPOINT")
        self.assertIn(b"submission_body", dump)
        self.assertEqual(found(words, dump), [], "the queue's rows")
        self.assertEqual(found(words, self.contents(self.queue.folder)), [], "the queue's files and journal")

    @staticmethod
    def contents(folder):
        return b"".join(clear(path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file())

    def test_nobody_can_open_a_connection_inwards(self):
        with self.dmz.entered():
            device = self.study.device(self.receiver)
            device.consent()
            device.send()
            self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        listeners = [here for here, _ in self.house.sockets(LISTENING)]
        self.assertGreaterEqual(len(listeners), 3, "records, the way to them, and the monitor")
        for address, port in listeners:
            self.assertTrue(address.is_loopback, f"{address}:{port} listens inside")
        # What is tried from the DMZ is refused; from the house the queue answers.
        ports = {port for _, port in listeners} | {self.records.port, self.consumer.port}
        self.assertEqual(self.dmz.answers(HOUSE, ports), set())
        self.assertEqual(self.house.answers(HOUSE, ports), set())
        self.assertEqual(self.house.answers(DMZ, {self.queue.port, *ports}), {self.queue.port})
        # What goes between the two was opened inside, to the queue.
        between = [(here, there) for here, there in self.dmz.sockets(ESTABLISHED) if str(there[0]) == HOUSE]
        self.assertGreater(len(between), 0)
        for here, there in between:
            self.assertEqual((str(here[0]), here[1]), (DMZ, self.queue.port), there)

    def test_while_the_wire_is_cut_the_dmz_takes_what_comes(self):
        with self.dmz.entered():
            device = self.study.device(self.receiver)
            device.consent()
            device.send()
            device.settled()
        with self.house.entered():
            ip("link", "set", "wire", "down")
        with self.dmz.entered():
            device.answer(VISIT, visit(cups=CUPS))
            self.assertEqual(device.send().json["remaining"], 0)
            self.assertIn("received", [row["status"] for row in device.deliveries().values()])
        with self.house.entered():
            ip("link", "set", "wire", "up")
        with self.dmz.entered():
            self.assertEqual({row["status"] for row in device.settled(120).values()}, {"stored"})
        self.assertEqual(self.house_number(f"SELECT count(*) FROM observation_fact WHERE nval_num = {CUPS}"), 1)
        for process in (self.receiver, self.consumer):
            self.assertEqual(process.stop(20), 0)


if __name__ == "__main__":
    unittest.main()
