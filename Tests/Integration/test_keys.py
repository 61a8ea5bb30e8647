"""The keys that submissions are sealed to: rotated, revoked, shared with others, under a passphrase, and proven by a drill."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from forms import VISIT, visit
from harness import ANTISPAM, BIN, Study, http, seeded, tributary, until
from test_kill import CUPS, retry_crashed

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
# `make attack` and KILL_ROUNDS=30 take as many as a study has.
PHONES = 20 if ROUNDS >= 30 else 6


def fingerprint(study):
    """The fingerprint of the study's root key, as `keys publish` tells it."""
    return tributary("keys", "publish", study.dir).errors.split()[-1]


def keys(study, state=None):
    listed = tributary("keys", "list", study.dir, "--json").json["keys"]
    return [key["kid"] for key in listed if state in (None, key["state"])]


def sealed_to(path):
    """The keys that a queued file names, in its order."""
    envelope = json.loads(path.read_bytes())
    if "recipients" in envelope:
        return [recipient["header"]["kid"] for recipient in envelope["recipients"]]
    protected = envelope["protected"]
    return [json.loads(base64.urlsafe_b64decode(protected + "=" * (-len(protected) % 4)))["kid"]]


class WithKeys(unittest.TestCase):
    def setUp(self):
        self.study = Study(signed=True)
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)

    def member(self, server):
        """A phone that knows the root key, whose consent is stored."""
        device = self.study.device(server, enrol=False)
        receipt = self.study.root / f"{device.store.name}.b64"
        receipt.write_text(self.study.receipt())
        device.run("enrol", "--url", server.url, "--receipt", receipt, "--antispam", ANTISPAM, "--root",
                   fingerprint(self.study))
        device.consent()
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        return device

    def answer(self, device, cups=1):
        """Queues an answer; returns its file."""
        before = set((device.store / "outbox").glob("*.sealed"))
        device.answer(VISIT, visit(cups=cups))
        [path] = set((device.store / "outbox").glob("*.sealed")) - before
        return path

    def learns(self, device):
        """Sends until the phone has heard of new keys: the server looks at them once a second."""
        until(lambda: "new keys" in device.send().errors, "the phone hears of the new keys")

    def all_stored(self, device):
        return {row["status"] for row in device.settled().values()} == {"stored"}


class Revoked(WithKeys):
    def test_a_revoked_key_is_sealed_to_no_more_and_what_was_is_opened(self):
        server = self.study.serve()
        device = self.member(server)
        waiting = self.answer(device)
        [old] = sealed_to(waiting)
        told = tributary("keys", "revoke", self.study.dir, old[:12], "--json")
        self.assertIn(old, told.errors)
        self.assertEqual([key["state"] for key in told.json["keys"] if key["kid"] == old], ["revoked"])
        published = [key["kid"] for key in http("GET", server.url + "/.well-known/jwks.json").json["keys"]]
        self.assertNotIn(old, published)
        self.assertEqual(set(published), set(keys(self.study, "current")))
        # The phone hears of it with the answer to what it sends, and seals to the new key from then on.
        self.learns(device)
        self.assertNotIn(old, sealed_to(self.answer(device)))
        self.assertNotIn("new keys", device.send().errors)
        self.assertTrue(self.all_stored(device))
        # Doing it again changes nothing; what is no key is told.
        tributary("keys", "revoke", self.study.dir, old)
        self.assertEqual(set(keys(self.study, "current")), set(published))
        self.assertIn("key-not-found", tributary("keys", "revoke", self.study.dir, "A" * 43, status=1).errors)
        # It stays as it is when keys are made anew.
        tributary("keys", "rotate", self.study.dir)
        self.assertEqual(keys(self.study, "revoked"), [old])

    def test_mail_for_a_key_that_is_away_waits_and_says_for_which(self):
        server = self.study.serve()
        device = self.member(server)
        waiting = self.answer(device)
        [kid] = sealed_to(waiting)
        tributary("keys", "rotate", self.study.dir)
        [file] = [key["file"] for key in tributary("keys", "list", self.study.dir, "--json").json["keys"] if key["kid"] == kid]
        away = self.study.root / file
        shutil.move(self.study.dir / "keys" / file, away)
        device.send()
        [row] = until(lambda: [row for row in tributary("queue", "show", self.study.dir, "--json").json["submissions"]
                               if row["reason"] == "key-unknown"], "it waits for its key")
        self.assertIn(kid, row["detail"])
        failed = tributary("keys", "drill", self.study.dir, "--json", status=1)
        self.assertEqual(failed.json["messages"], {"waiting": 1, "opened": 0})
        shutil.move(away, self.study.dir / "keys" / file)
        until(lambda: self.all_stored(device), "it is opened when the key is there")


class Rotated(WithKeys):
    def test_keys_are_rotated_and_revoked_while_phones_send_and_both_sides_are_killed(self):
        random = seeded()
        server = self.study.serve()
        phones = [self.member(server) for _ in range(PHONES)]
        cups = 0
        for round_number in range(ROUNDS):
            for phone in phones:
                cups += 1
                phone.answer(VISIT, visit(cups=CUPS + cups))
            senders = [subprocess.Popen(
                [str(BIN), "device", "send", "--store", str(phone.store), "--attempts", "1"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for phone in phones]
            changes = threading.Thread(target=self.change_keys, args=(round_number,))
            changes.start()
            time.sleep(random.uniform(0.05, 0.8))
            for sender in random.sample(senders, len(senders) // 4):
                sender.kill()
            if round_number % 2:
                time.sleep(random.uniform(0, 0.5))
                server.kill()
            for sender in senders:
                sender.wait(120)
            changes.join(120)
            self.assertFalse(changes.is_alive())
            if round_number % 2:
                old, server = server.url, self.study.serve()
                for phone in phones:
                    path = phone.store / "enrolment.json"
                    path.write_text(path.read_text().replace(old.replace("/", "\\/"), server.url).replace(old, server.url))
        for phone in phones:
            phone.send()
            self.assertEqual(phone.queued(), [])
        self.study.settled(300)
        retry_crashed(self)
        for phone in phones:
            self.assertEqual({row["status"] for row in phone.settled().values()}, {"stored"})
            # The next thing is sealed to what is published now.
            until(lambda: set(row["kid"] for row in json.loads(phone.enrolment["jwks"])["keys"]) == set(
                keys(self.study, "current")) or not phone.send(), "the phone has the keys of now")
            self.assertIn(sealed_to(self.answer(phone))[0], keys(self.study, "current"))
        counted = self.study.sql(
            "SELECT nval_num, count(*) FROM observation_fact WHERE nval_num > 10000000 AND modifier_cd = '@' "
            "GROUP BY nval_num ORDER BY nval_num")
        self.assertEqual(counted, [(CUPS + number, 1) for number in range(1, cups + 1)])
        listed = keys(self.study)
        print(f"  {ROUNDS} rounds, {PHONES} phones, {cups} answers stored once; {len(listed)} keys, "
              f"{len(keys(self.study, 'revoked'))} revoked", file=sys.stderr)

    def change_keys(self, round_number):
        """Makes new keys, or takes the current ones out of use; every third change is killed on its way and done again."""
        command = ["rotate", self.study.dir]
        if round_number % 2:
            command = ["revoke", self.study.dir, keys(self.study, "current")[0]]
        if round_number % 3 == 2:
            process = subprocess.Popen([str(BIN), "keys", *map(str, command)], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.03)
            process.send_signal(signal.SIGKILL)
            process.wait()
        tributary("keys", *command)


class Shared(WithKeys):
    def test_a_coordinating_centre_opens_alone_what_the_study_opens_alone(self):
        server = self.study.serve()
        device = self.member(server)
        centre = self.study.root / "centre"
        centre.mkdir(mode=0o700)
        private = centre / "centre.private.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", private],
                       check=True, capture_output=True)
        private.chmod(0o600)
        public = self.study.root / "centre.pem"
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        [kid] = [row["kid"] for row in
                 tributary("keys", "recipients", self.study.dir, "--add", public, "--json").json["recipients"]]
        self.assertEqual([finding for finding in self.study.findings() if finding["severity"] == "error"], [])
        # The phone hears of it, and seals to both.
        before = self.answer(device)
        self.assertEqual(len(sealed_to(before)), 1)
        self.learns(device)
        path = self.answer(device, cups=CUPS + 1)
        own, other = sealed_to(path)
        self.assertEqual(other, kid)
        self.assertIn(own, keys(self.study, "current"))
        opened = json.loads(tributary("envelope", "open", "--keys", centre, path).out)
        self.assertEqual(opened["resourceType"], "QuestionnaireResponse")
        self.assertEqual(opened, json.loads(tributary("envelope", "open", "--keys", self.study.dir / "keys", path).out))
        device.send()
        until(lambda: self.all_stored(device), "the study opens it too")
        self.assertEqual(self.study.number("SELECT count(*) FROM observation_fact WHERE nval_num = ?", CUPS + 1), 1)
        # A private key is no recipient's, and the study's own is published already.
        self.assertIn("key-is-private", tributary("keys", "recipients", self.study.dir, "--add", private, status=1).errors)
        own_key = self.study.root / "own.jwk"
        own_key.write_bytes((self.study.dir / "jwks.json").read_bytes())
        self.assertIn("recipient-own", tributary("keys", "recipients", self.study.dir, "--add", own_key, status=1).errors)
        # Removed, it is sealed to no more.
        tributary("keys", "recipients", self.study.dir, "--remove", kid)
        self.learns(device)
        self.assertEqual(len(sealed_to(self.answer(device))), 1)
        self.assertIn("recipient-unknown",
                      tributary("keys", "recipients", self.study.dir, "--remove", kid, status=1).errors)


class Protected(WithKeys):
    def environment(self, value):
        def restore(old=os.environ.get("TRIBUTARY_KEY_PASSPHRASE_FILE")):
            os.environ.pop("TRIBUTARY_KEY_PASSPHRASE_FILE", None)
            if old is not None:
                os.environ["TRIBUTARY_KEY_PASSPHRASE_FILE"] = old
        self.addCleanup(restore)
        os.environ.pop("TRIBUTARY_KEY_PASSPHRASE_FILE", None)
        if value is not None:
            os.environ["TRIBUTARY_KEY_PASSPHRASE_FILE"] = str(value)

    def passphrase(self, name, text):
        path = self.study.root / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return path

    def test_keys_under_a_passphrase_open_nothing_without_it_and_all_with_it(self):
        server = self.study.serve()
        device = self.member(server)
        first = self.passphrase("first", "three grey herons")
        tributary("keys", "protect", self.study.dir, "--passphrase-file", first)
        for file in (self.study.dir / "keys").glob("*.pem"):
            self.assertIn(b"BEGIN ENCRYPTED PRIVATE KEY", file.read_bytes(), file.name)
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        server.stop()
        # Without it the server takes mail and does not open it.
        server = self.study.serve()
        device.follow(self.study.servers[0].url, server.url)
        self.answer(device)
        device.send()
        ready = http("GET", server.monitor_url + "/readyz")
        self.assertEqual(ready.status, 503)
        self.assertIn("keys-missing", ready.body.decode())
        self.assertIn("key-passphrase-missing", tributary("keys", "list", self.study.dir, status=1).errors)
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission WHERE status = 'received'"), 1)
        server.stop()
        # A wrong one, one that others may read, a short one: each says so.
        for name, text, mode, code in (("wrong", "four grey herons", 0o600, "key-passphrase-wrong"),
                                       ("open", "three grey herons", 0o644, "key-passphrase-open"),
                                       ("short", "herons", 0o600, "key-passphrase-unfit")):
            file = self.passphrase(name, text)
            file.chmod(mode)
            self.environment(file)
            self.assertIn(code, tributary("keys", "list", self.study.dir, status=1).errors)
        # With it.
        self.environment(first)
        server = self.study.serve()
        self.assertEqual(http("GET", server.monitor_url + "/readyz").status, 200)
        self.study.settled()
        tributary("keys", "rotate", self.study.dir)
        for file in (self.study.dir / "keys").glob("*.pem"):
            self.assertIn(b"BEGIN ENCRYPTED PRIVATE KEY", file.read_bytes(), file.name)
        self.assertTrue(tributary("keys", "drill", self.study.dir, "--json").json["keys"])
        # Another one.
        second = self.passphrase("second", "five white herons")
        tributary("keys", "protect", self.study.dir, "--passphrase-file", second)
        self.assertIn("key-passphrase-wrong", tributary("keys", "list", self.study.dir, status=1).errors)
        self.environment(None)
        os.environ["CREDENTIALS_DIRECTORY"] = str(self.study.root / "credentials")
        self.addCleanup(os.environ.pop, "CREDENTIALS_DIRECTORY", None)
        (self.study.root / "credentials").mkdir()
        shutil.copy(second, self.study.root / "credentials" / "tributary-key-passphrase")
        self.assertEqual(len(keys(self.study, "current")), 2)
        # OpenSSL reads them too.
        [file] = sorted((self.study.dir / "keys").glob("*p256*.private.pem"))[:1]
        subprocess.run(["openssl", "pkey", "-in", file, "-passin", f"file:{second}", "-noout"], check=True,
                       capture_output=True)


class Drilled(WithKeys):
    def test_a_drill_proves_that_a_copy_opens_what_phones_send_and_what_a_backup_holds(self):
        server = self.study.serve("--roles", "receiver,records")
        device = self.study.device(server)
        device.consent()
        device.send()
        copy = self.study.root / "copy"
        shutil.copytree(self.study.dir / "keys", copy)
        backup = self.study.root / "backup.tar"
        tributary("backup", self.study.dir, "-o", backup)
        done = tributary("keys", "drill", self.study.dir, "--keys", copy, "--backup", backup, "--json").json
        self.assertEqual(done["root"], "matches")
        self.assertEqual([key["opens"] for key in done["keys"]], [True, True])
        self.assertEqual(done["messages"], {"waiting": 2, "opened": 2})
        # A copy from before the last rotation opens the old mail, and not what is sealed today.
        tributary("keys", "rotate", self.study.dir)
        failed = tributary("keys", "drill", self.study.dir, "--keys", copy, "--json", status=1)
        self.assertIn("drill-failed", failed.errors)
        self.assertEqual([key["opens"] for key in failed.json["keys"]], [False, False])
        self.assertEqual(failed.json["messages"], {"waiting": 2, "opened": 2})
        # A copy without the root key says so; another study's root key is no root of this one.
        (copy / "root.pem").unlink()
        self.assertEqual(tributary("keys", "drill", self.study.dir, "--keys", copy, "--json", status=1).json["root"], "absent")
        other = Study()
        self.addCleanup(other.close)
        shutil.copy(other.dir / "keys" / "root.pem", copy / "root.pem")
        self.assertEqual(
            tributary("keys", "drill", self.study.dir, "--keys", copy, "--json", status=1).json["root"], "differs")
        # Nothing of the restored backup stays, and nothing of the messages is shown.
        self.assertNotIn(b"resourceType", failed.out + failed.err)


if __name__ == "__main__":
    unittest.main()
