#!/usr/bin/env python3
"""Type-checks the portable libraries for the oldest macOS that the manifest names, on Linux and with Swift alone.

    Scripts/check-apple-platforms.py [--package DIR] [--scratch DIR]

Package.swift names the modules to check: the targets of the library products, without those of a trait, and their
dependencies. The example app and the programs of the app developer's guide are checked like an app that imports them.
HealthKit, ResearchKit and CareKit are the stand-ins of the tests. Each use of a declaration that this macOS does not have yet is reported with its file and line.

The interfaces are those of the installed toolchain, compiled for an Apple target (apple_interfaces.py); Darwin and Crypto
are declared in Scripts/apple-platforms, as far as they are used. Other packages on which portable modules depend are
type-checked as ours are, from SCRATCH/checkouts, where the build puts them. The interfaces are made once for a toolchain, in
SCRATCH/apple-platforms, and tested with Scripts/apple-platforms/Probe.swift; a module is checked again when its sources
or those below it have changed. docs/testing.md describes the limits of the check.

Exit status: 0 without errors, 1 with errors in the sources, 2 if the check itself does not work here.
"""

import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import re
import sys

from apple_interfaces import DECLARED, AppleInterfaces, SetUpError, Toolchain, errors_in

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Programs of an app, by the name of their module: a folder of the package.
PROGRAMS = {"StudyApp": "Examples/App", "GuidePrograms": "Tests/GuideTests/Programs"}
IMPORT = re.compile(r"(?m)^ *import (\w+)$")


class Module:
    """A Swift target of a package."""

    def __init__(self, package, target):
        self.name = target["name"]
        self.package = package
        self.dependencies = []
        folder = package.folder / (target.get("path") or f"Sources/{self.name}")
        excluded = [folder / name for name in target.get("exclude", [])]
        self.files = sorted(
            file for file in folder.rglob("*.swift")
            if not any(file.is_relative_to(folder) for folder in excluded))
        self.settings = []
        for setting in target.get("settings", []):
            self.settings += self.flags(setting)
        if not self.files:
            raise SetUpError(f"{self.name} has no Swift sources; only Swift targets can be checked.")

    def flags(self, setting):
        kind, value = next(iter(setting["kind"].items()))
        flag = {
            "enableUpcomingFeature": "-enable-upcoming-feature",
            "enableExperimentalFeature": "-enable-experimental-feature",
            "define": "-D",
        }.get(kind)
        if setting["tool"] != "swift" or flag is None or "condition" in setting:
            raise SetUpError(f"{self.name} has a setting that this check does not know: {setting}")
        return [flag, value["_0"]]


class Program:
    """The sources of an app, which import the library modules."""

    def __init__(self, package, name, folder):
        self.name, self.package = name, package
        self.files = sorted((package.folder / folder).rglob("*.swift"))
        if not self.files:
            raise SetUpError(f"{folder} has no Swift sources.")
        used = {name for file in self.files for name in IMPORT.findall(file.read_text())}
        self.dependencies = [package.modules[name] for name in sorted(used) if name in package.modules]
        # The macros of the standard library, such as @Observable.
        self.settings = ["-plugin-path", package.toolchain.resources / "host" / "plugins"]


class Package:
    """The content of the manifest: the modules to check, each after those that it imports, and the oldest macOS."""

    def __init__(self, folder, scratch, checkouts, toolchain):
        self.scratch, self.checkouts, self.toolchain = scratch, checkouts, toolchain
        result = toolchain.run(
            "swift", "package", "dump-package", "--package-path", folder, "--scratch-path", scratch,
            what="reading the manifest")
        manifest = json.loads(result.stdout)
        self.folder = folder
        self.name = manifest["name"].lower()
        tools = manifest["toolsVersion"]["_version"]
        self.language = (manifest.get("swiftLanguageVersions") or [tools.partition(".")[0]])[-1]
        versions = [p["version"] for p in manifest["platforms"] if p["platformName"] == "macos"]
        self.macos = versions[0] if versions else None
        self.targets = {target["name"]: target for target in manifest["targets"]}
        self.modules, self.others = {}, {}
        for product in manifest["products"]:
            if "library" in product["type"] and not any(map(self.is_of_trait, product["targets"])):
                for name in product["targets"]:
                    self.add(name)
        if not self.modules:
            raise SetUpError("The manifest names no library products.")

    def is_of_trait(self, name):
        """Whether a target depends on a package that only a trait resolves. An app without the trait does not have it."""
        products = [d["product"] for d in self.targets[name]["dependencies"] if "product" in d]
        return any((condition or {}).get("traits") for *_, condition in products)

    def add(self, name):
        if name in self.modules:
            return self.modules[name]
        target = self.targets[name]
        module = Module(self, target)
        for dependency in target["dependencies"]:
            if "product" in dependency and dependency["product"][0] not in DECLARED:
                module.dependencies += self.product(*dependency["product"][:2])
            for kind in ("byName", "target"):
                if kind in dependency and dependency[kind][0] in self.targets:
                    module.dependencies.append(self.add(dependency[kind][0]))
        self.modules[name] = module
        return module

    def add_programs(self):
        """Adds the example programs, each after the modules that it imports."""
        for name, folder in PROGRAMS.items():
            if (self.folder / folder).is_dir():
                self.modules[name] = Program(self, name, folder)

    def product(self, name, identity):
        """The modules of another package's product, of the name that products of one module have."""
        if identity not in self.others:
            folder = self.checkouts / identity
            if not (folder / "Package.swift").exists():
                raise SetUpError(f"{identity} is not in {self.checkouts}; swift build fetches it.")
            self.others[identity] = Package(folder, self.scratch / identity, self.checkouts, self.toolchain)
        package = self.others[identity]
        self.modules |= package.modules
        if name not in package.modules:
            raise SetUpError(f"{identity} has no library {name} with a module of that name.")
        return [package.modules[name]]


class Check:
    """Type-checks the modules of a package against interfaces, those alone that have changed since the last time."""

    def __init__(self, package, interfaces):
        self.package, self.interfaces = package, interfaces
        self.built = interfaces.folder / "modules"
        self.built.mkdir(exist_ok=True)
        self.keys, self.broken = {}, {}

    def run(self):
        """Checks all modules, and returns the errors."""
        running = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for module in self.package.modules.values():
                key = self.keys[module.name] = self.key(module)
                stamp = self.built / f"{module.name}.checked"
                if stamp.exists() and stamp.read_text() == key:
                    continue
                stamp.unlink(missing_ok=True)
                lacking = [d.name for d in module.dependencies if d.name in self.broken]
                if lacking:
                    self.broken[module.name] = [f"{module.name} was not checked: {', '.join(lacking)} has errors."]
                    continue
                self.emit(module)
                running[module.name] = (stamp, key, pool.submit(self.typecheck, module))
        errors = []
        for name in self.package.modules:
            found = set(self.broken.get(name, []))
            if name in running:
                stamp, key, result = running[name]
                found |= set(result.result())
                if not found:
                    stamp.write_text(key)
            errors += sorted(found, key=self.folder)
        return errors

    def key(self, module):
        sum = hashlib.sha256(repr(self.arguments(module)).encode())
        for dependency in module.dependencies:
            sum.update(self.keys[dependency.name].encode())
        for file in module.files:
            sum.update(hashlib.sha256(file.read_bytes()).digest())
        return sum.hexdigest()

    def arguments(self, module):
        return [
            "-parse-as-library", "-swift-version", module.package.language, "-package-name", module.package.name,
            "-module-name", module.name, "-I", self.built, *module.settings, *module.files]

    def emit(self, module):
        """Writes the interface of the module for other modules, also if there are errors within bodies."""
        product = self.built / f"{module.name}.swiftmodule"
        product.unlink(missing_ok=True)
        result = self.interfaces.frontend(
            "-emit-module", "-experimental-skip-all-function-bodies", "-o", product, *self.arguments(module))
        if result.returncode != 0 or not product.exists():
            self.broken[module.name] = self.errors(module, result)

    def typecheck(self, module):
        result = self.interfaces.frontend("-typecheck", *self.arguments(module))
        return self.errors(module, result) if result.returncode != 0 else []

    def errors(self, module, result):
        found = [
            f"{os.path.relpath(path, self.package.folder)}:{line}:{column}: error: {text}"
            for path, line, column, text in errors_in(result.stderr)]
        return found or [f"{module.name}: error: {result.stderr.strip()[-2000:] or f'status {result.returncode}'}"]

    @staticmethod
    def folder(error):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", error)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", type=pathlib.Path, default=ROOT, help="the package to check (this one)")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build", help="folder for the products (.build)")
    options = parser.parse_args()
    if sys.platform == "darwin":
        print("== Apple's platforms: not checked here; on macOS, swift build itself compiles with Apple's interfaces")
        return 0
    scratch = options.scratch.resolve() / "apple-platforms"
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        toolchain = Toolchain()
        # Clones may share the folder; two checks at once would write each other's modules.
        with open(scratch / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            checkouts = options.scratch.resolve() / "checkouts"
            package = Package(options.package.resolve(), scratch / "package", checkouts, toolchain)
            if package.macos is None:
                raise SetUpError("The manifest names no macOS.")
            interfaces = AppleInterfaces(scratch, toolchain, package.macos)
            interfaces.make()
            package.add_programs()
            errors = Check(package, interfaces).run()
    except (SetUpError, OSError, KeyError, ValueError) as error:
        kind = "" if isinstance(error, SetUpError) else f"{type(error).__name__}: "
        print(f"check-apple-platforms: the check does not work here. {kind}{error}", file=sys.stderr)
        return 2
    for error in errors:
        print(error)
    ours = [module for module in package.modules.values() if module.package is package]
    programs = [module for module in ours if isinstance(module, Program)]
    files = sum(len(module.files) for module in ours)
    if errors:
        print(f"check-apple-platforms: {len(errors)} errors for macOS {package.macos}", file=sys.stderr)
        return 1
    more = f" and {len(programs)} programs" if programs else ""
    print(
        f"== {len(ours) - len(programs)} portable modules{more} type-check for macOS {package.macos} ({files} files)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
