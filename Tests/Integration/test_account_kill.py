"""kill -9 during sign-ups, uploads, deletions and mails: each operation is complete or has no effect, and no mail is lost."""

import hashlib
import json
import os
import sys
import threading
import time
import unittest
import uuid

import postgresql
from accounts import PASSWORD, AccountStudy
from harness import ANTISPAM, http, seeded, until

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "3"))
IMAGE = bytes([0xFF, 0xD8, 0xFF, 0xE0])


class Killed(unittest.TestCase):
    def begin(self, **options):
        self.random = seeded()
        self.study = AccountStudy(**options)
        self.addCleanup(self.study.close)
        self.server = self.study.serve()
        self.tokens, self.signed_up, self.results, self.blobs, self.deleted = {}, set(), {}, {}, set()
        # Addresses whose sign-up or deletion had no answer.
        self.attempted, self.maybe = set(), set()
        self.lock = threading.Lock()
        began = time.monotonic()
        for index in range(4):
            self.sign_up(f"first{index}@example.org")
        self.assertEqual(len(self.tokens), 4)
        # The time of a sign-up, which is mainly that of its hash.
        self.slow = (time.monotonic() - began) / 4

    def ask(self, method, path, token=None, body=b""):
        headers = {"Antispam": ANTISPAM} | ({"Authorization": f"Bearer {token}"} if token else {})
        try:
            return http(method, f"{self.server.url}/v1/{path}", headers, body)
        except OSError:
            return None  # The server was killed: the outcome is not known.

    def sign_up(self, email):
        self.attempted.add(email)
        answer = self.ask("POST", "accounts", body=json.dumps({"email": email, "password": PASSWORD}).encode())
        if answer is not None and answer.status == 201:
            with self.lock:
                self.signed_up.add(email)
                self.tokens[email] = answer.json["accessToken"]

    def save(self, email, token):
        run = str(uuid.uuid4())
        body = json.dumps({"_class": "ORKTaskResult", "taskRunUUID": run, "identifier": email}).encode()
        answer = self.ask("PUT", f"results/{run}", token, body)
        if answer is not None and answer.status == 201:
            with self.lock:
                self.results.setdefault(email, {})[run] = body

    def upload(self, email, token):
        content = IMAGE + os.urandom(200_000)
        digest = hashlib.sha256(content).hexdigest()
        answer = self.ask("PUT", f"me/blobs/{digest}", token, content)
        if answer is not None and answer.status == 201:
            with self.lock:
                self.blobs.setdefault(email, {})[digest] = content

    def delete(self, email, token):
        answer = self.ask("POST", "me/deletion", token, json.dumps({"password": PASSWORD}).encode())
        if answer is not None and answer.status == 202:
            with self.lock:
                self.deleted.add(email)
        else:
            # It may have been accepted without an answer.
            with self.lock:
                self.maybe.add(email)

    def test_the_server_is_killed_while_people_use_it(self):
        self.begin()
        self.run_rounds()

    def test_the_server_is_killed_while_people_use_it_with_a_database_on_a_server(self):
        self.begin(url=postgresql.server().database())
        self.run_rounds()

    def run_rounds(self):
        for round_number in range(ROUNDS):
            known = sorted(self.tokens.items())
            emails = [f"p{round_number}-{index}@example.org" for index in range(2)]
            work = [lambda email=email: self.sign_up(email) for email in emails]
            email, token = self.random.choice(known)
            work += [lambda: self.save(email, token), lambda: self.upload(email, token)]
            victim, key = self.random.choice(known)
            if len(known) > 3 and victim != email:
                # First, because passwords are checked one after the other.
                work.insert(0, lambda: self.delete(victim, key))
            threads = [threading.Thread(target=each) for each in work]
            for thread in threads:
                thread.start()
            time.sleep(self.random.uniform(0, 4 * self.slow))
            self.server.kill()
            for thread in threads:
                thread.join()
            for gone in self.deleted | self.maybe:
                self.tokens.pop(gone, None)
            self.server = self.study.serve()
        self.check()

    def check(self):
        study = self.study
        gone = self.deleted | self.maybe
        print(f"  acknowledged: {len(self.signed_up)} sign-ups, {sum(map(len, self.results.values()))} results, "
              f"{sum(map(len, self.blobs.values()))} files, {len(self.deleted)} deletions", file=sys.stderr)
        # Deletions are completed by the next server.
        until(lambda: not study.people_sql("SELECT account_id FROM person WHERE deletion_requested_at IS NOT NULL"),
              "the deletions are complete", seconds=90)
        rows = {email: account for email, account in study.people_sql("SELECT email, account_id FROM person")}
        self.assertLessEqual(self.signed_up - gone, set(rows))
        self.assertEqual(self.deleted & set(rows), set())
        # A sign-up without an answer is complete or has no effect.
        self.assertLessEqual(set(rows), self.attempted)
        users = {name for name, in study.people_sql("SELECT username FROM user_account")}
        self.assertEqual(users, set(rows))
        self.assertEqual(len(study.people_sql("SELECT account_id FROM person_group")), len(rows))
        # The mail of each sign-up is in the folder, once; those of deleted accounts are removed.
        until(lambda: not study.people_sql("SELECT id FROM mail_message"), "all mails are written", seconds=60)
        for email in rows:
            with_code = [text for text in study.mails(email) if "Code: " in text]
            self.assertEqual(len(with_code), 1, email)
        for email in self.deleted:
            self.assertEqual(study.mails(email), [], email)
        for email, saved in self.results.items():
            if email in gone:
                continue
            stored = dict(study.people_sql(
                f"SELECT uuid, content FROM person_result WHERE account_id = '{rows[email]}'"))
            for run, body in saved.items():
                self.assertEqual(stored[run].encode(), body)
        for email, files in self.blobs.items():
            if email in gone:
                continue
            stored = {digest for digest, in study.people_sql(
                f"SELECT digest FROM person_blob WHERE account_id = '{rows[email]}'")}
            self.assertLessEqual(set(files), stored)
        # The bytes of each account are those of its rows.
        for account, total in study.people_sql("SELECT account_id, stored_bytes FROM person"):
            [(blobs,)] = study.people_sql(f"SELECT coalesce(sum(size), 0) FROM person_blob WHERE account_id = '{account}'")
            [(results,)] = study.people_sql(
                f"SELECT coalesce(sum(size), 0) FROM person_result WHERE account_id = '{account}'")
            self.assertEqual(int(total), int(blobs) + int(results))


if __name__ == "__main__":
    unittest.main()
