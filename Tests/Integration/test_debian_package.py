"""The Debian package without a release build: its contents around a small program, and its scripts in a folder with substitutes for
Tributary and systemd. `make programs` installs the real one in a clean Debian 12 (Tests/Programs)."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from harness import BIN, ROOT
from own_folder import FolderTest

sys.path.insert(0, str(ROOT / "Scripts"))
PACKAGING = ROOT / "Packaging" / "debian"
CHECKOUTS = Path(os.environ.get("TRIBUTARY_SCRATCH") or ROOT / ".build") / "checkouts"
SMALL = Path("/bin/true").resolve()
DPKG = unittest.skipUnless(all(map(shutil.which, ("dpkg-deb", "dpkg-shlibdeps", "readelf", "strip"))), "dpkg-dev or binutils is not installed")


def script(name):
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), ROOT / "Scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_package, licences, manual = script("make-package"), script("package_licences"), script("package_manual")


@DPKG
@unittest.skipUnless(CHECKOUTS.is_dir() and shutil.which("swift"), "there are no checkouts of a build, or no Swift")
class Contents(unittest.TestCase):
    """The files around a program of 40 kB."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.build = make_package.Build(SMALL, CHECKOUTS, make_package.toolchain(), documented_by=BIN)
        cls.deb = cls.build.package(cls.folder, level=1)
        cls.root = cls.folder / "root"
        subprocess.run(["dpkg-deb", "-R", cls.deb, cls.root], check=True)

    def control(self):
        return dict(re.findall(r"^([A-Z][\w-]+): (.*)$", (self.root / "DEBIAN" / "control").read_text(), re.MULTILINE))

    def test_it_has_program_units_pages_and_completions(self):
        files = {str(path.relative_to(self.root)) for path in self.root.rglob("*")
                 if not path.is_dir() or path.is_symlink()}
        pages = {file for file in files if file.startswith("usr/share/man/")}
        self.assertEqual({file for file in files - pages if not file.startswith("DEBIAN/")}, {
            "usr/bin/tributary", "usr/lib/tributary/installed/tributary", "etc/tributary/package.conf",
            *(f"lib/systemd/system/{unit.name}" for unit in (ROOT / "Examples" / "systemd").iterdir()),
            "usr/share/bash-completion/completions/tributary", "usr/share/zsh/vendor-completions/_tributary",
            "usr/share/fish/vendor_completions.d/tributary.fish", "usr/share/lintian/overrides/tributary",
            *(f"usr/share/doc/tributary/{name}" for name in (
                "copyright", "linked-code.txt.gz", "NOTICE", "changelog.gz", "CHANGELOG.md.gz"))})
        commands = {"tributary", *(f"tributary-{one['commandName']}" for one in manual.visible(manual.described(BIN)))}
        self.assertEqual({Path(page).name for page in pages}, {f"{name}.1.gz" for name in commands})
        self.assertEqual(os.readlink(self.root / "usr/bin/tributary"), "../lib/tributary/current/tributary")

    def test_dpkg_knows_version_libraries_and_settings(self):
        control = self.control()
        self.assertEqual(control["Version"], subprocess.check_output([BIN, "--version"], text=True).strip())
        for package in ("libc6", "adduser", "ca-certificates", "fonts-dejavu-core"):
            self.assertIn(package, control["Depends"])
        self.assertEqual((self.root / "DEBIAN" / "conffiles").read_text(), "/etc/tributary/package.conf\n")

    def test_the_units_name_the_folders_of_the_package(self):
        for unit in (self.root / "lib/systemd/system").iterdir():
            text = unit.read_text()
            self.assertNotRegex(text, r"/srv/study|/usr/local", unit.name)
            if "ExecStart=" in text:
                self.assertRegex(text, r"/usr/bin/tributary (serve|backup) /var/lib/tributary/study", unit.name)

    def test_the_same_input_makes_the_same_file(self):
        again = self.folder / "again"
        again.mkdir()
        self.assertEqual(self.build.package(again, level=1).read_bytes(), self.deb.read_bytes())
        first = self.build.tarball(self.folder).read_bytes()
        self.assertEqual(self.build.tarball(again).read_bytes(), first)

    def test_the_tarball_has_the_same_documents(self):
        with tarfile.open(self.build.tarball(self.folder)) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        for name in ("bin/tributary", "share/man/man1/tributary.1.gz", "share/doc/tributary/copyright", "LICENSE", "INSTALL",
                     "lib/systemd/system/tributary.service"):
            self.assertIn(name, names)

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_finds_no_error(self):
        done = subprocess.run(["lintian", "--fail-on", "error", "--allow-root", self.deb], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, re.findall(r"^E:.*", done.stdout, re.MULTILINE)), (0, []), done.stderr)


@DPKG
class Refusals(FolderTest):
    """What stops the build of a package."""

    def refused(self, binary, reason):
        with self.assertRaisesRegex(make_package.PackageFailure, reason):
            make_package.check_binary(Path(binary))

    def test_a_file_that_is_no_program(self):
        self.refused(self.file("tributary", "#!/bin/sh\n"), "is not a program")

    @unittest.skipUnless(b"libswiftCore.so" in BIN.read_bytes(), "this binary has the Swift runtime in it")
    def test_a_binary_that_needs_swift(self):
        self.refused(BIN, "static-swift-stdlib")

    def test_a_binary_that_needs_a_newer_c_library(self):
        make_package.check_binary(SMALL)
        self.addCleanup(setattr, make_package, "GLIBC", make_package.GLIBC)
        make_package.GLIBC = (2, 0)
        self.refused(SMALL, "build the package on Debian 12")

    def test_an_unknown_licence(self):
        """Of a package, of a C source in it, and a package without any."""
        known = (ROOT / "LICENSE").read_text()
        for files in ({"LICENSE.txt": "All rights are reserved. Ask before you copy.\n"},
                      {"LICENSE.txt": known, "Sources/CThing/thing.c": "/* Copyright A. Ask before you copy. */\nint x;\n"},
                      {"README.md": "A package.\n"}):
            with self.subTest(list(files)):
                for name, text in files.items():
                    self.file(f"{len(files)}{'LICENSE.txt' in files}/Thing/{name}", text)
                folder = self.folder / f"{len(files)}{'LICENSE.txt' in files}"
                with self.assertRaisesRegex(licences.UnknownLicence, "Thing"):
                    licences.components(folder, "/nowhere")
        self.assertEqual(licences.licence(known, "ours"), "Apache-2.0")


# A program of a version of Tributary. Its store is a text with the number of the schema. `broken` leaves a store half migrated,
# `killed` ends the script that called it after the migration, and `strict` finds an error in the study.
PROGRAM = """#!/bin/sh
# version {version}
case "$1" in
    --version) echo {version} ;;
    study) [ {kind} != strict ] || {{ echo "error: study.json" ; exit 1; }} ;;
    backup)
        [ ! -e "$2/full" ] || {{ echo "storage-full" >&2; exit 1; }}
        [ "$(cat "$2/data/records.sqlite")" = {schema} ] || exit 1
        cp "$2/data/records.sqlite" "$4" ;;
    migrate)
        found=$(cat "$2/data/records.sqlite")
        [ "$found" != {schema} ] || exit 0
        [ "$found" -lt {schema} ] || {{ echo "storage-schema-newer" >&2; exit 1; }}
        cp "$2/data/records.sqlite" "$2/data/records.sqlite.before-$$"
        echo log > "$2/data/records.sqlite-wal"
        [ {kind} != broken ] || {{ echo 99 > "$2/data/records.sqlite"; exit 1; }}
        echo {schema} > "$2/data/records.sqlite"
        rm "$2/data/records.sqlite-wal"
        [ {kind} != killed ] || kill -9 "$PPID" ;;
esac
"""
# systemctl with the state of each unit in a file. It logs which version serves.
SYSTEMCTL = """#!/bin/sh
state={root}/units
[ "$1" != show ] || {{ shift 4; [ -e "$state/$1" ] && echo active || echo inactive; exit 0; }}
verb=$1; shift
for unit in "$@"; do
    case "$verb" in
        start) : > "$state/$unit"; echo "start $unit $({root}/usr/bin/tributary --version)" >> {root}/log ;;
        stop) [ ! -e "$state/$unit" ] || {{ rm "$state/$unit"; echo "stop $unit" >> {root}/log; }} ;;
    esac
done
"""


class Scripts(FolderTest):
    """The maintainer scripts below DPKG_ROOT, called as dpkg calls them (Debian Policy, chapter 6)."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        self.home = self.root / "usr/lib/tributary"
        self.study = self.folder / "study"
        for folder in ("usr/bin", "usr/lib/tributary/installed", "etc/tributary", "run/systemd/system", "units", "tools"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "usr/bin/tributary").symlink_to("../lib/tributary/current/tributary")
        for folder in ("queue", "data", "../backups"):
            (self.study / folder).mkdir(parents=True)
        self.write(self.study / "study.json", "{}")
        self.write(self.study / "data/records.sqlite", "1\n")
        self.conf(self.study)
        self.write(self.root / "tools/systemctl", SYSTEMCTL.format(root=self.root), 0o755)
        for name in ("adduser", "addgroup", "chown", "getent"):
            self.write(self.root / "tools" / name, f'#!/bin/sh\necho {name} "$@" >> {self.root}/accounts\n[ {name} != getent ]\n', 0o755)

    @staticmethod
    def write(path, text, mode=0o644):
        path.write_text(text)
        path.chmod(mode)

    def conf(self, study):
        self.write(self.root / "etc/tributary/package.conf", f"STUDY={study or ''}\nBACKUPS={self.folder}/backups\n")

    def call(self, name, *arguments, status=0):
        done = subprocess.run(
            ["sh", PACKAGING / name, *arguments], capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "DPKG_ROOT": str(self.root), "PATH": f"{self.root}/tools:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, status, f"{name} {arguments}: {done.stderr}")
        return done.stderr

    def unpack(self, version, schema, kind="good"):
        """Replaces the program as dpkg does: the old file keeps its other names."""
        new = self.home / "installed/tributary.dpkg-new"
        self.write(new, PROGRAM.format(version=version, schema=schema, kind=kind), 0o755)
        new.rename(self.home / "installed/tributary")

    def install(self):
        self.call("preinst", "install")
        self.unpack(1, 1)
        self.call("postinst", "configure", "")
        (self.root / "units/tributary.service").touch()

    def upgrade(self, version, schema, kind="good", status=0):
        self.call("preinst", "upgrade", "1")
        self.unpack(version, schema, kind)
        return self.call("postinst", "configure", "1", status=status)

    def serving(self):
        """The version in service, whether its unit is active, and the schema of the store."""
        version = subprocess.check_output([self.root / "usr/bin/tributary", "--version"], text=True).strip()
        return version, (self.root / "units/tributary.service").exists(), (self.study / "data/records.sqlite").read_text().strip()

    def log(self):
        path = self.root / "log"
        return path.read_text().splitlines() if path.exists() else []

    def test_an_installation_makes_accounts_and_starts_nothing(self):
        self.install()
        made = (self.root / "accounts").read_text()
        self.assertRegex(made, r"addgroup .*tributary-queue")
        self.assertRegex(made, r"adduser .* tributary\n")
        self.assertRegex(made, r"adduser .* tributary-receiver\n")
        self.assertEqual(self.log(), [])
        for folder, mode in (("var/lib/tributary", 0o755), ("var/backups/tributary", 0o700), ("etc/tributary", 0o750)):
            self.assertEqual((self.root / folder).stat().st_mode & 0o777, mode)

    def test_an_upgrade_stops_backs_up_migrates_and_starts(self):
        self.install()
        self.upgrade(2, 2)
        self.assertEqual(self.serving(), ("2", True, "2"))
        self.assertEqual(self.log(), ["stop tributary.service", "start tributary.service 2"])
        self.assertEqual((self.folder / "backups/study-before-2.tar").read_text(), "1\n")
        self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["current", "installed"])

    def test_between_unpacking_and_configuring_the_old_version_is_in_service(self):
        self.install()
        self.call("preinst", "upgrade", "1")
        self.assertEqual(self.serving(), ("1", True, "1"))
        self.unpack(2, 2)
        self.assertEqual(self.serving(), ("1", True, "1"))

    def test_after_a_failed_migration_the_old_version_serves_the_old_stores(self):
        self.install()
        said = self.upgrade(2, 2, "broken", status=1)
        self.assertIn("the stores are as they were", said)
        self.assertEqual(self.serving(), ("1", True, "1"))
        self.assertFalse((self.study / "data/records.sqlite-wal").exists())
        # A second attempt fails likewise, and a mended version succeeds, from the version that serves.
        self.call("postinst", "configure", "1", status=1)
        self.assertEqual(self.serving(), ("1", True, "1"))
        self.upgrade(3, 3)
        self.assertEqual(self.serving(), ("3", True, "3"))
        self.assertEqual(self.log()[-1], "start tributary.service 3")

    def test_a_version_that_refuses_the_study_stops_nothing(self):
        self.install()
        self.assertIn("error: study.json", self.upgrade(2, 2, "strict", status=1))
        self.assertEqual(self.serving(), ("1", True, "1"))
        self.assertNotIn("stop tributary.service", self.log())

    def test_without_room_for_the_backup_the_old_version_serves(self):
        self.install()
        (self.study / "full").touch()
        self.assertIn("nothing was changed", self.upgrade(2, 2, status=1))
        self.assertEqual(self.serving(), ("1", True, "1"))
        (self.study / "full").unlink()
        self.call("postinst", "configure", "1")
        self.assertEqual(self.serving(), ("2", True, "2"))

    def test_a_script_killed_after_the_migration_is_completed_by_the_next(self):
        self.install()
        self.call("preinst", "upgrade", "1")
        self.unpack(2, 2, "killed")
        self.call("postinst", "configure", "1", status=-9)
        self.assertFalse(self.serving()[1])
        # The unit that was stopped is started, and the old program is not asked for a backup of a store that it cannot read.
        self.call("postinst", "configure", "1")
        self.assertEqual(self.serving(), ("2", True, "2"))

    def test_after_a_killed_script_the_version_of_before_can_be_installed_again(self):
        self.install()
        self.call("preinst", "upgrade", "1")
        self.unpack(2, 2, "killed")
        self.call("postinst", "configure", "1", status=-9)
        self.upgrade(1, 1)
        self.assertEqual(self.serving(), ("1", True, "1"))

    def test_a_failed_unpacking_leaves_the_old_version(self):
        self.install()
        self.call("preinst", "upgrade", "1")
        self.call("postrm", "abort-upgrade", "1")
        self.call("postinst", "abort-upgrade", "2")
        self.assertEqual(self.serving(), ("1", True, "1"))
        self.assertEqual(self.log(), [])
        self.assertEqual(os.readlink(self.home / "current"), "installed")
        self.upgrade(2, 2)
        self.assertEqual(self.serving(), ("2", True, "2"))

    def test_the_same_program_again_stops_nothing(self):
        self.install()
        self.upgrade(1, 1)
        self.assertEqual((self.serving(), self.log()), (("1", True, "1"), []))

    def test_a_host_without_a_study_only_starts_again(self):
        self.install()
        self.conf(None)
        self.upgrade(2, 2)
        self.assertEqual(self.serving(), ("2", True, "1"))
        self.assertEqual(self.log(), ["stop tributary.service", "start tributary.service 2"])

    def test_a_unit_that_was_stopped_remains_so(self):
        self.install()
        (self.root / "units/tributary.service").unlink()
        self.upgrade(2, 2)
        self.assertEqual((self.serving(), self.log()), (("2", False, "2"), []))

    def test_removal_and_purge_keep_the_data(self):
        self.install()
        (self.root / "var/lib/tributary/study").mkdir()
        self.call("prerm", "remove")
        self.assertEqual(self.log(), ["stop tributary.service"])
        shutil.rmtree(self.home / "installed")
        self.assertIn("remain", self.call("postrm", "remove"))
        self.assertEqual(list(self.home.iterdir()), [])
        (self.root / "etc/tributary/package.conf").unlink()
        said = self.call("postrm", "purge")
        self.assertIn("/var/lib/tributary", said)
        self.assertNotIn("/etc/tributary", said)
        self.assertTrue((self.root / "var/lib/tributary/study").is_dir() and self.study.is_dir())

    def test_the_scripts_are_sh(self):
        for name in ("preinst", "postinst", "prerm", "postrm"):
            self.assertEqual(subprocess.run(["sh", "-n", PACKAGING / name], check=False).returncode, 0, name)


if __name__ == "__main__":
    unittest.main()
