"""Backup and restore: made while devices send, restored into a new folder, and the phones go on."""

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
import time
import unittest

from forms import VISIT, visit
from harness import BIN, Study, seeded, tributary, until
from test_full_disk import ROOT_ALONE, mount

DEVICES = 3
FORMS = 12
ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
CUPS = 10_000_000  # more than any reading


def rows(study, store, statement):
    """Rows of one of a study's two stores, read beside whatever works with it."""
    path = {"queue": study.dir / "queue" / "queue.sqlite", "records": study.dir / "data" / "records.sqlite"}[store]
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def below(folder):
    """The names of all that stands below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def whole(study):
    """Whether both stores are sound."""
    return [rows(study, store, "PRAGMA integrity_check") for store in ("queue", "records")] == [[("ok",)]] * 2


class RecoveryTest(unittest.TestCase):
    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        self.server = self.study.serve()
        self.file = self.study.root / "backup.tar"

    def member(self):
        device = self.study.device(self.server)
        device.sids = device.consent().json["submissions"]
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        return device

    def answer(self, device, cups):
        device.sids += device.answer(VISIT, visit(cups=CUPS + cups)).json["submissions"]

    def backup(self, *options, status=0):
        return tributary("backup", self.study.dir, "-o", self.file, "--json", *options, status=status)

    def lose(self):
        """The machine is lost, and the study restored in another place. Its keys come from elsewhere."""
        self.server.kill()
        lost, place = self.study.dir, self.study.root / "again"
        done = tributary("restore", self.file, "-o", place, "--json")
        self.assertIn("keys", done.errors)
        self.assertFalse((place / "keys").exists())
        shutil.copytree(lost / "keys", place / "keys")
        (place / "keys").chmod(0o700)
        self.study.dir = place
        self.assertEqual(rows(self.study, "queue", "SELECT count(*) FROM submission WHERE lease_owner IS NOT NULL"), [(0,)])
        self.server = self.study.serve()
        return done.json

    def cups(self):
        """The facts of the answers, each with its number of rows."""
        return rows(self.study, "records", "SELECT nval_num, count(*) FROM observation_fact WHERE nval_num > 10000000 "
                    "AND modifier_cd = '@' GROUP BY nval_num ORDER BY nval_num")


class Drill(RecoveryTest):
    def test_what_the_backup_lacks_comes_again_from_the_phones_once(self):
        devices = [self.member() for _ in range(DEVICES)]
        faults, began = [], threading.Event()

        def live(place):
            device = devices[place]
            try:
                for number in range(FORMS):
                    self.answer(device, 1 + place * FORMS + number)
                    device.send()
                    if number == 1:
                        began.set()
            except Exception as error:  # pylint: disable=broad-except
                faults.append(error)
                began.set()

        threads = [threading.Thread(target=live, args=(place,)) for place in range(DEVICES)]
        for thread in threads:
            thread.start()
        # 1. The backup, in the midst of it.
        self.assertTrue(began.wait(60))
        made = self.backup().json
        for thread in threads:
            thread.join(300)
        self.assertEqual(faults, [])
        for device in devices:
            self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        sids = {sid for device in devices for sid in device.sids}
        self.assertEqual(rows(self.study, "queue", "SELECT count(*) FROM submission"), [(len(sids),)])
        print(f"\n  {made['submissions']} of {len(sids)} submissions were in the backup", file=sys.stderr)
        # 2. The machine is lost.
        old = self.server.url
        restored = self.lose()
        self.assertEqual(set(restored), {"submissions", "records", "epoch"})
        self.assertEqual(restored["submissions"], made["submissions"])
        self.assertEqual(restored["records"], made["records"])
        self.assertGreater(restored["epoch"], 1)
        # 3. The phones go on.
        for device in devices:
            path = device.store / "enrolment.json"
            path.write_text(path.read_text().replace(old, self.server.url))

        def complete(device):
            # It asks what became of what it sent, sees that the study was restored, and sends what is not known there.
            device.deliveries()
            device.send()
            stored = rows(self.study, "queue", "SELECT submission_id FROM submission WHERE status = 'stored'")
            return set(device.sids) <= {row[0] for row in stored}

        for device in devices:
            until(lambda device=device: complete(device), "the phone has sent again what the backup lacked", 120)
            self.assertEqual(device.queued(), [])
        # 4. Everything is stored once, as records and as facts.
        answers = DEVICES * FORMS
        self.assertEqual(
            {row[0] for row in rows(self.study, "queue", "SELECT submission_id FROM submission WHERE status = 'stored'")},
            sids)
        for table in ("record", "record_history"):
            self.assertEqual(
                rows(self.study, "records", f"SELECT count(*) FROM {table} WHERE type = 'QuestionnaireResponse'"), [(answers,)])
        self.assertEqual(self.cups(), [(CUPS + number, 1) for number in range(1, answers + 1)])
        self.assertEqual(rows(self.study, "queue", "SELECT count(*) FROM submission_body"), [(0,)])
        # 5. And new answers come in as before.
        self.answer(devices[0], answers + 1)
        devices[0].send()
        self.assertEqual({row["status"] for row in devices[0].settled().values()}, {"stored"})
        self.assertEqual(self.server.stop(), 0)
        self.assertTrue(whole(self.study))

    def test_a_phone_that_enrolled_after_the_backup_enrols_again_and_loses_nothing(self):
        self.member()
        self.backup()
        device = self.member()
        for number in range(3):
            self.answer(device, number + 1)
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        old = self.server.url
        self.lose()
        path = device.store / "enrolment.json"
        path.write_text(path.read_text().replace(old, self.server.url))
        # It is unknown there, and its participant too; what it has queued and sent stays with it.
        self.answer(device, 4)
        refused = device.run("send", "--attempts", "1", json=False, status=1)
        self.assertIn("enrol", refused.errors)
        device.enrol(self.server)
        device.send()
        until(lambda: {row["status"] for row in device.settled().values()} == {"stored"}, "all is stored", 60)
        device.send()
        self.assertEqual(device.queued(), [])
        self.assertEqual(set(device.deliveries()), set(device.sids))
        self.assertEqual(self.cups(), [(CUPS + number, 1) for number in range(1, 5)])
        self.assertEqual(
            rows(self.study, "records", "SELECT count(*) FROM record_history WHERE type = 'QuestionnaireResponse'"), [(4,)])

    def test_a_backup_that_is_killed_leaves_no_file_of_its_name(self):
        generator = seeded()
        device = self.member()
        for number in range(ROUNDS):
            self.answer(device, number + 1)
            process = subprocess.Popen(
                [str(BIN), "backup", str(self.study.dir), "-o", str(self.file)], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0.0, 0.15))
            process.send_signal(signal.SIGKILL)
            process.wait()
            device.send()
            if self.file.exists():
                # It was quicker: then it is whole.
                place = self.study.root / f"again-{number}"
                tributary("restore", self.file, "-o", place)
                self.file.unlink()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        # What a killed one left is for nobody else's eyes, and the next one clears it away.
        for path in self.study.root.glob(".backup.tar.*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        made = self.backup().json
        self.assertEqual(made["submissions"], len(device.sids))
        self.assertEqual(list(self.study.root.glob(".backup.tar.*")), [])


class BackupTest(RecoveryTest):
    """A study with a backup."""

    def setUp(self):
        super().setUp()
        device = self.member()
        self.answer(device, 1)
        device.send()
        device.settled()
        self.made = self.backup().json


class TheFile(BackupTest):
    def test_it_is_a_tar_without_keys_for_its_owner_alone(self):
        data = self.file.read_bytes()
        self.assertEqual(self.made["sha256"], hashlib.sha256(data).hexdigest())
        self.assertEqual((self.made["bytes"], self.made["file"]), (len(data), str(self.file)))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(b"PRIVATE KEY", data)
        with tarfile.open(self.file) as archive:
            names = archive.getnames()
            manifest = json.load(archive.extractfile("manifest.json"))
            for member in manifest["members"]:
                content = archive.extractfile(member["path"]).read()
                self.assertEqual((member["bytes"], member["sha256"]), (len(content), hashlib.sha256(content).hexdigest()))
        self.assertEqual(names[:3], ["manifest.json", "queue.sqlite", "records.sqlite"])
        self.assertEqual(names[1:], [member["path"] for member in manifest["members"]])
        self.assertIn("study/study.json", names)
        self.assertIn("study/antispam.sha256", names)
        self.assertEqual([name for name in names if "key" in name or "data" in name or "before" in name], [])
        self.assertEqual(sorted(path.name for path in self.study.root.glob("*backup*")), ["backup.tar"])
        # No stranger to the backup's own folder sees a database in between.
        self.assertEqual([path.name for path in self.study.root.glob(".*")], [])

    def test_it_is_not_replaced_and_a_study_is_not_overwritten(self):
        before = self.file.read_bytes()
        self.assertIn("file-exists", self.backup(status=1).errors)
        self.assertEqual(self.file.read_bytes(), before)
        self.backup("--force")
        self.assertNotEqual(self.file.read_bytes(), before)
        names = below(self.study.dir)
        done = tributary("restore", self.file, "-o", self.study.dir, status=1)
        self.assertIn("study-exists", done.errors)
        self.assertEqual(below(self.study.dir), names)

    def test_one_that_is_cut_or_damaged_is_known_and_leaves_nothing(self):
        generator = seeded()
        data = self.file.read_bytes()
        bad = self.study.root / "bad.tar"
        place = self.study.root / "again"
        for number in range(12):
            changed = bytearray(data)
            if number % 2:
                changed = changed[:generator.randrange(len(data))]
            else:
                changed[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            bad.write_bytes(changed)
            done = tributary("restore", bad, "-o", place, status=1)
            self.assertIn("backup-damaged", done.errors)
            self.assertFalse(place.exists())
            self.assertEqual([path.name for path in self.study.root.glob(".*")], [])
        for foreign in (b"", b"\0" * 20480, b"nonsense" * 1000):
            bad.write_bytes(foreign)
            self.assertIn("backup-damaged", tributary("restore", bad, "-o", place, status=1).errors)
            self.assertFalse(place.exists())

    def test_stores_that_are_current_need_no_migration(self):
        done = tributary("migrate", self.study.dir, "--json").json
        self.assertEqual(done, {**{store: {"steps": [], "copy": None} for store in ("queue", "records")}, "links": None,
                                "people": None})


@ROOT_ALONE
class FullDisk(BackupTest):
    def mounted(self, name, megabytes):
        place = self.study.root / name
        place.mkdir()
        if not mount(place, megabytes):
            self.skipTest("this system lets nobody mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)], check=False)
        return place

    def test_a_disk_too_small_for_a_backup_or_a_restore_is_told_and_nothing_stays(self):
        place = self.mounted("small", 2)
        done = tributary("backup", self.study.dir, "-o", place / "backup.tar", status=1)
        self.assertIn("storage-full", done.errors)
        self.assertEqual(below(place), [])
        done = tributary("restore", self.file, "-o", place / "again", status=1)
        self.assertIn("storage-full", done.errors)
        self.assertEqual(below(place), [])
        # The study, and the backup there is, are as they were.
        self.assertEqual(hashlib.sha256(self.file.read_bytes()).hexdigest(), self.made["sha256"])
        tributary("restore", self.file, "-o", self.study.root / "again")
        self.assertEqual(self.server.stop(), 0)
        self.assertTrue(whole(self.study))

    def test_a_disk_that_fills_while_a_backup_is_written_leaves_nothing_half_written(self):
        place = self.mounted("filling", 64)
        target = place / "backup.tar"
        process = subprocess.Popen(
            [str(BIN), "backup", str(self.study.dir), "-o", str(target)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        ballast = place / "ballast"
        # As soon as the first copy begins, the rest of the disk is taken.
        until(lambda: process.poll() is not None or list(place.glob(".backup.tar.*")), "the backup begins")
        with open(ballast, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass
        errors = process.communicate(timeout=120)[1].decode()
        if process.returncode == 0:
            # It was quicker than the ballast: then it is whole.
            tributary("restore", target, "-o", self.study.root / "again")
            self.assertEqual(below(place), ["backup.tar", "ballast"])
        else:
            self.assertIn("storage-full", errors)
            self.assertEqual(below(place), ["ballast"])
        ballast.unlink()
        tributary("backup", self.study.dir, "-o", target, "--force")


if __name__ == "__main__":
    unittest.main()
