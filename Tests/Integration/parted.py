"""Receiver and consumer as two processes over a study of two folders, perhaps of two users; and the search for clear text
in what the receiver has."""

import os
import re
import shutil
import unittest

from forms import VISIT
from harness import BIN, Server, Study

CONSUMER, RECEIVER, SHARED = 21001, 21002, 21003
# What a public host needs of a study, and nothing else.
PUBLIC = ("study.json", "jwks.json", "jwks.jws", "antispam.sha256", "receipt-roots", "consent", "questionnaires")


def as_user(user):
    """Becomes a user whose group is the one that the queue's folder is shared by."""
    def become():
        os.setgroups([SHARED])
        os.setgid(SHARED if user == RECEIVER else CONSUMER)
        os.setuid(user)
        os.umask(0o007)
    return become


def own(path, user, group):
    for place in [path, *path.rglob("*")]:
        os.chown(place, user, group)


class Process(Server):
    """A `serve` of some roles, perhaps as another user."""

    def __init__(self, study, folder, *options, user=None):
        self.folder, self.user = folder, user
        super().__init__(study, *options)

    def command(self, study, options):
        return [str(BIN), "serve", str(self.folder), "--port", "0", *map(str, options)]

    def preparation(self):
        return as_user(self.user) if self.user else None


class Parted(unittest.TestCase):
    """A study of two folders: the receiver's has no keys, no data and no forms' answers."""

    users = False

    def setUp(self):
        self.study = self.make_study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        self.outside = self.study.root / "dmz"
        self.outside.mkdir()
        for name in PUBLIC:
            place = self.study.dir / name
            (shutil.copytree if place.is_dir() else shutil.copy)(place, self.outside / name)
        if self.users:
            os.chmod(self.study.root, 0o711)
            own(self.study.dir, CONSUMER, CONSUMER)
            if (self.study.dir / "queue").exists():
                own(self.study.dir / "queue", CONSUMER, SHARED)
                os.chmod(self.study.dir / "queue", 0o2770)
            own(self.outside, RECEIVER, SHARED)
        self.start_receiver()
        self.start_consumer()

    def make_study(self):
        return Study()

    def start_receiver(self):
        self.receiver = Process(
            self.study, self.outside, "--roles", "receiver", "--queue", self.study.queue_database,
            user=RECEIVER if self.users else None)

    def start_consumer(self):
        self.consumer = Process(
            self.study, self.study.dir, "--roles", "consumer,records", "--queue", self.study.queue_database,
            "--database", self.study.database, user=CONSUMER if self.users else None)

    def restart(self, *names, devices=()):
        """Starts what was killed; the phones are told of the receiver's new port."""
        if "consumer" in names:
            self.start_consumer()
        if "receiver" in names:
            old = self.receiver.url
            self.start_receiver()
            for device in devices:
                device.follow(old, self.receiver.url)


def open_files(process):
    """The names of what a process has open."""
    names = set()
    for link in os.listdir(f"/proc/{process}/fd"):
        try:
            names.add(os.readlink(f"/proc/{process}/fd/{link}"))
        except OSError:
            continue  # closed since
    return names


def memory(process):
    """All of a process's memory that can be read."""
    found = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as contents:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line)
            if not match or "r" not in match[3] or "[vvar]" in line or "[vsyscall]" in line:
                continue
            start, end = int(match[1], 16), int(match[2], 16)
            if end - start > 1 << 30:
                continue
            try:
                contents.seek(start)
                found.append(contents.read(end - start))
            except OSError:
                continue
    return b"".join(found)
