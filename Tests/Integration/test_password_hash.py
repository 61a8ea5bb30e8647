"""How a password is stored: scrypt with stored parameters, which Python's hashlib verifies; an old hash is replaced at a sign-in."""

import base64
import contextlib
import hashlib
import os
import sqlite3
import unittest

import smart
from harness import Study
from smart import Browser, Form, challenge


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def scrypt(password, salt, exponent, blocks, parallelism):
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << exponent, r=blocks, p=parallelism, maxmem=1 << 28, dklen=32)


def former(password):
    """A hash in the old format, as the server wrote it: p = 1."""
    salt = os.urandom(16)
    return f"scrypt$15${encoded(salt)}${encoded(scrypt(password, salt, 15, 8, 1))}"


def replace(study, name, stored):
    """Writes an account's hash into the records' file."""
    with contextlib.closing(sqlite3.connect(study.database, timeout=20)) as connection, connection:
        changed = connection.execute("UPDATE user_account SET password = ? WHERE username = ?", (stored, name)).rowcount
    assert changed == 1


@unittest.skipIf(os.environ.get("TRIBUTARY_TEST_ENGINE") == "postgresql", "the file of the records is changed")
class PasswordHash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study()
        cls.addClassCleanup(cls.study.close)
        cls.server = cls.study.serve()
        for name in ("anna", "bea"):
            smart.person(cls.study, name, "participant", "--patient", name)
        cls.app = smart.client(cls.study, "patient/*.rs", "--public")["client_id"]

    def stored(self, name):
        return self.study.sql("SELECT password FROM user_account WHERE username = ?", name)[0][0]

    def sign_in(self, name, password=smart.PASSWORD):
        browser = Browser(self.server.url)
        page = browser.go(smart.request(self.server, self.app, "patient/*.rs", challenge()[1]))
        form = Form(page.body.decode())
        return browser.go(form.action, form.hidden + [("username", name), ("password", password)]).status

    def assert_verified(self, stored, password=smart.PASSWORD):
        scheme, exponent, blocks, parallelism, salt, digest = stored.split("$")
        self.assertEqual((scheme, exponent, blocks, parallelism), ("scrypt", "15", "8", "3"))
        self.assertNotIn("=", stored)
        self.assertEqual(scrypt(password, decoded(salt), int(exponent), int(blocks), int(parallelism)), decoded(digest))

    def test_hashlib_verifies_a_stored_hash(self):
        self.assert_verified(self.stored("anna"))
        self.assertNotEqual(self.stored("anna").split("$")[4], self.stored("bea").split("$")[4])

    def test_a_sign_in_replaces_a_hash_in_the_old_format(self):
        old = former(smart.PASSWORD)
        replace(self.study, "bea", old)
        self.assertEqual(self.sign_in("bea", "wrong horse battery"), 403)
        self.assertEqual(self.stored("bea"), old)
        self.assertEqual(self.sign_in("bea"), 200)
        renewed = self.stored("bea")
        self.assert_verified(renewed)
        self.assertEqual(self.sign_in("bea"), 200)
        self.assertEqual(self.stored("bea"), renewed)


if __name__ == "__main__":
    unittest.main()
