"""What an operator meets: files that an account may not read, a restore without its keys, a private certificate authority,
commands that delete, move and make studies, and what the log and the errors report."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from forms import VISIT, new_id, visit
from harness import ANTISPAM, BIN, ON_POSTGRESQL, ROOT, Finished, Server, SpineTest, Study, http, tributary, until
from parted import own
from sealed import SealedClient

STRANGER = 21009
UNITS = ROOT / "Examples" / "systemd"


def run_as(user, *arguments, status=0, timeout=60, stdin=b""):
    """Runs a command as another account, where the tests are root's."""
    def become():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    process = subprocess.run(
        [str(BIN), *map(str, arguments)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
        preexec_fn=become if os.geteuid() == 0 else None, check=False)
    done = Finished(arguments, process)
    if status is not None and done.status != status:
        raise AssertionError(f"exit status {done.status}, not {status}: {done}")
    return done


def authority(folder, name="Test authority"):
    """A private authority, and a certificate of it for this machine."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=folder)
    folder.mkdir(exist_ok=True)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-days", 2, "-subj", f"/CN={name}", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *curve, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2,
            "-extfile", "names", "-out", "chain.pem")
    return folder


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)


class UnreadableFiles(StudyTest):
    """A file that permissions forbid to read is reported with its path, whatever reads it."""

    def setUp(self):
        super().setUp()
        if os.geteuid() == 0:
            os.chmod(self.study.root, 0o711)
            own(self.study.dir, STRANGER, STRANGER)

    def closed(self, name):
        """Makes a file of the study unreadable to the account of the commands, until the test ends."""
        path = self.study.dir / name if not Path(name).is_absolute() else Path(name)
        if os.geteuid() == 0:
            os.chown(path, 0, 0)
            os.chmod(path, 0o700 if path.is_dir() else 0o600)
        else:
            os.chmod(path, 0)
        return path

    def reported(self, path, *arguments, status=1):
        done = run_as(STRANGER, *arguments, status=status)
        said = done.errors + done.text
        self.assertIn(str(path), said)
        self.assertIn("Permissions forbid", said)
        self.assertNotIn("missing", said)

    def test_the_antispam_hash(self):
        path = self.closed("antispam.sha256")
        self.reported(path, "serve", self.study.dir, "--port", "0", "--roles", "receiver")
        self.reported(path, "study", "check", self.study.dir)

    def test_study_json(self):
        path = self.closed("study.json")
        self.reported(path, "serve", self.study.dir, "--port", "0")
        self.reported(path, "study", "check", self.study.dir)
        self.reported(path, "queue", "status", self.study.dir)

    def test_a_form_a_folder_and_the_published_keys(self):
        for name in (f"questionnaires/{VISIT['id']}.json", "consent", "jwks.json", "receipt-roots"):
            with self.subTest(name):
                study = Study()
                self.addCleanup(study.close)
                study.publish(VISIT)
                self.study = study
                if os.geteuid() == 0:
                    os.chmod(study.root, 0o711)
                    own(study.dir, STRANGER, STRANGER)
                path = self.closed(name)
                self.addCleanup(os.chmod, path, 0o755)
                self.reported(path, "serve", study.dir, "--port", "0")
                self.reported(path, "study", "check", study.dir)

    @unittest.skipIf(ON_POSTGRESQL, "stores in files")
    def test_a_store(self):
        path = self.closed("queue/queue.sqlite")
        self.reported(path, "queue", "status", self.study.dir)
        self.reported(path, "backup", self.study.dir, "-o", self.study.root / "b.tar")

    def test_what_commands_are_given(self):
        file = self.study.root / "given.json"
        file.write_text("{}")
        path = self.closed(file)
        for arguments in (("fhir", "convert", "--from", "STU3", path), ("health", "convert", path, "-o", "x.ndjson"),
                          ("health", "report", path, "-o", "x.pdf"), ("jmespath", "@", path),
                          ("survey", "validate", "--questionnaire", path, path),
                          ("device", "enrol", "--store", self.study.root / "phone", "--url", "http://127.0.0.1:1",
                           "--receipt", path, "--antispam", ANTISPAM),
                          ("restore", path, "-o", self.study.root / "restored"),
                          ("envelope", "open", "--keys", self.study.dir / "keys", path)):
            with self.subTest(arguments[0:2]):
                self.reported(path, *arguments)

    def test_the_key_of_tls(self):
        tls = authority(self.study.root / "tls")
        os.chmod(tls, 0o755)
        os.chmod(tls / "chain.pem", 0o644)
        path = self.closed(tls / "key.pem")
        self.reported(path, "serve", self.study.dir, "--port", "0", "--tls-certificate", tls / "chain.pem", "--tls-key", path)

    def test_the_keys_and_their_passphrase(self):
        [path] = sorted((self.study.dir / "keys").glob("*p256*.private.pem"))
        self.closed(path)
        self.reported(path, "keys", "list", self.study.dir)


@unittest.skipUnless(os.geteuid() == 0, "the guide's recipe makes accounts, which only root can")
@unittest.skipUnless(shutil.which("useradd") and shutil.which("runuser"), "the guide's recipe needs useradd and runuser")
@unittest.skipIf(ON_POSTGRESQL, "stores in files, shared by a group")
class TwoAccounts(unittest.TestCase):
    """The guide's recipe of two accounts, and the units, as they are written: executed with two real accounts."""

    ACCOUNTS, GROUP = ("tributary", "tributary-receiver"), "tributary-queue"

    def setUp(self):
        import grp
        import pwd
        present = {entry.pw_name for entry in pwd.getpwall()} | {entry.gr_name for entry in grp.getgrall()}
        taken = present & {*self.ACCOUNTS, self.GROUP}
        if taken:
            self.skipTest(f"this machine has {', '.join(sorted(taken))} already")
        self.root = Path(subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip())
        os.chmod(self.root, 0o755)
        self.addCleanup(shutil.rmtree, self.root, True)
        self.dir, self.servers = self.root / "study", []
        self.addCleanup(self.remove_accounts)
        self.addCleanup(lambda: [server.kill() for server in self.servers])
        self.tls = authority(self.root / "tls")
        for file in self.tls.iterdir():
            os.chmod(file, 0o644)
        self.recipe()

    def remove_accounts(self):
        for name in self.ACCOUNTS:
            subprocess.run(["userdel", name], capture_output=True, check=False)
        subprocess.run(["groupdel", self.GROUP], capture_output=True, check=False)

    def localised(self, text):
        """A text of the guide or of a unit with the paths of this test."""
        text = text.replace("/srv/study", str(self.dir)).replace("/usr/local/bin/tributary", str(BIN))
        return text.replace("/etc/tributary", str(self.tls)).replace("/var/backups/tributary", str(self.root / "backups"))

    def recipe(self):
        guide = (ROOT / "docs" / "guide-hospital-it.md").read_text()
        section = guide.split("## Two accounts on one box")[1].split("\n## ")[0]
        block = section.split("```sh\n")[1].split("```")[0]
        script = self.localised(block).replace("-- tributary ", f"-- {BIN} ")
        # Receipts can be made by a test.
        script = script.replace(" init ", " init --development --antispam " + ANTISPAM + " ")
        subprocess.run(["sh", "-euc", script], check=True, capture_output=True, cwd=ROOT)
        shutil.copy(ROOT / "Examples" / "study" / "consent" / "contract.json", self.dir / "consent")
        (self.dir / "questionnaires" / "visit.json").write_text(json.dumps(VISIT))

    def unit(self, name):
        return Unit(self, self.localised((UNITS / name).read_text()))

    def readable(self, account, path):
        done = subprocess.run(["runuser", "-u", account, "--", "ls" if path.is_dir() else "cat", str(path)],
                              capture_output=True, check=False)
        return done.returncode == 0

    def test_the_receiver_reads_what_it_needs_and_neither_keys_nor_records(self):
        for name in ("study.json", "jwks.json", "jwks.jws", "antispam.sha256", "receipt-roots", "consent",
                     "questionnaires", "queue"):
            self.assertTrue(self.readable("tributary-receiver", self.dir / name), name)
            self.assertTrue(self.readable("tributary", self.dir / name), name)
        for name in ("keys", "data", "data/records.sqlite"):
            self.assertFalse(self.readable("tributary-receiver", self.dir / name), name)
            self.assertTrue(self.readable("tributary", self.dir / name), name)
        # No other account reads the hash, or the queue.
        for name in ("antispam.sha256", "queue", "keys", "data"):
            self.assertFalse(self.readable("nobody", self.dir / name), name)
        self.assertEqual(os.stat(self.dir / "queue").st_mode & 0o7777, 0o2770)

    def test_the_units_serve_a_phone_and_a_backup_is_made(self):
        receiver = self.unit("tributary-receiver.service").serve()
        consumer = self.unit("tributary-consumer.service").serve()
        self.assertEqual(consumer.roles, {"consumer", "records", "authorization", "gateway", "accounts"})
        self.assertEqual(http("GET", consumer.url + "/fhir/metadata").status, 200)
        self.assertEqual(http("GET", consumer.url + "/fhir/.well-known/smart-configuration").status, 200)
        store, url = self.root / "phone", f"https://127.0.0.1:{receiver.port}"
        receipt = self.root / "receipt"
        receipt.write_text(tributary("app-receipt", "make", self.dir).text)

        def device(command, *arguments, status=0):
            return tributary("device", command, "--store", store, *arguments, "--json", status=status)

        enrol = ("--url", url, "--receipt", receipt, "--antispam", ANTISPAM)
        self.assertIn("[certificate-untrusted]", device("enrol", *enrol, status=1).errors)
        device("enrol", *enrol, "--ca", self.tls / "ca.pem")
        study = ROOT / "Examples" / "study"
        contract = sorted((study / "consent").glob("*.json"))[0]
        device("consent", "--contract", contract, "--answers", study / "answers" / "consent-1.json", "--name", "A B")
        (self.root / "answers").write_text(json.dumps(visit(cups=2)))
        (self.root / "form").write_text(json.dumps(VISIT))
        device("answer", self.root / "form", "--answers", self.root / "answers")
        device("send")
        until(lambda: {row["status"] for row in device("deliveries").json["deliveries"]} == {"stored"},
              "the consumer's account stores what the receiver's took")
        self.assertEqual(receiver.stop(), 0)
        self.assertEqual(consumer.stop(), 0)
        # One box, and a backup while it works.
        box = self.unit("tributary.service").serve()
        backup = self.unit("tributary-backup.service")
        backup.run()
        [made] = (self.root / "backups").glob("study-*.tar")
        self.assertEqual(made.stat().st_mode & 0o777, 0o600)
        self.assertEqual(box.stop(), 0)
        # A receiver that starts again finds the queue as it was, whoever opened it last.
        self.assertEqual(self.unit("tributary-receiver.service").serve().stop(), 0)


class Unit:
    """A unit of systemd, executed as its account, group and umask without systemd."""

    def __init__(self, test, text):
        self.test = test
        text = text.replace("\\\n", " ")
        self.values = dict(re.findall(r"^(User|Group|UMask|ExecStart)=(.*)$", text, re.M))

    @property
    def words(self):
        import shlex
        return shlex.split(self.values["ExecStart"].replace("$$", "$").replace("%%", "%"))

    def become(self):
        import grp
        import pwd
        user, group = pwd.getpwnam(self.values["User"]), grp.getgrnam(self.values["Group"])
        groups = os.getgrouplist(user.pw_name, group.gr_gid)

        def become():
            os.setgroups(groups)
            os.setgid(group.gr_gid)
            os.setuid(user.pw_uid)
            os.umask(int(self.values["UMask"], 8))
        return become

    def serve(self):
        words = self.words
        for option in ("--port", "--monitor"):
            place = words.index(option) + 1
            words[place] = "0" if option == "--port" else "127.0.0.1:0"
        roles = words[words.index("--roles") + 1].split(",") if "--roles" in words else []
        return UnitServer(self.test, words, self.become(), set(roles))

    def run(self):
        subprocess.run(self.words, preexec_fn=self.become(), check=True, capture_output=True, stdin=subprocess.DEVNULL)


class UnitServer(Server):
    def __init__(self, test, words, become, roles):
        self.words, self.become, self.roles = words, become, roles
        super().__init__(test)

    def command(self, study, options):
        return self.words

    def preparation(self):
        return self.become


class Units(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not here")
    def test_systemd_finds_nothing_wrong_in_the_units(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            names = sorted(path.name for path in UNITS.iterdir())
            self.assertEqual(names, [
                "tributary-backup.service", "tributary-backup.timer", "tributary-consumer.service",
                "tributary-receiver.service", "tributary.service"])
            for name in names:
                text = (UNITS / name).read_text().replace("/usr/local/bin/tributary", str(BIN))
                (Path(folder) / name).write_text(text)
            for name in names:
                with self.subTest(name):
                    done = subprocess.run(["systemd-analyze", "verify", "--man=no", f"./{name}"], cwd=folder,
                                          capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


class RestoredWithoutKeys(StudyTest):
    def restored(self):
        place, backup = self.study.root / "restored", self.study.root / "backup.tar"
        tributary("backup", self.study.dir, "-o", backup)
        tributary("restore", backup, "-o", place)
        return place

    def findings(self, place, status=1):
        found = tributary("study", "check", place, "--json", status=status).json
        return {row["code"]: row["message"] for row in found if row["severity"] == "error"}

    def serve(self, place):
        self.study.dir = place
        return self.study.serve()

    def test_serve_and_check_report_at_once_that_the_keys_are_not_there(self):
        keys, place = self.study.dir / "keys", self.restored()
        for made in (lambda: None, lambda: (place / "keys").mkdir(mode=0o700)):
            made()
            message = self.findings(place)["keys-missing"]
            self.assertIn(str(place / "keys"), message)
            self.assertIn("Put the copy of keys/ back", message)
            server = self.serve(place)
            self.assertIn("keys-missing", server.log)
            self.assertIn("Put the copy of keys/ back", server.log)
            self.assertIn(" error ", server.log)
            server.stop()
        (place / "keys").rmdir()
        shutil.copytree(keys, place / "keys")
        os.chmod(place / "keys", 0o700)
        self.assertEqual(self.findings(place, status=0), {})
        server = self.serve(place)
        self.assertNotIn("keys-missing", server.log)

    def test_serve_and_check_report_at_once_that_the_passphrase_is_not_there(self):
        passphrase = self.study.root / "passphrase"
        passphrase.write_text("three grey herons\n")
        passphrase.chmod(0o600)
        tributary("keys", "protect", self.study.dir, "--passphrase-file", passphrase)
        keys, place = self.study.dir / "keys", self.restored()
        shutil.copytree(keys, place / "keys")
        os.chmod(place / "keys", 0o700)
        message = self.findings(place)["key-passphrase-missing"]
        self.assertIn("TRIBUTARY_KEY_PASSPHRASE_FILE", message)
        server = self.serve(place)
        self.assertIn("key-passphrase-missing", server.log)
        self.assertIn("TRIBUTARY_KEY_PASSPHRASE_FILE", server.log)

    def test_the_folder_of_a_receiver_alone_is_in_want_of_nothing(self):
        place = self.study.root / "dmz"
        shutil.copytree(self.study.dir, place, ignore=lambda folder, names: {"keys", "data", "queue"} & set(names))
        self.assertEqual(self.findings(place, status=0), {})


class PrivateAuthority(StudyTest):
    def setUp(self):
        super().setUp()
        self.tls = authority(self.study.root / "tls")
        self.server = self.serve()
        self.device = self.study.device(self.server, enrol=False)
        self.receipt = self.study.root / "receipt"
        self.receipt.write_text(self.study.receipt())

    def serve(self):
        return self.study.serve("--tls-certificate", self.tls / "chain.pem", "--tls-key", self.tls / "key.pem")

    def enrol(self, *more, url=None, status=0):
        return self.device.run("enrol", "--url", url or self.server.url, "--receipt", self.receipt,
                               "--antispam", ANTISPAM, *more, status=status)

    def test_a_certificate_that_is_not_trusted_is_reported_with_the_address(self):
        other = authority(self.study.root / "other", "Another authority")
        for more in ((), ("--ca", other / "ca.pem")):
            done = self.enrol(*more, status=1)
            self.assertIn("[certificate-untrusted]", done.errors)
            self.assertIn(self.server.url, done.errors)
            self.assertIn("--ca", done.errors)
            self.assertFalse((self.device.store / "enrolment.json").exists())
        done = self.enrol("--ca", self.receipt, status=1)
        self.assertIn("[certificate-authority-invalid]", done.errors)
        # The name of another host.
        wrong = self.server.url.replace("127.0.0.1", "127.0.0.2")
        self.assertIn("127.0.0.2", self.enrol("--ca", self.tls / "ca.pem", url=wrong, status=1).errors)
        done = self.enrol(url="https://127.0.0.1:1", status=1)
        self.assertIn("[connection-failed]", done.errors)
        self.assertIn("https://127.0.0.1:1", done.errors)

    def test_a_device_of_a_private_authority_sends_and_follows_the_server_to_another_address(self):
        self.enrol("--ca", self.tls / "ca.pem")
        self.device.forget_study()
        self.device.consent()
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.assertIn("BEGIN CERTIFICATE", self.device.enrolment["certificateAuthority"])
        former = self.server.url
        self.server.stop()
        self.server = self.serve()
        self.device.answer(VISIT, visit(cups=1))
        done = self.device.send(status=1, attempts=1)
        self.assertEqual(done.json["reason"], "connection-failed")
        self.assertIn(former, done.errors)
        shown = self.device.run("address", self.server.url).json
        self.assertEqual((shown["before"], shown["address"]), (former, self.server.url))
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.device.run("renew")
        # The server's certificate is of another authority now.
        self.server.stop()
        shutil.rmtree(self.tls)
        authority(self.tls, "The new authority")
        self.server = self.serve()
        self.device.run("address", self.server.url)
        self.device.answer(VISIT, visit(cups=2))
        done = self.device.send(status=1, attempts=1)
        self.assertEqual(done.json["reason"], "certificate-untrusted")
        self.assertIn(self.server.url, done.errors)
        self.device.run("address", "--ca", self.tls / "ca.pem")
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.assertEqual(self.device.run("address").json["address"], self.server.url)
        self.assertIn("[url-invalid]", self.device.run("address", "http://study.example", status=1).errors)


class Commands(StudyTest):
    def member(self):
        server = self.study.serve()
        device = self.study.device(server)
        device.consent()
        device.send()
        device.settled()
        return device

    def test_a_deletion_is_asked_again_and_says_why(self):
        device = self.member()
        command = ["participant", "delete", self.study.dir, device.participant]
        self.assertIn("--reason", tributary(*command, "--yes", status=64).errors)
        self.assertIn("--reason", tributary(*command, "--yes", "--reason", " ", status=64).errors)
        for typed in (b"", b"yes\n", b"another\n"):
            done = tributary(*command, "--reason", "as asked", stdin=typed, status=1)
            self.assertIn("[deletion-unconfirmed]", done.errors)
        shown = tributary("participant", "show", self.study.dir, device.participant, "--json").json
        self.assertEqual(shown["consent"], "consented")
        tributary(*command, "--reason", "as asked", stdin=device.participant.encode() + b"\n")
        self.assertIn("participant-deleted", tributary(*command, "--reason", "again", "--yes", status=1).errors)

    def test_an_init_that_fails_leaves_nothing(self):
        root = self.study.root
        blocked = root / "blocked"
        blocked.write_text("in the way")
        unreachable = "postgresql://tributary@127.0.0.1:1/study"
        for more in (["--database", unreachable], ["--queue", unreachable], ["--queue", blocked / "queue.sqlite"],
                     ["--group", "no-such-group"]):
            with self.subTest(more):
                place = root / "made" / "deep" / "study"
                tributary("init", place, *more, status=1)
                self.assertFalse((root / "made").exists())
                # A folder that was there stays, with what was in it.
                there = root / "there"
                there.mkdir(exist_ok=True)
                (there / "note").write_text("mine")
                tributary("init", there, *more, status=1)
                self.assertEqual([path.name for path in there.iterdir()], ["note"])
        elsewhere = root / "elsewhere.sqlite"
        tributary("init", root / "made", "--database", elsewhere, "--queue", unreachable, status=1)
        self.assertEqual(list(root.glob("elsewhere*")), [])
        tributary("init", root / "made" / "deep" / "study")

    @unittest.skipIf(ON_POSTGRESQL, "stores in files")
    def test_a_move_goes_to_a_path_below_the_study_and_says_where(self):
        place = self.study.root / "elsewhere"
        place.mkdir()
        done = tributary("study", "move", self.study.dir, "--queue", "moved/queue.sqlite", "--database",
                         "moved/records.sqlite", cwd=place)
        self.assertEqual(list(place.iterdir()), [])
        for name in ("queue", "records"):
            path = self.study.dir / "moved" / f"{name}.sqlite"
            self.assertTrue(path.exists())
            self.assertIn(f"{name} is now at {path}", done.text)
        tributary("queue", "status", self.study.dir)


class Queue(SpineTest):
    def actions(self):
        return [(row["action"], row["resourceId"], row["amount"]) for row in
                tributary("audit", "list", self.study.dir, "--json").json if "-submissions" in row["action"]]

    def test_retry_and_discard_are_in_the_audit_and_the_queue_is_shown_in_pages(self):
        client = SealedClient(self.server, self.study)
        sent = [client.send(b"rubbish") for _ in range(5)]
        self.study.settled()

        def show(*more):
            return tributary("queue", "show", self.study.dir, *more, "--json").json

        everything = [row["submission"] for row in show()["submissions"]]
        self.assertTrue(set(sent) <= set(everything))
        reason = show(sent[0])["submissions"][0]["reason"]
        # Pages.
        seen, after = [], []
        while True:
            page = show("--limit", "2", *after)
            self.assertLessEqual(len(page["submissions"]), 2)
            seen += [row["submission"] for row in page["submissions"]]
            if page["next"] is None:
                break
            after = ["--after", str(page["next"])]
        self.assertEqual(seen, everything)
        # Filters.
        self.assertTrue(set(sent) <= {row["submission"] for row in show("--status", "quarantined")["submissions"]})
        self.assertTrue(set(sent) <= {row["submission"] for row in show("--reason", reason)["submissions"]})
        self.assertEqual(show("--reason", reason, "--status", "stored")["submissions"], [])
        self.assertEqual(show("--reason", "no-such-reason")["submissions"], [])
        self.assertEqual(show("--since", "2999-01-01")["submissions"], [])
        self.assertEqual([row["submission"] for row in show("--since", "2000-01-01")["submissions"]], everything)
        received = {row["submission"]: row["receivedAt"] for row in show()["submissions"]}
        since = sorted(received[sid] for sid in sent)[2]
        self.assertEqual({row["submission"] for row in show("--since", since, "--reason", reason)["submissions"]},
                         {sid for sid in everything if received[sid] >= since})
        tributary("queue", "show", self.study.dir, "--status", "lost", status=64)
        # The audit.
        quarantined = len(show("--status", "quarantined")["submissions"])
        tributary("queue", "retry", self.study.dir, sent[0])
        self.study.settled()
        tributary("queue", "retry", self.study.dir, "--all")
        self.study.settled()
        tributary("queue", "discard", self.study.dir, sent[0])
        self.assertEqual(self.actions(), [
            ("discard-submissions", sent[0], 1), ("retry-submissions", None, quarantined),
            ("retry-submissions", sent[0], 1)])
        self.assertIn("submission-not-waiting",
                      tributary("queue", "discard", self.study.dir, new_id(), status=1).errors)


class Logs(StudyTest):
    def test_a_busy_port_gives_one_line(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for options in (("--port", port), ("--port", 0, "--monitor", f"127.0.0.1:{port}")):
                done = tributary("serve", self.study.dir, *options, status=1)
                self.assertEqual(len(done.errors.strip().splitlines()), 1, done.errors)
                self.assertIn(f"port {port}", done.errors)
                self.assertIn("[address-in-use]", done.errors)
                self.assertEqual(done.text, "")

    def test_normal_work_is_not_logged_above_info(self):
        self.study.change(lambda value: value.update(development=False))
        shutil.copy(self.study.dir / "receipt-roots" / "development.pem", self.study.dir / "receipt-roots" / "root.pem")
        receipt = None
        self.study.change(lambda value: value.update(development=True))
        receipt = self.study.receipt()
        self.study.change(lambda value: value.update(development=False))
        server = self.study.serve()
        device = self.study.device(server, enrol=False)
        device.enrol(server, receipt=receipt)
        device.consent()
        self.assertEqual(device.send().errors, "")
        device.answer(VISIT, visit(cups=1))
        self.assertEqual(device.send().errors, "", "the study has no health-types.json and needs none")
        device.settled()
        device.run("renew")
        staff = {"Authorization": "Bearer " + self.study.staff_token()}
        self.assertEqual(http("GET", server.url + "/fhir/Patient", staff).status, 200)
        self.assertEqual(http("GET", server.url + "/fhir/Patient/nobody", staff).status, 404)
        self.assertEqual(http("GET", server.url + "/fhir/Patient", {"Authorization": "Bearer ended"}).status, 401)
        tributary("backup", self.study.dir, "-o", self.study.root / "b.tar")
        server.stop()
        self.assertEqual(server.log, "")


class Messages(StudyTest):
    def test_an_error_of_an_option_shows_the_usage_of_its_command(self):
        for arguments, command in (
            (("warehouse", "count", self.study.dir, "--path", "\\x\\", "--from", "yesterday"), "warehouse count"),
            (("warehouse", "count", self.study.dir, "--path", "\\x\\", "--value", "MORE 3"), "warehouse count"),
            (("fhir", "convert", "--from", "R9", self.study.dir / "study.json"), "fhir convert"),
            (("audit", "list", self.study.dir, "--limit", "0"), "audit list"),
        ):
            with self.subTest(command):
                done = tributary(*arguments, status=None)
                self.assertIn(done.status, (1, 64))
                self.assertIn(f"Usage: tributary {command} ", done.errors)
                self.assertIn(f"See 'tributary {command} --help'", done.errors)
                self.assertNotIn("<subcommand>", done.errors)

    def test_an_unknown_subcommand_is_answered_with_the_nearest(self):
        for words, nearest in ((["servve"], "tributary serve"), (["queue", "shw"], "tributary queue show"),
                               (["health", "typs"], "tributary health types"),
                               (["particpant", "list"], "tributary participant"),
                               (["study", "chekc", "x"], "tributary study check")):
            with self.subTest(words):
                done = tributary(*words, status=64)
                self.assertIn(f"Did you mean '{nearest}'?", done.errors)
        self.assertIn("USAGE", tributary("help").text)
        self.assertIn("USAGE", tributary("queue", "--help").text)
        self.assertNotIn("Did you mean", tributary("queue", "status", status=64).errors)


@unittest.skipIf(ON_POSTGRESQL, "copies of files")
class KilledBackup(StudyTest):
    def copies(self):
        return [path for path in self.study.root.rglob("*") if path.name in ("queue.sqlite", "records.sqlite")
                and self.study.dir not in path.parents]

    def test_the_next_backup_removes_what_a_killed_one_left(self):
        # To another file, in another folder.
        self.kill_one_and(lambda test: tributary("backup", test.study.dir, "-o", test.study.root / "last.tar"))

    def test_the_start_of_the_server_removes_what_a_killed_backup_left(self):
        self.kill_one_and(lambda test: test.study.serve().stop())

    def kill_one_and(self, next_run):
        for number in range(20):
            place = self.study.root / f"folder-{number}"
            place.mkdir()
            process = subprocess.Popen([str(BIN), "backup", str(self.study.dir), "-o", str(place / f"{number}.tar")],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = time.monotonic() + 5
            while not list(place.rglob("*.sqlite")) and process.poll() is None and time.monotonic() < end:
                pass
            process.send_signal(signal.SIGKILL)
            process.wait()
            if self.copies():
                break
        self.assertTrue(self.copies(), "a backup was killed on its way")
        next_run(self)
        self.assertEqual(self.copies(), [])
        self.assertEqual([path for path in self.study.root.rglob(".*.tar.*")], [])


if __name__ == "__main__":
    unittest.main()
