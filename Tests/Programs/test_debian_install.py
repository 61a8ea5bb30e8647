"""The Debian package in a clean Debian 12 without Swift: installation, a study that is served, upgrades that succeed and fail, a full
disk, removal. It needs root and mmdebstrap, and takes the newest package of dist/ (`make package`).

There is no systemd in the root: a script starts and stops a unit's command as its account. So the sandbox of the units is not tested
here, and the units are verified by test_units."""

import hashlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import ANTISPAM, ROOT, tributary, until
from test_operators import authority

DIST = Path(os.environ.get("TRIBUTARY_PACKAGES") or ROOT / "dist")
STUDY = "/var/lib/tributary/study"
# Megabytes of the file system of the root: the packages, the study and its backups.
DISK = 1500

SYSTEMCTL = r"""#!/bin/sh
mkdir -p /run/units
running() { [ -e "/run/units/$1" ] && [ -e "/proc/$(cat "/run/units/$1")/exe" ]; }
verb=$1
case "$verb" in
    daemon-reload) exit 0 ;;
    show) running "$5" && echo active || echo inactive; exit 0 ;;
esac
shift
for unit in "$@"; do
    case "$unit" in tributary.service) ;; *) continue ;; esac
    case "$verb" in
        start)
            file=/etc/systemd/system/$unit
            value() { sed -e :a -e '/\\$/N; s/\\\n//; ta' "$file" | sed -n "s/^$1=//p"; }
            umask "$(value UMask)"
            setsid setpriv --reuid "$(value User)" --regid "$(value Group)" --init-groups -- $(value ExecStart) \
                >>/var/log/tributary.log 2>&1 </dev/null &
            echo $! > "/run/units/$unit" ;;
        stop)
            if running "$unit"; then
                process=$(cat "/run/units/$unit")
                kill "$process"
                while [ -e "/proc/$process/exe" ]; do sleep 0.1; done
            fi ;;
    esac
done
"""
# A version whose migration leaves a store half changed, with the copy that a migration makes first.
BROKEN = """#!/bin/sh
case "$1" in
    --version) echo 9.9 ;;
    migrate)
        store=$2/data/records.sqlite
        cp "$store" "$store.before-20260101000000"
        echo damaged > "$store"
        exit 1 ;;
    *) exec /usr/lib/tributary/previous/tributary "$@" ;;
esac
"""


def newest():
    packages = sorted(DIST.glob("tributary_*.deb"), key=lambda path: path.stat().st_mtime)
    return packages[-1] if packages else None


def field(package, name):
    return subprocess.check_output(["dpkg-deb", "-f", package, name], text=True).strip()


@unittest.skipUnless(newest(), "there is no package in dist/ (make package)")
@unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "a root of Debian needs the account root")
@unittest.skipUnless(os.environ.get("TRIBUTARY_DEBIAN_ROOT") or shutil.which("mmdebstrap"), "mmdebstrap is not installed (make setup-programs)")
class Installation(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tributary-root-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.package = newest()
        self.root = self.folder / "root"
        self.root.mkdir()
        self.mount("-t", "tmpfs", "-o", f"size={DISK}m,mode=0755", "tmpfs", self.root)
        subprocess.run(["tar", "-xf", self.base(), "-C", self.root], check=True)
        self.mount("-t", "proc", "proc", self.root / "proc")
        self.addCleanup(self.systemctl, "stop", "tributary.service")
        self.write("/usr/bin/systemctl", SYSTEMCTL, 0o755)
        (self.root / "run/systemd/system").mkdir(parents=True)
        shutil.rmtree(self.root / "tmp/packages", ignore_errors=True)
        (self.root / "tmp/packages").mkdir()

    def mount(self, *words):
        subprocess.run(["mount", *map(str, words)], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(words[-1])], check=False)

    def base(self):
        """A tar of Debian 12 with the libraries that the package names, and nothing else."""
        if given := os.environ.get("TRIBUTARY_DEBIAN_ROOT"):
            return given
        wanted = [re.split(r"[ (|]", one.strip())[0] for one in field(self.package, "Depends").split(",")]
        name = hashlib.sha256(" ".join(sorted(wanted)).encode()).hexdigest()[:12]
        target = ROOT / ".build-tools" / f"debian-12-{name}.tar"
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            partial = target.with_suffix(".part.tar")
            subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(wanted)}", "bookworm", partial], check=True)
            partial.rename(target)
        return target

    def write(self, path, text, mode=0o644):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def inside(self, *words, status=0, account=None):
        """Runs a command in the root, and returns its output."""
        become = ["setpriv", "--reuid", account, "--regid", account, "--init-groups", "--"] if account else []
        done = subprocess.run(
            ["chroot", str(self.root), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8",
             *become, *map(str, words)], capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL)
        if status is not None:
            self.assertEqual(done.returncode == 0, status == 0, f"{words}: {done.stdout[-1500:]}\n{done.stderr[-3000:]}")
        return done.stdout + done.stderr

    def systemctl(self, verb, unit):
        return self.inside("systemctl", verb, unit, status=None)

    def dpkg(self, *words, status=0):
        return self.inside("dpkg", *words, status=status)

    def variant(self, version, change):
        """The package with another version and program; its path in the root."""
        tree = self.folder / version
        subprocess.run(["dpkg-deb", "-R", self.package, tree], check=True)
        control = tree / "DEBIAN" / "control"
        control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
        change(tree / "usr/lib/tributary/installed/tributary")
        path = f"/tmp/packages/tributary_{version}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, str(self.root) + path], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(tree)
        return path

    @staticmethod
    def other(program):
        """The same program as another file: bytes after the end of it."""
        with open(program, "ab") as file:
            file.write(b"another version")

    def state(self):
        return self.inside("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}", "tributary").split()

    def process(self):
        """The process of the unit, and the program that it runs."""
        process = int((self.root / "run/units/tributary.service").read_text())
        return process, os.readlink(f"/proc/{process}/exe")

    def serves(self, program):
        """Waits until the server answers, and checks whose it is."""
        until(lambda: self.fetched("/study/keys") is not None, "the server answers", 120)
        self.assertIn(f"/usr/lib/tributary/{program}/tributary", self.process()[1])

    def fetched(self, path, *words):
        done = subprocess.run(["curl", "-sS", "--fail", "--noproxy", "*", "--cacert", str(self.tls / "ca.pem"), *words,
                               f"https://127.0.0.1:{self.port}{path}"], capture_output=True, check=False, timeout=60)
        return done.stdout if done.returncode == 0 else None

    # MARK: - The steps

    def test_the_life_of_an_installation(self):
        version = field(self.package, "Version")
        previous = self.variant("0.0.1", self.other)
        self.install(previous)
        self.make_a_study()
        self.serve()
        self.take_part()
        before = self.numbers()
        self.assertGreater(before["observation_fact"], 0)
        self.upgrade_that_fails(before)
        self.upgrade_without_room_for_the_backup(before)
        self.assertEqual(self.state(), ["ii", version])
        self.assertEqual(self.numbers(), before)
        self.upgrade_on_a_full_disk(self.variant("9.1", self.other))
        self.remove(before)

    def install(self, package):
        """Its libraries are those of Debian, and the root has nothing of Swift."""
        self.assertEqual([path for folder in ("usr", "opt") for path in (self.root / folder).rglob("*")
                          if re.match(r"swift|lib_?(swift|Foundation|dispatch)", path.name)], [])
        self.dpkg("-i", package)
        self.assertEqual(self.state(), ["ii", "0.0.1"])
        self.assertNotIn("not found", self.inside("ldd", "/usr/lib/tributary/installed/tributary"))
        self.assertEqual(self.inside("tributary", "--version").strip(), tributary("--version").text.strip())
        for account in ("tributary", "tributary-receiver"):
            self.assertIn("tributary-queue", self.inside("id", "-Gn", account))
        self.assertEqual(self.inside("stat", "-c", "%a %U %G", "/etc/tributary", "/var/lib/tributary", "/var/backups/tributary").split("\n")[:3],
                         ["750 root tributary-queue", "755 tributary tributary-queue", "700 tributary tributary-queue"])

    def make_a_study(self):
        """The commands of the guide's section, with the example study."""
        self.inside("tributary", "init", STUDY, "--example", "--group", "tributary-queue", "--antispam", ANTISPAM, account="tributary")
        self.inside("tributary", "study", "check", STUDY, account="tributary")
        self.tls = authority(self.folder / "tls")
        for name in ("chain.pem", "key.pem"):
            self.write(f"/etc/tributary/{name}", (self.tls / name).read_text(), 0o640)
            self.inside("chgrp", "tributary-queue", f"/etc/tributary/{name}")

    def serve(self):
        """The unit of the package, on free ports."""
        def free():
            with socket.create_server(("127.0.0.1", 0)) as listener:
                return listener.getsockname()[1]
        self.port = free()
        unit = (self.root / "lib/systemd/system/tributary.service").read_text()
        self.write("/etc/systemd/system/tributary.service", unit.replace(":9443", f":{free()}").replace(
            "--port 8443", f"--port {self.port}").replace("0.0.0.0", "127.0.0.1"))
        self.systemctl("start", "tributary.service")
        self.serves("installed")

    def take_part(self):
        """A phone enrols by invitation, consents and answers; the answer is read as FHIR, and is in i2b2's table."""
        store, answers = self.folder / "phone", Path(f"{self.root}{STUDY}/answers")
        [invitation] = json.loads(self.inside("tributary", "participant", "invite", STUDY, "--json", account="tributary"))

        def device(command, *arguments):
            return tributary("device", command, "--store", store, *arguments, "--json")

        device("enrol", "--url", f"https://127.0.0.1:{self.port}", "--invitation", invitation["code"], "--antispam", ANTISPAM,
               "--ca", self.tls / "ca.pem")
        device("consent", "--answers", answers / "consent-1.json", "--name", "A B")
        device("answer", "mood-check", "--answers", answers / "mood-check-1.json")
        device("send")
        until(lambda: {row["status"] for row in device("deliveries").json["deliveries"]} == {"stored"}, "the answer is stored")
        token = self.inside("tributary", "token", "create", STUDY, "--scope", "system/*.rs", account="tributary").split()[0]
        found = json.loads(self.fetched("/fhir/QuestionnaireResponse?_summary=count", "-H", f"Authorization: Bearer {token}"))
        self.assertEqual(found["total"], 1)

    def numbers(self):
        """Rows of the tables of the records, read while the server runs."""
        database = sqlite3.connect(f"file:{self.root}{STUDY}/data/records.sqlite?mode=ro", uri=True)
        try:
            return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    for table in ("observation_fact", "patient_dimension", "record")}
        finally:
            database.close()

    def upgrade_that_fails(self, before):
        """The migration fails in its middle: the stores are as before, and the installed version serves."""
        broken = self.variant("0.0.2", lambda program: program.write_text(BROKEN))
        self.assertIn("the stores are as they were", self.dpkg("-i", broken, status=1))
        self.assertEqual(self.state()[0], "iF")
        self.serves("previous")
        self.assertEqual(self.numbers(), before)

    def upgrade_without_room_for_the_backup(self, before):
        """The package under test, without room for its backup and then with it."""
        shutil.copy(self.package, self.root / "tmp/packages")
        backups = self.root / "var/backups/tributary"
        for file in backups.iterdir():
            file.unlink()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", backups], check=True)
        try:
            self.inside("chown", "tributary:tributary-queue", "/var/backups/tributary")
            said = self.dpkg("-i", f"/tmp/packages/{self.package.name}", status=1)
            self.assertIn("storage-full", said)
            self.serves("previous")
            self.assertEqual(self.numbers(), before)
        finally:
            subprocess.run(["umount", "-l", backups], check=True)
        process = self.process()[0]
        self.dpkg("--configure", "tributary")
        self.serves("installed")
        self.assertNotEqual(self.process()[0], process)
        [made] = backups.iterdir()
        self.assertEqual((made.name, made.stat().st_mode & 0o777), (f"study-before-{field(self.package, 'Version')}.tar", 0o600))

    def upgrade_on_a_full_disk(self, package):
        """dpkg cannot unpack: the server continues as the same process; with room again the upgrade succeeds."""
        process = self.process()[0]
        ballast = self.root / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass
        try:
            self.dpkg("-i", package, status=1)
            self.serves("installed" if "installed" in self.process()[1] else "previous")
            self.assertEqual(self.process()[0], process)
        finally:
            ballast.unlink()
        self.assertEqual(self.inside("tributary", "--version").strip(), field(self.package, "Version"))
        self.dpkg("-i", package)
        self.assertEqual(self.state(), ["ii", "9.1"])
        self.serves("installed")

    def remove(self, before):
        """Removal and purge stop the server and keep study, keys and backups."""
        process = self.process()[0]
        self.assertIn("remain", self.dpkg("-r", "tributary"))
        self.assertFalse(os.path.exists(f"/proc/{process}/exe"))
        self.assertFalse((self.root / "usr/lib/tributary").exists())
        self.assertIn("/var/lib/tributary", self.dpkg("-P", "tributary"))
        self.assertEqual(self.numbers(), before)
        self.assertTrue((self.root / STUDY.lstrip("/") / "keys").is_dir())
        self.assertGreater(len(list((self.root / "var/backups/tributary").iterdir())), 0)


if __name__ == "__main__":
    unittest.main()
