"""Many sign-ins to accounts at the same time take little memory, and each has an answer."""

import base64
import hashlib
import json
import sys
import threading
import unicodedata
import unittest

from accounts import PASSWORD, AccountStudy
from harness import ANTISPAM, http

FAST = {"perSecond": 1_000_000, "burst": 1_000_000}
RATES = {name: FAST for name in ("sign-in-by-account", "sign-in-by-account-overall", "sign-in-by-address",
                                 "unauthenticated-by-address", "registration-by-address")}
MEMORY = 200 << 20


class SigningIn(unittest.TestCase):
    def setUp(self):
        def change(value):
            value.setdefault("limits", {})["rates"] = RATES

        self.study = AccountStudy(change=change)
        self.addCleanup(self.study.close)
        self.server = self.study.serve()
        self.study.person(self.server, "ann@example.org")

    def attempt(self, email, password="wrong horse battery"):
        body = json.dumps({"email": email, "password": password}).encode()
        return http("POST", f"{self.server.url}/v1/sessions", {"Antispam": ANTISPAM}, body)

    def test_two_hundred_sign_ins_at_the_same_time_take_little_memory(self):
        def resident():
            with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
                lines = dict(line.split(":", 1) for line in status)
            return int(lines["VmRSS"].split()[0]) << 10, int(lines["VmHWM"].split()[0]) << 10

        self.attempt("ann@example.org")
        before, _ = resident()
        statuses = []
        lock = threading.Lock()

        def sign_in():
            answer = self.attempt("ann@example.org", PASSWORD)
            with lock:
                statuses.append((answer.status, answer.headers.get("Retry-After")))

        threads = [threading.Thread(target=sign_in) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        _, peak = resident()
        print(f"  {(peak - before) >> 20} MB more; {sorted({status for status, _ in statuses})}", file=sys.stderr)
        self.assertEqual(len(statuses), 200)
        for status, wait in statuses:
            self.assertIn(status, (201, 429, 503))
            if status != 201:
                self.assertTrue(wait)
        self.assertLess(peak - before, MEMORY)
        self.assertEqual(self.attempt("ann@example.org", PASSWORD).status, 201)

    def test_another_program_verifies_a_stored_hash(self):
        [(stored,)] = self.study.people_sql("SELECT password FROM user_account")
        scheme, exponent, block, parallel, salt, digest = stored.split("$")
        self.assertEqual((scheme, block, parallel), ("scrypt", "8", "3"))

        def decode(text):
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

        password = unicodedata.normalize("NFC", PASSWORD).encode()
        made = hashlib.scrypt(password, salt=decode(salt), n=1 << int(exponent), r=int(block), p=int(parallel), dklen=32,
                              maxmem=256 << 20)
        self.assertEqual(made, decode(digest))


if __name__ == "__main__":
    unittest.main()
