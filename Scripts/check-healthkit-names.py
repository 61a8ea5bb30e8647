#!/usr/bin/env python3
"""Compares Apple's headers with the stand-in for HealthKit (names of classes, selectors, constants and raw values) and with the
table of health types (identifiers, cases of enumerations, workout activities, metadata keys).

    Scripts/check-healthkit-names.py [--wheel FILE] [--shim FOLDER] [--tables FOLDER]

The content of Apple's headers is read from `HealthKit/_metadata.py` in PyPI's pyobjc-framework-HealthKit. PyObjC's authors make it
from the headers (the newest wheel of any platform; without --wheel it is downloaded by pip). Nothing of it is imported or run. In
the stand-in, `objc:` gives the name of a declaration in the headers:

    /// objc: class HKObject            the class, which a selector or a constant of the metadata must name
    // objc: HKHealthStore isHealthDataAvailable     a selector of a class
    case daily = 3  // objc: HKUpdateFrequencyDaily   a constant, whose value must be the same

The metadata has the selectors that take blocks or return a truth value, and all constants; of other declarations the class alone is
compared. Names that are newer than the metadata are in NEWER and NEWER_TYPES. Exit status: 0 they agree, 1 they differ, 2 the
check does not work here.

Of the table, each sample type of the headers must have a row, and each row an identifier of the headers. Metadata keys of the
headers are passed on, or are named in DROPPED_KEYS with those that may hold names, links, identifiers or free text.
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
NEWER = set()
# Types that Apple documents and the metadata do not have yet (iOS 27).
NEWER_TYPES = {"HKQuantityTypeIdentifierHeartRateVariabilityRMSSD"}
# Constants with the text of another one.
SAME = {"HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent": "HKCategoryTypeIdentifierAudioExposureEvent",
        "HKDataTypeIdentifierStateOfMind": "HKDataTypeStateOfMind"}
# A document is no clinical record of FHIR. Characteristics are no samples, and they identify the person.
OTHER_TYPES = {"HKDocumentTypeIdentifierCDA"}
DROPPED_KEYS = {"AlgorithmVersion", "AppleFitnessPlusCatalogIdentifier", "DateOfEarliestDataUsedForEstimate",
                "DeviceManufacturerName", "DeviceName", "DeviceSerialNumber", "DigitalSignature", "ExternalUUID", "FoodType",
                "GlassesPrescriptionDescription", "ReferenceRangeLowerLimit", "ReferenceRangeUpperLimit", "SWOLFScore",
                "SessionEstimate", "SyncIdentifier", "SyncVersion", "TimeZone", "UDIDeviceIdentifier",
                "UDIProductionIdentifier", "WasUserEntered", "WorkoutBrandName"}
# Newest first: wheels are for one version of Python, and older releases for an older system.
WHEELS = [("macosx_10_15_universal2", "3.14"), ("macosx_10_13_universal2", "3.13"), ("macosx_10_13_universal2", "3.12"),
          ("macosx_10_9_universal2", "3.12")]


class Unusable(Exception):
    pass


def wheel(folder):
    """The newest wheel, as pip finds it."""
    said = ""
    for platform, version in WHEELS:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform",
             platform, "--python-version", version, "--implementation", "cp", "--dest", str(folder), PACKAGE],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        said = done.stderr.strip()[-300:]
    found = sorted(pathlib.Path(folder).glob("*.whl"), key=lambda path: release(path.name))
    if not found:
        raise Unusable(f"{PACKAGE} cannot be had: {said}")
    return found[-1]


def release(name):
    """The version in the name of a wheel, as numbers."""
    return [int(part) for part in re.findall(r"\d+", name.split("-")[1])]


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
        self.text = text
        self.values = dict(item.rsplit("@", 1) for item in block.group(1).split("$"))
        self.constants = {name.partition("@")[0] for name in names.group(1).split("$")}
        self.classes = {name for name, _ in self.selectors}
        self.classes |= set(re.findall(r'"(HK\w+)"', text)) | set(re.findall(r'b"(HK\w+)"', text))


def problems(shim, metadata):
    """The differences, and the number of compared names."""
    found, compared = [], 0
    for file in sorted(pathlib.Path(shim).rglob("*.swift")):
        text = file.read_text()
        declared = set(re.findall(r"class (HK\w+)", text))
        for number, line in enumerate(text.splitlines(), 1):
            location = f"{file.name}:{number}"
            if "objc:" not in line:
                continue
            said = line.split("objc:", 1)[1].split()
            compared += 1
            match said:
                case ["class", name]:
                    if name not in declared:
                        found.append(f"{location}: no class {name} is declared here")
                    elif name not in metadata.classes | UNNAMED:
                        found.append(f"{location}: Apple's headers have no class {name}")
                case [name, selector]:
                    if (name, selector) not in metadata.selectors:
                        found.append(f"{location}: {name} has no {selector}")
                case [constant]:
                    value = re.search(r"(?:= |rawValue: )(-?\d+)", line.split("//")[0])
                    if constant not in metadata.values:
                        found.append(f"{location}: Apple's headers have no {constant}")
                    elif value is None or value.group(1) != metadata.values[constant]:
                        found.append(f"{location}: {constant} is {metadata.values[constant]}, here {value and value.group(1)}")
                case _:
                    found.append(f"{location}: not understood")
        for name in sorted(declared & NEWER & metadata.classes):
            found.append(f"{file.name}: {name} is in the headers now; compare it")
    return found, compared


def rows(tables, name):
    """The rows of one table, as lists of cells."""
    text = (pathlib.Path(tables) / f"{name}.swift").read_text()
    body = re.search(r'"""\n(.*?)\n\s*"""', text, re.S)
    return [[cell.strip() for cell in line.split("|")] for line in body.group(1).splitlines()]


def table_problems(tables, metadata):
    """The names of the headers that the tables lack, and the names of the tables that the headers lack."""
    found = []
    quantities = {"HKQuantityTypeIdentifier" + row[0] for row in rows(tables, "QuantityTypes")}
    categories = {"HKCategoryTypeIdentifier" + row[0] for row in rows(tables, "CategoryTypes")}
    others = {name for row in rows(tables, "OtherTypes") for name in [row[1], *row[2].split()]}
    table = quantities | categories | others
    kinds = "Quantity|Category|Correlation|Clinical|Data|ScoredAssessment|MedicationDoseEvent|Document|VisionPrescription"
    names = {name for name in metadata.constants if re.fullmatch(rf"HK(?:{kinds})TypeIdentifier\w+", name)}
    if len(names) < 200:
        raise Unusable(f"the metadata have {len(names)} types only")
    known = {SAME.get(name, name) for name in names}
    found += [f"the table has no {name}" for name in sorted(known - table - OTHER_TYPES)]
    found += [f"Apple's headers have no {name}" for name in sorted((quantities | categories) - known - NEWER_TYPES)]
    found += [f"{name} is in the headers now: take it out of NEWER_TYPES" for name in sorted(NEWER_TYPES & known)]
    cases = {}
    for row in rows(tables, "Enumerations"):
        for case in row[1].split(";"):
            number, *spelled = case.split("=")[0].split()
            for name in spelled:
                cases[name if name.startswith("HKCategoryValue") else row[0] + name] = number
    for row in rows(tables, "WorkoutActivities"):
        number, name = row[0].split("=")[0].split()
        cases["HKWorkoutActivityType" + name] = number
    prefixes = ("HKCategoryValue", "HKWorkoutActivityType", "HKMedicationDoseEventLogStatus")
    for name, value in sorted(metadata.values.items()):
        if name.startswith(prefixes) and name != "HKCategoryValueNotApplicable" and cases.get(name) != value:
            found.append(f"{name} is {value}, in the table {cases.get(name)}")
    keys = {name for row in rows(tables, "MetadataKeys") for name in [row[0], *row[1].split()]}
    for name in sorted(metadata.constants):
        short = name.removeprefix("HKMetadataKey")
        if short != name and short not in DROPPED_KEYS and name not in keys:
            found.append(f"the table of metadata has no {name}, and DROPPED_KEYS does not name it")
    return found, len(known)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--shim", type=pathlib.Path, default=ROOT / "Tests/AppleShims/HealthKit")
    parser.add_argument("--tables", type=pathlib.Path, default=ROOT / "Sources/Device/HealthTypes/Tables")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = options.wheel or wheel(folder)
            metadata = Metadata(path)
            found, compared = problems(options.shim, metadata)
            lacking, types = table_problems(options.tables, metadata)
            found += lacking
            print(f"{path.name}: {types} types and {compared} names compared, {len(metadata.values)} values and {len(metadata.selectors)} selectors known")
    except Unusable as error:
        print(f"the check does not work here: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
