"""The store of account holders in operation: backup and restore, moves, checks, sizes, and accounts that come and go."""

import json
import os
import re
import shutil
import subprocess
import unittest
import uuid

import postgresql
from harness import ANTISPAM, Study, http, read_sql, tributary, until
from test_full_disk import ROOT_ALONE, fill, mount

PASSWORD = "a long enough password"


class PeopleTest(unittest.TestCase):
    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)

    def make(self, *options):
        """A study of its own, made with `--accounts`, in files."""
        self.study.dir = self.study.root / "people"
        tributary("init", self.study.dir, "--antispam", ANTISPAM, "--development", "--accounts", *options)

    # Account holders

    def call(self, method, path, token=None, body=None, status=200, **headers):
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.server.request(method, "/v1/" + path, headers, body)
        self.assertEqual(answer.status, status, f"{method} {path}: {answer}")
        return answer

    def sign_up(self, email):
        answer = self.call("POST", "accounts", body={"email": email, "password": PASSWORD}, status=201, Antispam=ANTISPAM)
        return answer.json

    def sign_in(self, email, status=201):
        return self.call("POST", "sessions", body={"email": email, "password": PASSWORD}, status=status,
                         Antispam=ANTISPAM).json

    def code(self, email):
        """The code of the first mail to an address."""
        def look():
            for mail in sorted((self.study.dir / "data" / "mail").glob("*.eml")):
                text = mail.read_text()
                if email in text and (found := re.search(r"^Code: (\S+)", text, re.M)):
                    return found[1]
            return None
        return until(look, f"a code is sent to {email}")

    def verify(self, account, email):
        self.call("POST", "me/verification", account["accessToken"], {"code": self.code(email)}, 204)

    def grant(self, account, role="care-team"):
        tributary("account", "grant", self.study.dir, "--account", account["account"], "--role", role, "--group", "*")

    def profile(self, token, value=None):
        """The profile; a value replaces it."""
        answer = self.call("GET", "me/profile", token)
        if value is None:
            return answer.json
        return self.call("PUT", "me/profile", token, value, 204, **{"If-Match": answer.headers["ETag"]})

    def patients(self, token, after=None):
        page = self.call("GET", "patients" + (f"?after={after}" if after else ""), token).json
        return {row["patient"]: set(row["changed"]) for row in page["patients"]}, page["left"], page["next"]

    def accounts(self):
        return {row["account"] for row in tributary("account", "list", self.study.dir, "--json").json}

    def delete(self, account):
        tributary("account", "delete", self.study.dir, "--account", account["account"])
        until(lambda: account["account"] not in self.accounts(), "the account is deleted")

    # Files

    def assert_nowhere(self, folder, *words):
        """No file below a folder has one of the words, in any case."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes().lower()
                for word in words:
                    self.assertNotIn(word.lower().encode(), data, f"{word} is in {path.relative_to(folder)}")

    def state(self, folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def open_files(self, server):
        """The files of the people store that a server has open. The folder of the study, whose name has the word too, may be
        open while the server reads it."""
        found = []
        for entry in os.scandir(f"/proc/{server.process.pid}/fd"):
            try:
                found.append(os.readlink(entry.path))
            except OSError:
                pass
        return [path for path in found if "people" in path.rsplit("/", 1)[-1] and os.path.isfile(path)]


class Recovery(PeopleTest):
    def test_a_restore_brings_the_backup_back_and_ends_what_was_valid_since(self):
        self.make()
        self.server = self.study.serve()
        ada, bea, tom = (self.sign_up(email) for email in
                         ("ada@example.org", "Bea.Planted@Example.org", "tom@example.org"))
        self.verify(tom, "tom@example.org")
        self.grant(tom)
        self.profile(ada["accessToken"], {"givenName": "Ada", "note": "before"})
        self.profile(bea["accessToken"], {"givenName": "Planted-Given-Name"})
        result = {"_class": "ORKTaskResult", "taskRunUUID": str(uuid.uuid4()).upper(), "identifier": "walk"}
        path = f"results/{result['taskRunUUID'].lower()}"
        self.call("PUT", path, ada["accessToken"], result, 201)
        shown, left, cursor = self.patients(tom["accessToken"])
        self.assertEqual((set(shown), left), ({ada["account"], bea["account"]}, []))
        self.assertEqual(self.patients(tom["accessToken"], cursor)[:2], ({}, []))
        file = self.study.root / "backup.tar"
        made = tributary("backup", self.study.dir, "-o", file, "--json").json
        self.assertEqual(made["accounts"], 3)
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        # What the backup does not have: a change, an account, a deletion, and a link of the deleted account.
        self.profile(ada["accessToken"], {"givenName": "Ada", "note": "after"})
        self.sign_up("late@example.org")
        tributary("link", "create", self.study.dir, "--record", bea["account"])
        self.delete(bea)
        planted = ("bea.planted@example.org", "planted-given-name")
        self.assert_nowhere(self.study.dir, *planted)
        self.assertIn(b"bea.planted@example.org", file.read_bytes())
        self.server.stop()
        # The machine is lost; the keys and the list of deletions come from elsewhere.
        lost, self.study.dir = self.study.dir, self.study.root / "again"
        done = tributary("restore", file, "-o", self.study.dir, "--deletions", lost / "deletions" / "list.json", "--json")
        self.assertEqual({name: done.json[name] for name in ("accounts", "accountsDeletedAgain", "deletedAgain")},
                         {"accounts": 2, "accountsDeletedAgain": 1, "deletedAgain": 0})
        self.assertIn("Accounts deleted after the backup, and now again: 1.", done.errors)
        self.assertEqual(sorted(path.name for path in (self.study.dir / "data").iterdir()),
                         ["people.sqlite", "records.sqlite"])
        self.assertEqual((self.study.dir / "data" / "people.sqlite").stat().st_mode & 0o777, 0o600)
        self.assert_nowhere(self.study.dir, *planted)
        shutil.copytree(lost / "keys", self.study.dir / "keys")
        self.server = self.study.serve()
        # Tokens of before are of no use, whether the backup had them or not.
        for account in (ada, tom):
            self.assertEqual(self.call("GET", "me", account["accessToken"], status=401).json["cmhealth"], 708)
            self.call("POST", "sessions/refresh", body={"refreshToken": account["refreshToken"]}, status=401,
                      Antispam=ANTISPAM)
        self.sign_in("bea.planted@example.org", status=401)
        self.sign_in("late@example.org", status=401)
        # The state is that of the backup.
        again = self.sign_in("ada@example.org")
        self.assertEqual(again["account"], ada["account"])
        self.assertEqual(self.profile(again["accessToken"]), {"givenName": "Ada", "note": "before"})
        self.assertEqual(self.call("GET", path, again["accessToken"]).json, result)
        # A cursor of before starts again from the beginning, with those who left, and the next one goes on.
        reader = self.sign_in("tom@example.org")["accessToken"]
        shown, left, following = self.patients(reader, cursor)
        self.assertEqual((set(shown), set(left)), ({ada["account"]}, {bea["account"], tom["account"]}))
        self.assertEqual(self.patients(reader, following)[:2], ({}, []))
        self.profile(again["accessToken"], {"givenName": "Ada", "note": "later"})
        self.assertEqual(self.patients(reader, following)[:2], ({ada["account"]: {"profile"}}, []))
        self.server.stop()
        self.assert_nowhere(self.study.dir, *planted)
        # The study's own list has the deletion, so that the same backup can be restored again.
        third = self.study.root / "third"
        (third / "deletions").mkdir(parents=True)
        shutil.copy(self.study.dir / "deletions" / "list.json", third / "deletions")
        self.assertEqual(tributary("restore", file, "-o", third, "--json").json["accountsDeletedAgain"], 1)

    def test_a_reader_from_before_a_restore_hears_of_the_only_patient_who_left(self):
        self.make()
        self.server = self.study.serve()
        tom, bea = self.sign_up("tom@example.org"), self.sign_up("bea@example.org")
        self.verify(tom, "tom@example.org")
        self.grant(tom)
        shown, _, cursor = self.patients(tom["accessToken"])
        self.assertEqual(set(shown), {bea["account"]})
        file = self.study.root / "backup.tar"
        tributary("backup", self.study.dir, "-o", file)
        self.delete(bea)
        self.server.stop()
        lost, self.study.dir = self.study.dir, self.study.root / "again"
        tributary("restore", file, "-o", self.study.dir, "--deletions", lost / "deletions" / "list.json")
        shutil.copytree(lost / "keys", self.study.dir / "keys")
        self.server = self.study.serve()
        reader = self.sign_in("tom@example.org")["accessToken"]
        shown, left, following = self.patients(reader, cursor)
        # Tom was a patient until the grant.
        self.assertEqual((shown, set(left)), ({}, {bea["account"], tom["account"]}))
        self.assertEqual(self.patients(reader, following)[:2], ({}, []))
        # A reader who begins now knew nobody.
        self.assertEqual(self.patients(reader)[:2], ({}, []))

    def test_a_backup_of_a_study_without_accounts_has_nothing_of_them(self):
        file, place = self.study.root / "backup.tar", self.study.root / "again"
        tributary("migrate", self.study.dir)
        self.assertNotIn("accounts", tributary("backup", self.study.dir, "-o", file, "--json").json)
        self.assertNotIn("accounts", tributary("restore", file, "-o", place, "--json").json)
        self.assertEqual([path.name for path in (place / "data").iterdir()], ["records.sqlite"])


class Lists(PeopleTest):
    def test_the_list_has_each_change_whatever_the_order_and_the_grants(self):
        self.make()
        self.server = self.study.serve()
        tom, ada, bea = (self.sign_up(f"{name}@example.org") for name in ("tom", "ada", "bea"))
        self.verify(tom, "tom@example.org")
        self.grant(tom)

        def photo(account):
            picture = b"\xff\xd8\xff" + os.urandom(20)
            self.call("PUT", "me/photo", account["accessToken"], picture, 204, **{"Content-Type": "image/jpeg"})

        def save(account):
            value = {"_class": "ORKTaskResult", "taskRunUUID": str(uuid.uuid4()).upper(), "identifier": "walk"}
            self.call("PUT", f"results/{value['taskRunUUID'].lower()}", account["accessToken"], value, 201)

        shown, left, cursor = self.patients(tom["accessToken"])
        self.assertEqual((shown, left), ({ada["account"]: {"profile"}, bea["account"]: {"profile"}}, []))
        # A change of another patient is between two of this one.
        photo(ada)
        self.profile(bea["accessToken"], {"note": "between"})
        self.profile(ada["accessToken"], {"note": "after"})
        expected = {ada["account"]: {"photo", "profile"}, bea["account"]: {"profile"}}
        shown, _, cursor = self.patients(tom["accessToken"], cursor)
        self.assertEqual(shown, expected)
        # A reader who begins now gets the same.
        self.assertEqual(self.patients(tom["accessToken"])[0], expected)
        # With another role, data that were there before are news, also of a patient with other changes.
        save(ada)
        save(bea)
        photo(ada)
        self.grant(tom, "study-team")
        shown, left, cursor = self.patients(tom["accessToken"], cursor)
        self.assertEqual((shown, left), ({ada["account"]: {"photo", "results"}, bea["account"]: {"results"}}, []))
        self.assertEqual(self.patients(tom["accessToken"], cursor)[:2], ({}, []))


class Operations(PeopleTest):
    def test_a_move_to_a_server_and_back_keeps_accounts_and_sessions(self):
        self.make()
        url = postgresql.server().database()
        self.server = self.study.serve()
        ada, bea = self.sign_up("ada@example.org"), self.sign_up("bea.planted@example.org")
        self.code("bea.planted@example.org")
        self.profile(ada["accessToken"], {"givenName": "Ada"})
        self.server.stop()
        moved = tributary("study", "move", self.study.dir, "--people", url, "--json").json
        self.assertEqual((moved["queue"], moved["records"], moved["people"]["rows"]["person"]), (None, None, 2))
        self.assertEqual(json.loads((self.study.dir / "study.json").read_text())["people"], url)
        former = self.study.dir / "data" / "people.sqlite"
        self.assertTrue(former.exists())
        self.assertFalse([row for row in self.study.findings() if row["severity"] == "error"])
        storage = tributary("study", "storage", self.study.dir, "--json").json["people"]
        self.assertEqual(storage["engine"], "postgresql")
        self.server = self.study.serve()
        self.assertEqual(self.profile(ada["accessToken"]), {"givenName": "Ada"})
        # A deletion removes the former file too, which still has the rows.
        self.delete(bea)
        until(lambda: not former.exists(), "the former file is removed")
        self.assert_nowhere(self.study.dir, "bea.planted@example.org")
        # A backup of a store on a server is restored to a file.
        file, place = self.study.root / "backup.tar", self.study.root / "again"
        self.assertEqual(tributary("backup", self.study.dir, "-o", file, "--json").json["accounts"], 1)
        self.assertEqual(tributary("restore", file, "-o", place, "--json").json["accounts"], 1)
        self.assertNotIn("people", json.loads((place / "study.json").read_text()))
        self.assertEqual(read_sql(place / "data" / "people.sqlite", "SELECT email FROM person"), [("ada@example.org",)])
        self.server.stop()
        done = tributary("study", "move", self.study.dir, "--people", "data/people.sqlite")
        self.assertIn(f"The people store is now at {former}", done.text)
        self.server = self.study.serve()
        self.assertEqual(self.call("GET", "me", ada["accessToken"]).json["email"], "ada@example.org")
        self.sign_up("late@example.org")

    def test_the_store_is_part_of_sizes_checks_and_the_state_of_the_server(self):
        self.make()
        self.server = self.study.serve()
        self.sign_up("ada@example.org")
        people = tributary("study", "storage", self.study.dir, "--json").json["people"]
        self.assertEqual(people["engine"], "sqlite")
        self.assertEqual({table["name"]: table["rows"] for table in people["tables"]}["person"], 1)
        self.assertIn("person_by_deletion", tributary("study", "storage", self.study.dir).text)
        self.assertEqual(http("GET", self.server.monitor_url + "/readyz").status, 200)
        metrics = http("GET", self.server.monitor_url + "/metrics").body.decode()
        self.assertRegex(metrics, r"(?m)^tributary_people_disk_free_bytes \d")
        store = self.study.dir / "data" / "people.sqlite"
        store.chmod(0o644)
        self.assertEqual(self.study.finding("people-open")["file"], "data/people.sqlite")
        store.chmod(0o600)
        self.study.change(lambda study: study["accounts"].update(mail={
            "smtp": "127.0.0.1:1", "from": "study@example.org", "user": "study", "passwordFile": "keys/mail.txt"}))
        self.assertEqual(self.study.finding("mail-password-unreadable")["place"], "accounts.mail.passwordFile")
        secret = self.study.dir / "keys" / "mail.txt"
        secret.write_text("secret\n")
        secret.chmod(0o644)
        self.assertEqual(self.study.finding("mail-password-open")["severity"], "error")
        secret.chmod(0o600)
        self.assertFalse([row for row in self.study.findings() if "mail" in row["code"] or "mail" in row["place"]])

    def test_a_store_on_a_server_that_is_away_makes_this_server_unready(self):
        self.make()
        database = postgresql.PostgreSQL()
        tributary("study", "move", self.study.dir, "--people", database.database())
        server = self.study.serve()
        self.assertEqual(http("GET", server.monitor_url + "/readyz").status, 200)
        database.stop()

        def reasons():
            answer = http("GET", server.monitor_url + "/readyz", timeout=120)
            return answer.body.decode() if answer.status == 503 else ""
        until(lambda: "store-unwritable" in reasons() and "people store" in reasons(), "the server reports it")
        database.start()
        until(lambda: not reasons(), "it is ready again")

    def test_accounts_that_are_added_later_and_removed(self):
        self.study.dir = self.study.root / "people"
        tributary("init", self.study.dir, "--antispam", ANTISPAM, "--development")
        store = self.study.dir / "data" / "people.sqlite"
        body = {"email": "ada@example.org", "password": PASSWORD}
        routes = [("POST", "accounts", body), ("POST", "sessions", body), ("GET", "me", None), ("GET", "patients", None),
                  ("GET", "results", None), ("POST", "password-resets", {"email": "ada@example.org"})]
        # 1. Without accounts.
        self.server = self.study.serve()
        for method, path, value in routes:
            self.call(method, path, body=value, status=404, Antispam=ANTISPAM)
        self.assertEqual(self.open_files(self.server), [])
        self.assertIsNone(tributary("study", "storage", self.study.dir, "--json").json["people"])
        self.assertIsNone(tributary("migrate", self.study.dir, "--json").json["people"])
        self.assertIn("accounts-missing", tributary("study", "move", self.study.dir, "--people", "p", status=1).errors)
        self.assertIn("accounts-missing", tributary("account", "list", self.study.dir, status=1).errors)
        self.server.stop()
        self.assertEqual(list(self.study.dir.rglob("*people*")) + list(self.study.dir.rglob("mail*")), [])
        # 2. Added.
        self.study.change(lambda study: study.update(accounts={"groups": ["main", "second"]}))
        backup = self.study.root / "early.tar"
        self.assertIn("storage-missing", tributary("backup", self.study.dir, "-o", backup, status=1).errors)
        self.assertFalse(store.exists())
        self.assertTrue(tributary("migrate", self.study.dir, "--json").json["people"]["steps"])
        self.assertEqual(store.stat().st_mode & 0o777, 0o600)
        self.assertEqual(tributary("migrate", self.study.dir, "--json").json["people"]["steps"], [])
        self.server = self.study.serve()
        ada = self.sign_up("ada@example.org")
        self.code("ada@example.org")
        self.assertNotEqual(self.open_files(self.server), [])
        self.server.stop()
        # 3. Removed.
        accounts = json.loads((self.study.dir / "study.json").read_text())["accounts"]
        self.study.change(lambda study: study.pop("accounts"))
        before = self.state(self.study.dir / "data")
        self.server = self.study.serve()
        for method, path, value in routes:
            self.call(method, path, ada["accessToken"], value, status=404, Antispam=ANTISPAM)
        self.assertEqual(self.open_files(self.server), [])
        tributary("migrate", self.study.dir)
        self.assertNotIn("accounts", tributary("backup", self.study.dir, "-o", backup, "--json").json)
        self.assertNotIn(b"ada@example.org", backup.read_bytes())
        self.assertEqual(self.study.finding("people-without-accounts")["severity"], "warning")
        self.server.stop()
        after = self.state(self.study.dir / "data")
        people = lambda files: {name: data for name, data in files.items() if "people" in name or "mail" in name}
        self.assertEqual(people(after), people(before))
        # 4. Added again: the accounts are there.
        self.study.change(lambda study: study.update(accounts=accounts))
        self.server = self.study.serve()
        self.assertEqual(self.call("GET", "me", ada["accessToken"]).json["account"], ada["account"])

    def test_a_deletion_that_is_requested_while_no_server_runs_is_done_by_the_next_one(self):
        self.make()
        self.server = self.study.serve()
        bea = self.sign_up("bea.planted@example.org")
        self.code("bea.planted@example.org")
        self.server.stop()
        tributary("account", "delete", self.study.dir, "--account", bea["account"])
        self.assertEqual(self.accounts(), {bea["account"]})
        self.server = self.study.serve()
        self.call("GET", "me", bea["accessToken"], status=401)
        until(lambda: self.accounts() == set(), "the account is deleted")
        self.assert_nowhere(self.study.dir, "bea.planted@example.org")

    @ROOT_ALONE
    def test_a_full_disk_leaves_nothing_half_written_and_a_server_starts_on_it(self):
        self.make()
        data = self.study.dir / "data"
        if not mount(data, 24):
            self.skipTest("this system lets nobody mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", str(data)], check=False)
        self.server = self.study.serve()
        ada = self.sign_up("ada@example.org")
        self.code("ada@example.org")

        def save(status):
            result = {"_class": "ORKTaskResult", "taskRunUUID": str(uuid.uuid4()).upper(), "identifier": "walk",
                      "note": os.urandom(40_000).hex()}
            return self.call("PUT", f"results/{result['taskRunUUID'].lower()}", ada["accessToken"], result, status)

        save(201)
        ballast = fill(data)
        for _ in range(3):
            answer = save(507)
            self.assertEqual(answer.code, "storage-full")
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(len(self.call("GET", "results", ada["accessToken"]).json["results"]), 1)
        ready = http("GET", self.server.monitor_url + "/readyz")
        self.assertEqual(ready.status, 503)
        self.assertIn("disk-full", ready.body.decode())
        self.server.stop()
        with open(ballast, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        self.assertTrue((data / ".reserve").exists())
        self.server = self.study.serve("--roles", "accounts")
        self.assertEqual(self.call("GET", "me", ada["accessToken"]).json["account"], ada["account"])
        ballast.unlink()
        save(201)
        self.assertEqual(len(self.call("GET", "results", ada["accessToken"]).json["results"]), 2)


if __name__ == "__main__":
    unittest.main()
