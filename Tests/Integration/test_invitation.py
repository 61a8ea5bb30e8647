"""Devices that enrol with an invitation code of the study team, without an app store."""

import hashlib
import os
import subprocess
import sys
import time
import unittest

from forms import VISIT, visit
from harness import ANTISPAM, BIN, CONSENT_ANSWERS, Study, contract_file, http, seeded, token_request, tributary

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))


def by_invitation(value):
    """A study without an app, whose participants need a code in the consent too."""
    value.pop("bundleIdentifier")
    value["invitation"] = "required"


def proof(code):
    return hashlib.sha256(b"tributary-enrolment:" + code.encode()).hexdigest()


class Invited(unittest.TestCase):
    def setUp(self):
        self.study = Study(signed=True, change=by_invitation)
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        self.server = self.study.serve()

    def codes(self, count):
        return [row["code"] for row in tributary("participant", "invite", self.study.dir, "--count", count).json]

    def enrol(self, device, code, status=0, antispam=ANTISPAM):
        return device.run("enrol", "--url", self.server.url, "--antispam", antispam, "--invitation", code, status=status)

    def phone(self):
        return self.study.device(self.server, enrol=False)

    def refusal(self, code):
        """The exit and the message of an enrolment that must fail."""
        done = self.enrol(self.phone(), code, status=1)
        self.assertIn("registration-refused", done.errors)
        return done.errors

    def test_a_participant_takes_part_with_a_code_alone(self):
        code, other, lost = self.codes(3)
        device = self.phone()
        self.enrol(device, code)
        self.assertEqual((device.store / "installation").stat().st_mode & 0o777, 0o600)
        device.run("consent", "--contract", contract_file(), "--answers", CONSENT_ANSWERS, "--name", "N", "--code", code)
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertGreater(self.study.number("SELECT count(*) FROM observation_fact"), 0)
        # Its messages are signed, as those of all devices.
        self.assertEqual(self.study.number("SELECT count(*) FROM device_key"), 1)
        # The queue's store and the log have no code; the proof begins no participation.
        log = self.server.log
        rows = self.study.queue_sql("SELECT * FROM enrolment_invitation")
        for secret in (code, proof(code)):
            self.assertNotIn(secret, log)
            self.assertNotIn(secret, repr(rows))
        # Used, guessed, malformed and revoked: one message for all that reach the server.
        self.assertEqual(tributary("participant", "invite", self.study.dir, "--revoke", lost).json, {"revoked": 1})
        messages = {self.refusal(value) for value in (code, "b" * 26, lost)}
        self.assertEqual(len(messages), 1)
        self.assertIn("invitation-invalid", self.enrol(self.phone(), "short", status=1).errors)
        self.assertIn("invitation-unknown",
                      tributary("participant", "invite", self.study.dir, "--revoke", lost, status=1).errors)
        # The same phone stays the same device.
        self.enrol(device, code)
        self.assertEqual(len(tributary("enrolment", "list", self.study.dir, "--json").json), 1)
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        # A wrong antispam word spends nothing, and a revoked device does not come back by its code.
        second = self.phone()
        self.enrol(second, other, status=1, antispam="wrong-antispam-word")
        self.enrol(second, other)
        [row] = [row for row in tributary("enrolment", "list", self.study.dir, "--json").json
                 if row["participant"] is None]
        tributary("enrolment", "revoke", self.study.dir, row["device"])
        self.assertIn("registration-refused", self.enrol(second, other, status=1).errors)
        # Without an app there is no receipt.
        headers = {"Antispam": ANTISPAM}
        answer = http("POST", self.server.url + "/register", headers, {"receipt-data": "AAAA"})
        self.assertEqual((answer.status, answer.code), (403, "unauthorized_client"))
        self.assertIn("study-without-app", tributary("app-receipt", "make", self.study.dir, status=1).errors)

    def test_a_kill_of_either_side_leaves_no_half_enrolment(self):
        random = seeded()
        killed = 0
        for number, code in enumerate(self.codes(min(ROUNDS, 4))):
            device = self.phone()
            process = subprocess.Popen(
                [str(BIN), "device", "enrol", "--store", str(device.store), "--url", self.server.url, "--antispam",
                 ANTISPAM, "--invitation", code],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.4))
            if number % 2:
                self.server.kill()
            else:
                process.kill()
            killed += process.wait() != 0
            if number % 2:
                self.server = self.study.serve()
            self.enrol(device, code)
            self.refusal(code)
            enrolment = device.enrolment
            self.assertEqual(token_request(self.server, enrolment["clientID"], enrolment["clientSecret"]).status, 200)
            self.assertEqual(self.study.queue_number("SELECT count(*) FROM enrolment"), number + 1)
            self.assertEqual(self.study.queue_number("SELECT count(*) FROM client WHERE revoked_at IS NULL"), number + 1)
        print(f"  {killed} enrolments were interrupted", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
