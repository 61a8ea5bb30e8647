"""Attacks on the server while devices send: it lives, stays small, and what the devices send is stored once.

The devices come from 127.0.0.1 and the attacks from other addresses of loopback, except where a test says so.
"""

import json
import os
import signal
import sys
import threading
import time
import unittest
from http.client import HTTPException

import attacks
from attacks import connections
from forms import new_id, observation
from harness import Server, Study, http, until
from sealed import SealedClient, seal

SECONDS = float(os.environ.get("TRIBUTARY_ATTACK_SECONDS", "4"))
# A server has at most this many files and connections: connections end 64 below it.
DESCRIPTORS = 400
MOST_MEGABYTES = 300
DEVICES = 3
EACH = 5
# Where the attacks come from.
ELSEWHERE, ALSO_ELSEWHERE = "127.0.0.2", "127.0.0.3"


class Attack(threading.Thread):
    """An attack in a thread of its own."""

    def __init__(self, attack, server, **measures):
        super().__init__(daemon=True)
        self.found = None
        self._run = lambda: attack("127.0.0.1", server.port, SECONDS, **measures)

    def run(self):
        self.found = self._run()


class Sender(threading.Thread):
    """A device that sends sealed bodies, each until the server has acknowledged it by its id."""

    def __init__(self, client, sealed, seconds):
        super().__init__(daemon=True)
        self.client, self.sealed, self.seconds = client, sealed, seconds
        self.acknowledged, self.failures = [], []

    def run(self):
        end = time.monotonic() + self.seconds
        for sid, body in self.sealed:
            while sid not in self.acknowledged and time.monotonic() < end:
                time.sleep(self.attempt(sid, body))

    def attempt(self, sid, body):
        """Sends once; returns the seconds to wait before what comes next."""
        headers = {**self.client.headers, "Tributary-Submission": sid}
        try:
            answer = http("POST", self.client.server.url + "/encfhir", headers, body, timeout=5)
        except (OSError, HTTPException):
            return 0.1
        if answer.status == 200 and json.loads(answer.body) == {"status": "received", "submission": sid}:
            self.acknowledged.append(sid)
            return 0
        if answer.status in (429, 503):
            if not (answer.headers.get("Retry-After") or "").isdigit():
                self.failures.append(f"{answer} without Retry-After")
            return 0.2
        self.failures.append(repr(answer))
        return 0.2


class AttackedServer(unittest.TestCase):
    """A server with few descriptors, and devices whose consent it has."""

    @classmethod
    def setUpClass(cls):
        cls.study = Study()
        cls.addClassCleanup(cls.study.close)
        cls.server = Server(cls.study, limit=DESCRIPTORS)
        cls.devices = []
        for _ in range(DEVICES):
            device = cls.study.device(cls.server)
            device.consent()
            device.send()
            device.settled()
            cls.devices.append((device, SealedClient(cls.server, cls.study, device=device)))
        # A registered device, so that its bodies are read; nobody consented on it.
        cls.attacker = SealedClient(cls.server, cls.study)
        cls.next_value = 0

    def memory(self):
        """Resident megabytes of the server: now, and the most ever."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))

    def senders(self):
        made = []
        for device, client in self.devices:
            client.renew()
            sealed = []
            for _ in range(EACH):
                type(self).next_value += 1
                sid = new_id()
                sealed.append((sid, seal(self.study, observation(device.participant, self.next_value), sid=sid,
                                         seq=100 + self.next_value)))
            made.append(Sender(client, sealed, SECONDS + 40))
        return made

    def under(self, *attacks_of_it):
        """Runs attacks while the devices send, checks what must hold, and returns what the attacks found."""
        # 1. All of them at a time.
        senders = self.senders()
        for attack in attacks_of_it:
            attack.start()
        time.sleep(0.3)
        for sender in senders:
            sender.start()
        for thread in (*attacks_of_it, *senders):
            thread.join(SECONDS + 60)
            self.assertFalse(thread.is_alive(), "ended in its time")
        # 2. The server lives, and answers.
        self.assertIsNone(self.server.process.poll(), self.server.log[-2000:])
        until(self.is_healthy, "the server answers after the attack", 45)
        # 3. It stayed small.
        now, most = self.memory()
        self.assertLess(now, MOST_MEGABYTES)
        self.assertLess(most, MOST_MEGABYTES)
        # 4. What the devices sent is there, once.
        for sender in senders:
            self.assertEqual(sender.failures, [])
            self.assertEqual(sender.acknowledged, [sid for sid, _ in sender.sealed])
        self.stored_once([sid for sender in senders for sid, _ in sender.sealed])
        found = [attack.found for attack in attacks_of_it]
        self.assertNotIn(None, found, "every attack ended well")
        print(f"\n  {now:.0f} MB, at most {most:.0f} MB; {json.dumps(found)}", file=sys.stderr)
        return found

    def is_healthy(self):
        try:
            return http("GET", self.server.url + "/health", timeout=5).status == 200
        except (OSError, HTTPException):
            return False

    def stored_once(self, sids):
        marks = ",".join("?" * len(sids))

        def rows():
            return self.study.queue_sql(
                f"SELECT submission_id, status FROM submission WHERE submission_id IN ({marks})", *sids)

        until(lambda: all(status != "received" for _, status in rows()), "every submission is handled")
        self.assertEqual(sorted(rows()), sorted((sid, "stored") for sid in sids))
        versions = self.study.sql(
            f"SELECT submission_id, count(*) FROM record_history WHERE submission_id IN ({marks}) GROUP BY 1", *sids)
        self.assertEqual(sorted(versions), sorted((sid, 1) for sid in sids))


class Connections(AttackedServer):
    def test_idle_sockets_of_one_address_leave_room_for_others(self):
        (found,) = self.under(Attack(attacks.idle_sockets, self.server, count=DESCRIPTORS, source=ELSEWHERE))
        self.assertGreater(found["closed by the server"], 0, "an address has so many connections and no more")

    def test_idle_sockets_beyond_the_descriptors(self):
        found = self.under(
            Attack(attacks.idle_sockets, self.server, count=DESCRIPTORS, source=ELSEWHERE),
            Attack(attacks.idle_sockets, self.server, count=DESCRIPTORS, source=ALSO_ELSEWHERE))
        self.assertGreater(sum(one["opened"] for one in found), DESCRIPTORS)
        self.assertGreater(sum(one["closed by the server"] + one["refused"] for one in found), 0)

    def test_slow_heads(self):
        (found,) = self.under(Attack(attacks.slow_heads, self.server, count=200, path="/health", source=ELSEWHERE))
        self.assertGreaterEqual(found["most at a time"], 100)

    def test_slow_bodies(self):
        found = self.under(
            # Without a token they are answered before the body; with one they are read.
            Attack(attacks.slow_bodies, self.server, count=80, path="/encfhir", source=ELSEWHERE),
            Attack(attacks.slow_bodies, self.server, count=120, path="/encfhir", headers=self.attacker.headers,
                   source=ALSO_ELSEWHERE))
        self.assertGreater(found[0]["closed by the server"], 0)
        self.assertGreater(found[1]["opened"], 0)

    def test_answers_that_nobody_reads(self):
        (found,) = self.under(
            Attack(attacks.unread_answers, self.server, count=100, path="/fhir/metadata", source=ELSEWHERE))
        self.assertGreater(found["opened"], 0)


class Bodies(AttackedServer):
    def test_large_bodies_of_a_device(self):
        self.attacker.renew()
        before = self.study.queue_sql("SELECT count(*) FROM submission")[0][0]
        (found,) = self.under(
            Attack(attacks.large_bodies, self.server, count=20, path="/encfhir", headers=self.attacker.headers,
                   length=8 << 20, source=ELSEWHERE))
        self.assertNotIn("200", found)
        self.assertNotIn("500", found)
        self.assertGreater(sum(found.values()), 0)
        # Nothing of them is kept.
        self.assertEqual(self.study.queue_sql("SELECT count(*) FROM submission")[0][0], before + DEVICES * EACH)

    def test_large_bodies_of_a_stranger(self):
        (found,) = self.under(
            Attack(attacks.large_bodies, self.server, count=20, path="/encfhir", length=8 << 20, source=ELSEWHERE))
        self.assertLessEqual({status for status in found if status.isdigit()}, {"401", "429", "503"})


class Floods(AttackedServer):
    def flood(self, source):
        json_headers = {"Content-Type": "application/json"}
        return [
            Attack(attacks.flood, self.server, count=4, path="/register", method="POST", headers=json_headers,
                   body=b"{}", source=source),
            Attack(attacks.flood, self.server, count=4, path="/oauth", method="POST",
                   body=b"grant_type=client_credentials&client_id=nobody&client_secret=guess", source=source),
            Attack(attacks.flood, self.server, count=4, path="/fhir/Observation", source=source),
            Attack(attacks.flood, self.server, count=4, path="/encfhir", method="POST", body=b"{}", source=source),
        ]

    def check(self, source):
        rows = (self.study.number("SELECT count(*) FROM audit WHERE actor_id IS NULL"),
                self.study.queue_sql("SELECT count(*) FROM enrolment")[0][0],
                self.study.queue_sql("SELECT count(*) FROM client")[0][0])
        found = self.under(*self.flood(source))
        asked = 0
        for one in found:
            self.assertLessEqual({status for status in one if status.isdigit()}, {"400", "401", "429", "503"}, found)
            asked += sum(one.values())
        # Who proves nothing is soon asked to wait, whatever the path.
        self.assertTrue(all("429" in one for one in found[2:]), found)
        # A row for each minute and code, not for each of them.
        counted = self.study.queue_sql("SELECT count(*), COALESCE(sum(count), 0) FROM refusal_count")[0]
        self.assertLess(counted[0], 200)
        self.assertGreater(counted[1], 0)
        self.assertGreater(asked, 500)
        self.assertEqual((self.study.number("SELECT count(*) FROM audit WHERE actor_id IS NULL"),
                          self.study.queue_sql("SELECT count(*) FROM enrolment")[0][0],
                          self.study.queue_sql("SELECT count(*) FROM client")[0][0]), rows)

    def test_floods_without_a_token(self):
        self.check(ELSEWHERE)

    def test_floods_from_the_address_of_the_devices(self):
        """Who shares an address with an attack is asked to wait, and loses nothing."""
        self.check("127.0.0.1")


class Stopping(AttackedServer):
    def test_sigterm_ends_it_while_clients_hold_on(self):
        server, token = self.server, self.attacker.headers
        held = []
        openings = [
            (100, b"", None),
            (50, connections.head("GET", "/health") + b"X-Slow: ", None),
            (20, connections.head("POST", "/encfhir", {**token, "Content-Length": 1 << 20}) + b"\r\n{", None),
            (20, (connections.head("GET", "/fhir/metadata") + b"\r\n") * 20, 4096),
        ]
        try:
            for count, opening, receive_buffer in openings:
                for _ in range(count):
                    made = connections.connect(
                        "127.0.0.1", server.port, receive_buffer=receive_buffer, source=ELSEWHERE)
                    self.assertIsNotNone(made)
                    held.append(made)
                    if opening:
                        self.assertIsNotNone(connections.send_now(made, opening))
            (client, sid, body) = self.one()
            self.assertEqual(client.post(body).status, 200)
            begun = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            # They go on with it: a byte now and then on what is open.
            while server.process.poll() is None and time.monotonic() - begun < 20:
                for made in held[100:170]:
                    connections.send_now(made, b"a")
                time.sleep(0.2)
            took = time.monotonic() - begun
            self.assertEqual(server.process.poll(), 0, f"after {took:.1f} s: {server.log[-2000:]}")
            self.assertLess(took, 20)
            print(f"\n  ended {took:.1f} s after SIGTERM", file=sys.stderr)
        finally:
            for made in held:
                made.close()
        server.stop()
        # What was acknowledged before is there, beside the stopped server.
        found = self.study.queue_sql("SELECT count(*) FROM submission WHERE submission_id = ?", sid)
        self.assertEqual(found, [(1,)])
        self.assertTrue(self.study.is_sound())

    def one(self):
        device, client = self.devices[0]
        sid = new_id()
        return client, sid, seal(self.study, observation(device.participant), sid=sid, seq=100)


if __name__ == "__main__":
    unittest.main()
