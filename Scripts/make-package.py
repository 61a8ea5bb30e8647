#!/usr/bin/env python3
"""Builds the Debian package and the tarball of the program.

    Scripts/make-package.py --binary FILE --checkouts DIR [--output DIR] [--toolchain DIR] [--version V]

FILE is a release binary with the Swift runtime linked statically; DIR the folder of SwiftPM's checkouts that it was built from.
`make package` builds both and calls this. The result is dist/tributary_VERSION_ARCHITECTURE.deb and
dist/tributary-VERSION-linux-MACHINE.tar.gz, the same bytes for the same commit, binary and checkouts.

It stops if the binary needs a library outside of Debian's packages or a newer C library than Debian 12 has, if it looks for libraries
in a folder of its own, and if code with an unknown licence is linked.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import package_licences
import package_manual

ROOT = Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "Packaging" / "debian"
UNITS = ROOT / "Examples" / "systemd"
# The C library of Debian 12.
GLIBC = (2, 36)
# What the program runs or reads: accounts are made with adduser, PDF documents use these fonts, TLS these authorities.
DEPENDENCIES = ("adduser", "ca-certificates", "fonts-dejavu-core")
MAINTAINER = "The Tributary authors <tributary@example.org>"
DESCRIPTION = """carries health data from people's phones into FHIR and i2b2
 Phones seal answers, consents and health data for a study. The receiver stores
 the sealed messages, the consumer opens and checks them, and the records are
 served as FHIR R4 and loaded into the tables of i2b2.
 .
 The package has the server and command line, units of systemd, manual pages
 and shell completions."""


class PackageFailure(Exception):
    """A sentence for the person who builds the package."""


def output(*arguments, **more):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=False, timeout=600, **more)
    if done.returncode != 0:
        raise PackageFailure(f"{arguments[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def toolchain():
    """The folder of the Swift toolchain in PATH: `swift` itself may be a proxy of an installer."""
    resources = Path(json.loads(output("swift", "-print-target-info"))["paths"]["runtimeResourcePath"])
    return resources.parents[2]


# MARK: - The binary

def check_binary(binary):
    """Checks that a binary runs on Debian 12 without Swift."""
    if binary.read_bytes()[:4] != b"\x7fELF":
        raise PackageFailure(f"{binary} is not a program")
    dynamic = output("readelf", "--dynamic", "--wide", binary)
    for line in dynamic.splitlines():
        if "(RUNPATH)" in line or "(RPATH)" in line:
            folders = re.search(r"\[(.*)\]", line)[1]
            if folders != "$ORIGIN":
                raise PackageFailure(f"the program looks for libraries in {folders}; link it with --static-swift-stdlib")
    swift = [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if re.match(r"lib_?(swift|Foundation|dispatch|Blocks)", name)]
    if swift:
        raise PackageFailure(f"the program needs {', '.join(swift)} of Swift; link it with --static-swift-stdlib")
    symbols = output("readelf", "--version-info", "--wide", binary)
    newest = max((tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+\.\d+)", symbols)), default=(2, 0))
    if newest > GLIBC:
        raise PackageFailure(f"the program needs glibc {'.'.join(map(str, newest))}, and Debian 12 has "
                             f"{'.'.join(map(str, GLIBC))}; build the package on Debian 12")


def dependencies(binary):
    """The packages of the libraries that a binary needs, as dpkg-shlibdeps finds them, and the others."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian" / "control").write_text("Source: tributary\n\nPackage: tributary\nArchitecture: any\n")
        found = output("dpkg-shlibdeps", "-O", f"-e{binary}", cwd=folder)
    libraries = re.search(r"^shlibs:Depends=(.*)$", found, re.MULTILINE)
    if not libraries:
        raise PackageFailure("dpkg-shlibdeps found no libraries")
    return sorted(set(libraries[1].split(", ")) | set(DEPENDENCIES))


def stripped(binary, target):
    """Copies a binary without its symbols and comments."""
    output("strip", "--strip-all", "--remove-section=.comment", "--remove-section=.note", "-o", target, binary)
    target.chmod(0o755)


# MARK: - Files

def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def compressed(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def units(study, program):
    """The units, by name, with the folder of the study and the program where the package has them."""
    result = {}
    for path in sorted(UNITS.iterdir()):
        text = path.read_text().replace("/srv/study", study).replace("/usr/local/bin/tributary", program)
        # The comment that names the folder for a copy by hand.
        result[path.name] = re.sub(r"#\n#   /etc/systemd/system/\S+\n", "", text)
    return result


def completions(binary):
    """The files of the shells, by their paths below usr/share."""
    return {path: re.sub(r"\A#!.*\n+", "", output(binary, "--generate-completion-script", shell)) for shell, path in (
        ("bash", "bash-completion/completions/tributary"), ("zsh", "zsh/vendor-completions/_tributary"),
        ("fish", "fish/vendor_completions.d/tributary.fish"))}


def changelog(version, seconds):
    """Debian's form of the changelog: the lines of the version are in CHANGELOG.md, which the package has too."""
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(seconds))
    return f"tributary ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- {MAINTAINER}  {date}\n"


def build_time():
    """The time of the newest commit, or SOURCE_DATE_EPOCH, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(output("git", "-C", ROOT, "log", "-1", "--format=%ct").strip())


class Build:
    """One binary with its documents, from which both files are made."""

    def __init__(self, binary, checkouts, toolchain_folder, version=None, documented_by=None):
        self.binary, speaks = binary, documented_by or binary
        self.version = version or output(speaks, "--version").strip()
        if not re.fullmatch(r"\d+(\.\d+)*([~+][0-9a-z.]+)?", self.version):
            raise PackageFailure(f"{self.version} is not a version of a package")
        self.seconds = build_time()
        self.linked = package_licences.components(checkouts, toolchain_folder)
        self.pages = package_manual.pages(package_manual.described(speaks), self.version, self.seconds)
        self.completions = completions(speaks)
        self.depends = dependencies(binary)

    def shared(self, folder):
        """What both files have below share/."""
        for name, text in self.pages.items():
            write(folder / "man" / "man1" / (name + ".gz"), compressed(text))
        for name, text in self.completions.items():
            write(folder / name, text)
        documents = folder / "doc" / "tributary"
        write(documents / "copyright", package_licences.copyright_file(self.linked))
        write(documents / "linked-code.txt.gz", compressed(package_licences.full_text(self.linked)))
        write(documents / "NOTICE", (ROOT / "NOTICE").read_text())
        write(documents / "CHANGELOG.md.gz", compressed((ROOT / "CHANGELOG.md").read_text()))

    def tree(self, root):
        """The files of the package, below a folder."""
        installed = root / "usr" / "lib" / "tributary" / "installed" / "tributary"
        installed.parent.mkdir(parents=True)
        stripped(self.binary, installed)
        (root / "usr" / "bin").mkdir()
        (root / "usr" / "bin" / "tributary").symlink_to("../lib/tributary/current/tributary")
        self.shared(root / "usr" / "share")
        documents = root / "usr" / "share" / "doc" / "tributary"
        write(documents / "changelog.gz", compressed(changelog(self.version, self.seconds)))
        write(root / "usr" / "share" / "lintian" / "overrides" / "tributary", (PACKAGING / "lintian-overrides").read_text())
        for name, text in units("/var/lib/tributary/study", "/usr/bin/tributary").items():
            write(root / "lib" / "systemd" / "system" / name, text)
        write(root / "etc" / "tributary" / "package.conf", (PACKAGING / "package.conf").read_text())

    def control(self, root):
        """The folder DEBIAN: what dpkg reads about the package, and the scripts that it runs."""
        files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        architecture = output("dpkg", "--print-architecture").strip()
        write(root / "DEBIAN" / "control", "\n".join([
            "Package: tributary", f"Version: {self.version}", f"Architecture: {architecture}", f"Maintainer: {MAINTAINER}",
            f"Installed-Size: {sum((path.stat().st_size + 1023) // 1024 for path in files)}",
            f"Depends: {', '.join(self.depends)}", "Section: net", "Priority: optional", f"Description: {DESCRIPTION}"]) + "\n")
        write(root / "DEBIAN" / "conffiles", "/etc/tributary/package.conf\n")
        sums = [f"{output('md5sum', path).split()[0]}  {path.relative_to(root)}\n" for path in files
                if path.relative_to(root).parts[0] != "etc"]
        write(root / "DEBIAN" / "md5sums", "".join(sums))
        for name in ("preinst", "postinst", "prerm", "postrm"):
            write(root / "DEBIAN" / name, (PACKAGING / name).read_text(), 0o755)

    def package(self, folder, level=3):
        """Writes the Debian package into a folder, and returns its path."""
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary) / "root"
            root.mkdir(mode=0o755)
            self.tree(root)
            self.control(root)
            for path in [root, *root.rglob("*")]:
                if path.is_dir():
                    path.chmod(0o755)
            name = folder / f"tributary_{self.version}_{output('dpkg', '--print-architecture').strip()}.deb"
            output("dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", root, name,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(self.seconds)})
        return name

    def tarball(self, folder):
        """Writes the tarball into a folder, and returns its path."""
        name = f"tributary-{self.version}-linux-{os.uname().machine}"
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary) / name
            (root / "bin").mkdir(parents=True)
            stripped(self.binary, root / "bin" / "tributary")
            self.shared(root / "share")
            for unit, text in units("/srv/study", "/usr/local/bin/tributary").items():
                write(root / "lib" / "systemd" / "system" / unit, text)
            write(root / "LICENSE", (ROOT / "LICENSE").read_text())
            needed = ", ".join(re.sub(r" \(.*?\)", "", one) for one in self.depends)
            write(root / "INSTALL", f"Tributary {self.version}\n\nThe program needs these packages of Debian 12 or newer: {needed}.\n\n"
                  "As root:\n\n    cp -r bin share /usr/local/\n    cp lib/systemd/system/* /etc/systemd/system/\n\n"
                  "The units and their comments name the accounts and folders that they need.\n")
            target = folder / (name + ".tar.gz")
            packed = subprocess.run(
                ["tar", "--sort=name", f"--mtime=@{self.seconds}", "--owner=0", "--group=0", "--numeric-owner", "-C", temporary,
                 "-cf", "-", name], stdout=subprocess.PIPE, check=True)
            target.write_bytes(gzip.compress(packed.stdout, 6, mtime=0))
        return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--toolchain", type=Path, help="the folder that has usr/bin/swift; that of the PATH by default")
    parser.add_argument("--version", help="the version of the package instead of that of the program")
    options = parser.parse_args()
    try:
        if options.toolchain is None and not shutil.which("swift"):
            raise PackageFailure("Swift was not found; give --toolchain")
        if not options.binary.is_file():
            raise PackageFailure(f"there is no {options.binary}; run make package")
        check_binary(options.binary)
        build = Build(options.binary.resolve(), options.checkouts, options.toolchain or toolchain(), options.version)
        options.output.mkdir(parents=True, exist_ok=True)
        print(build.package(options.output))
        print(build.tarball(options.output))
    except (PackageFailure, package_licences.UnknownLicence, OSError) as error:
        sys.exit(f"make-package: {error}")


if __name__ == "__main__":
    main()
