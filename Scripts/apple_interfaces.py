"""Interfaces of Swift, Foundation, Darwin, Security, Crypto and SwiftUI for an Apple target, made from a toolchain on Linux.

The standard library's modules have textual interfaces with Apple's availability; only their target is replaced.
Foundation is present only as compiled modules: the compiler prints its interface, availability included, and a few rules
remove the declarations of Linux. Darwin, Security, Crypto, SwiftUI and URLSession are declared by hand in Scripts/apple-platforms.

Foundation's other classes (DateFormatter, NSRegularExpression ...) are those of Linux and have no availability.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

DECLARATIONS = pathlib.Path(__file__).resolve().parent / "apple-platforms"
STANDARD = [
    "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "RegexBuilder", "_Builtin_float", "SwiftOnoneSupport",
    "Synchronization", "Observation",
]
FOUNDATION = ["FoundationEssentials", "FoundationInternationalization", "Foundation"]
DECLARED = ["Darwin", "Crypto", "CryptoExtras", "Security", "SwiftUI"]

# Uses and bodies within the interfaces are not checked; without the bodies they compile seven times as fast.
FLAGS = "-disable-availability-checking -experimental-skip-all-function-bodies"

# A declaration that other modules do not see, alone on its line or with its accessors.
HIDDEN = re.compile(
    r"\s*(?:@[\w$]+(?:\([^)]*\))? |(?:final|lazy|weak|unowned|static|nonisolated)(?:\([^)]*\))? )*"
    r"(?:internal|private|fileprivate) (?:\w+ )*(?:var|let) ")
# Foundation of Linux marks these types, which are declared by hand, as moved.
MOVED = re.compile(r'(?m)^@available\(\*, unavailable, message: "This type has moved to the FoundationNetwork.*\n.*\n')
ATTRIBUTE = re.compile(r"\s*@\w+(?:\(.*\))?\s*$")


class SetUpError(Exception):
    """The interfaces cannot be made here; the sentence names the failed step and the toolchain."""


class Toolchain:
    """The installed Swift."""

    def __init__(self):
        if not shutil.which("swiftc"):
            raise SetUpError("swiftc was not found in PATH.")
        self.version = "unknown"
        told = json.loads(self.run("swiftc", "-print-target-info", what="asking the compiler for its target").stdout)
        self.version = told["compilerVersion"]
        self.triple = told["target"]["moduleTriple"]
        self.resources = pathlib.Path(told["paths"]["runtimeResourcePath"])
        self.modules = self.resources / told["target"]["platform"]
        # If swiftly comes first in PATH, swift-frontend is not in PATH.
        self.frontend = self.resources.parent.parent / "bin" / "swift-frontend"

    def run(self, *command, what=None):
        """Runs a tool; with `what`, a failure is an error of the set-up."""
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if what and result.returncode != 0:
            raise SetUpError(f"{what} failed, with {self.version}:\n{result.stderr.strip()[:4000]}")
        return result

    def printed(self, module, folder):
        """The interface of a module that the toolchain has only compiled."""
        self.run(
            self.frontend, "-merge-modules", self.modules / f"{module}.swiftmodule" / f"{self.triple}.swiftmodule",
            "-module-name", module, "-enable-library-evolution", "-swift-version", "5",
            "-emit-module", "-o", folder / f"{module}.swiftmodule",
            "-emit-module-interface-path", folder / f"{module}.swiftinterface",
            what=f"printing the interface of {module}")
        return (folder / f"{module}.swiftinterface").read_text()


class AppleInterfaces:
    """A resource folder for an Apple target, and the compiler that reads it."""

    def __init__(self, scratch, toolchain, macos):
        self.toolchain = toolchain
        architecture = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
        self.target, self.module_triple = f"{architecture}-apple-macosx{macos}", f"{architecture}-apple-macos"
        sources = [pathlib.Path(__file__), *sorted(DECLARATIONS.iterdir())]
        # Compiled modules contain the paths of the interfaces that they were made from.
        made_of = [toolchain.version, str(toolchain.resources), self.target, str(scratch)]
        key = hashlib.sha256("\n".join(made_of).encode() + b"".join(file.read_bytes() for file in sources)).hexdigest()
        self.folder = scratch / key[:16]
        self.resources = self.folder / "lib"

    def frontend(self, *arguments):
        # Without Objective-C: the standard library of Linux has none of its types. macOS has no `Glibc`.
        return self.toolchain.run(
            self.toolchain.frontend, "-disable-objc-interop", "-target", self.target, "-resource-dir", self.resources,
            "-module-cache-path", self.folder / "cache", "-diagnostic-style", "llvm", *arguments)

    def make(self):
        """Makes the interfaces where they are not there yet, and proves them on Probe.swift."""
        ready = self.folder / "ready"
        if ready.exists():
            return
        print("== making Apple's interfaces of the toolchain's, once for a toolchain", flush=True)
        for other in self.folder.parent.iterdir():
            if re.fullmatch(r"[0-9a-f]{16}", other.name):
                shutil.rmtree(other)
        printed = self.folder / "printed"
        printed.mkdir(parents=True)
        self.resources.mkdir()
        for name in ("shims", "clang", "apinotes"):
            (self.resources / name).symlink_to(self.toolchain.resources / name)
        for module in STANDARD:
            self.write(module, self.standard(module))
        for module in FOUNDATION:
            self.write(module, self.foundation(module, self.toolchain.printed(module, printed)))
        for module in DECLARED:
            self.write(module, self.head(module) + "import Swift\nimport _Concurrency\n" + declared(module))
        self.prove()
        ready.touch()

    def write(self, module, text):
        folder = self.resources / "macosx" / f"{module}.swiftmodule"
        folder.mkdir(parents=True)
        (folder / f"{self.module_triple}.swiftinterface").write_text(text)

    def head(self, module):
        return (
            "// swift-interface-format-version: 1.0\n"
            f"// swift-compiler-version: {self.toolchain.version}\n"
            f"// swift-module-flags: -target {self.target} {FLAGS} -disable-objc-interop"
            " -enable-library-evolution -swift-version 5 -enable-experimental-feature Lifetimes"
            f" -module-name {module}\n")

    def standard(self, module):
        """An interface of the standard library under the Apple target."""
        interface = self.toolchain.modules / f"{module}.swiftmodule" / f"{self.toolchain.triple}.swiftinterface"
        if not interface.exists():
            raise SetUpError(f"{self.toolchain.version} has no interface of {module}.")
        # @backDeployed needs a body; the first version is in the @available of the declaration.
        text = interface.read_text().replace(f"-target {self.toolchain.triple}", f"-target {self.target} {FLAGS}", 1)
        text = re.sub(r"(?m)^import Glibc$", "import Darwin", text)
        return re.sub(r"(?m)^ *@backDeployed\(.*\n", "", text)

    def foundation(self, module, text):
        """A printed interface without hidden declarations, and without Linux's C library and Dispatch."""
        if module == "Foundation":
            text = MOVED.sub("", text) + declared(module)
        lines, kept, at = text.split("\n"), [], 0
        while at < len(lines):
            line, first = lines[at], at
            at += 1
            if line.startswith("// "):
                continue
            if "Dispatch." in line or HIDDEN.match(line):
                depth = line.count("{") - line.count("}")
                while depth > 0:
                    depth += lines[at].count("{") - lines[at].count("}")
                    at += 1
                while kept and ATTRIBUTE.match(kept[-1]):
                    kept.pop()
                continue
            if re.match(r"\s*@backDeployed\(|(@_exported )?import (Dispatch|_SwiftConcurrencyShims)$", line):
                continue
            # Constants of Foundation are printed as variables, which only one thread may read.
            line = re.sub(r"^(@\w+ )?public var (\w+: [^{]*)$", r"public let \2", line)
            kept.append(re.sub(r"\bGlibc\b", "Darwin", line.replace("@_transparent ", "")))
        return self.head(module) + "\n".join(kept)

    def prove(self):
        """Compiles the interfaces, and shows that they refuse exactly the uses that are too new."""
        probe = DECLARATIONS / "Probe.swift"
        result = self.frontend("-typecheck", "-swift-version", "6", "-parse-as-library", probe)
        faults = [error for error in errors_in(result.stderr) if not os.path.samefile(error[0], probe)]
        if faults or (result.returncode != 0 and not errors_in(result.stderr)):
            detail = "\n".join(f"{path}:{line}: {text}" for path, line, _, text in faults[:20]) or result.stderr[:4000]
            raise SetUpError(f"The interfaces made of {self.toolchain.version} do not compile:\n{detail}")
        wanted = {number for number, line in enumerate(probe.read_text().split("\n"), 1) if line.endswith("// too new")}
        found = {int(line) for _, line, _, _ in errors_in(result.stderr)}
        if found != wanted:
            raise SetUpError(
                f"The interfaces made of {self.toolchain.version} refuse lines {sorted(found)} of {probe.name}, where"
                f" {sorted(wanted)} are too new:\n{result.stderr[:4000]}")


def declared(module):
    return (DECLARATIONS / f"{module}.swiftinterface").read_text()


def errors_in(result):
    """Path, line, column and text of each error that the compiler reported."""
    found = re.findall(r"(?m)^(/[^\n:]+):(\d+):(\d+): error: (.*)$", result)
    return [error for error in dict.fromkeys(found) if not error[3].startswith("failed to build module")]
