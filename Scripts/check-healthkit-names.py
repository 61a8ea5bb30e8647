#!/usr/bin/env python3
"""Compares the stand-in for HealthKit with Apple's headers: names of classes, selectors, constants and raw values.

    Scripts/check-healthkit-names.py [--wheel FILE] [--shim FOLDER]

What Apple's headers say is read from `HealthKit/_metadata.py` in PyPI's pyobjc-framework-HealthKit, which PyObjC's authors make of
them (the wheel for macosx_10_9_universal2; without --wheel it is downloaded by pip). Nothing of it is imported or run. In the stand-in
`objc:` says what a declaration is called there:

    /// objc: class HKObject            the class, which a selector or a constant of the metadata must name
    // objc: HKHealthStore isHealthDataAvailable     a selector of a class
    case daily = 3  // objc: HKUpdateFrequencyDaily   a constant, whose value must be the same

The metadata has the selectors that take blocks or return a truth value, and all constants; of other declarations the class alone is
compared. What is newer than the metadata (iOS 18) is named in NEWER. Exit status: 0 they agree, 1 they differ, 2 the check
does not work here.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "pyobjc-framework-HealthKit"
# The metadata has no row of these classes: they have neither such selectors nor constants of their own name.
UNNAMED = {"HKObject", "HKElectrocardiogram", "HKSource", "HKDevice", "HKQuantitySample", "HKCategorySample", "HKCorrelation", "HKStatistics", "HKWorkout",
           "HKDeletedObject", "HKHeartbeatSeriesSample", "HKWorkoutRoute", "HKFHIRResource", "HKClinicalRecord",
           "HKAudiogramSample", "HKLensSpecification", "HKGlassesLensSpecification", "HKContactsLensSpecification",
           "HKActivitySummary", "HKWorkoutEvent", "HKVisionPrescription", "HKGlassesPrescription", "HKContactsPrescription", "HKQueryAnchor", "HKQuery"}
NEWER = {"HKStateOfMind", "HKGAD7Assessment", "HKPHQ9Assessment"}


class Unusable(Exception):
    pass


def wheel(folder):
    """The wheel, as pip finds it."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform",
         "macosx_10_9_universal2", "--python-version", "3.12", "--implementation", "cp", "--dest", str(folder), PACKAGE],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = sorted(pathlib.Path(folder).glob("*.whl"))
    if done.returncode or not found:
        raise Unusable(f"{PACKAGE} cannot be had: {done.stderr.strip()[-300:]}")
    return found[0]


class Metadata:
    def __init__(self, path):
        try:
            with zipfile.ZipFile(path) as archive:
                text = archive.read("HealthKit/_metadata.py").decode()
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise Unusable(f"{path} holds no HealthKit/_metadata.py ({error})") from None
        self.selectors = set(re.findall(r'r\(\s*b"(\w+)",\s*b"([^"]+)"', text))
        block = re.search(r'enums = """\$(.*?)\$"""', text, re.S)
        names = re.search(r'constants = """\$(.*?)\$"""', text, re.S)
        if not self.selectors or not block or not names:
            raise Unusable("the metadata are not written as they were")
        self.values = dict(item.rsplit("@", 1) for item in block.group(1).split("$"))
        self.constants = {name.partition("@")[0] for name in names.group(1).split("$")}
        self.classes = {name for name, _ in self.selectors}
        self.classes |= set(re.findall(r'"(HK\w+)"', text)) | set(re.findall(r'b"(HK\w+)"', text))


def problems(shim, metadata):
    """What differs, and how much was compared."""
    found, compared = [], 0
    for file in sorted(pathlib.Path(shim).rglob("*.swift")):
        text = file.read_text()
        declared = set(re.findall(r"class (HK\w+)", text))
        for number, line in enumerate(text.splitlines(), 1):
            place = f"{file.name}:{number}"
            if "objc:" not in line:
                continue
            said = line.split("objc:", 1)[1].split()
            compared += 1
            match said:
                case ["class", name]:
                    if name not in declared:
                        found.append(f"{place}: no class {name} is declared here")
                    elif name not in metadata.classes | UNNAMED:
                        found.append(f"{place}: Apple's headers have no class {name}")
                case [name, selector]:
                    if (name, selector) not in metadata.selectors:
                        found.append(f"{place}: {name} has no {selector}")
                case [constant]:
                    value = re.search(r"(?:= |rawValue: )(-?\d+)", line.split("//")[0])
                    if constant not in metadata.values:
                        found.append(f"{place}: Apple's headers have no {constant}")
                    elif value is None or value.group(1) != metadata.values[constant]:
                        found.append(f"{place}: {constant} is {metadata.values[constant]}, here {value and value.group(1)}")
                case _:
                    found.append(f"{place}: not understood")
        for name in sorted(declared & NEWER & metadata.classes):
            found.append(f"{file.name}: {name} is in the headers now; compare it")
    return found, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--shim", type=pathlib.Path, default=ROOT / "Tests/AppleShims/HealthKit")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = options.wheel or wheel(folder)
            metadata = Metadata(path)
            found, compared = problems(options.shim, metadata)
            print(f"{path.name}: {compared} names compared, {len(metadata.values)} values and {len(metadata.selectors)} selectors known")
    except Unusable as error:
        print(f"the check does not work here: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
