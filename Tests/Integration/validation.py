"""Calls `fhir validate` and reads its answer."""

import json
import re
import resource
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import BIN, Finished

LINE = "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-line"
COLUMN = "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-col"
SEVERITIES = ("fatal", "error", "warning", "information")
# http://hl7.org/fhir/R4/valueset-issue-type.html
CODES = set(
    "invalid structure required value invariant security login unknown expired forbidden suppressed processing "
    "not-supported duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly "
    "business-rule conflict transient lock-error no-store exception timeout incomplete throttled informational".split()
)


class Outcome:
    """What was said about one file."""

    def __init__(self, file, resource_):
        self.file, self.resource = file, resource_
        self.issues = resource_.get("issue", [])

    @property
    def errors(self):
        return [issue for issue in self.issues if issue["severity"] in ("error", "fatal")]

    @property
    def places(self):
        return [place for issue in self.errors for place in issue.get("expression", [])]

    @property
    def lines(self):
        return [line_of(issue) for issue in self.errors]

    def __str__(self):
        said = "\n".join(
            f"  {i['severity']} {i['code']} {' '.join(i.get('expression', []))}: {text_of(i)}" for i in self.issues[:10]
        )
        return f"{self.file}\n{said or '  no issue'}"


def text_of(issue):
    return issue.get("details", {}).get("text") or issue.get("diagnostics") or ""


def _place(issue, url, word):
    for extension in issue.get("extension", []):
        if extension["url"] == url:
            return next(value for name, value in extension.items() if name.startswith("value"))
    found = re.search(rf"\b{word}\W+(\d+)", issue.get("diagnostics", "") + " " + text_of(issue), re.IGNORECASE)
    return int(found[1]) if found else None


def line_of(issue):
    return _place(issue, LINE, "line")


def column_of(issue):
    return _place(issue, COLUMN, "column")


class Answer(Finished):
    """What a run of `fhir validate --json` printed, and what it took."""

    def __init__(self, arguments, process, seconds, peak):
        super().__init__(arguments, process)
        self.seconds, self.peak = seconds, peak

    @property
    def outcomes(self):
        return [Outcome(answer["file"], answer["outcome"]) for answer in self.json]


class Ended:
    def __init__(self, returncode, stdout, stderr):
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


def run(*files, profiles=(), options=("--json",), timeout=60, megabytes=None):
    """Runs `fhir validate` with a deadline; with `megabytes`, in an address space of that size."""
    arguments = ["fhir", "validate", *files, *options]
    for profile in profiles:
        arguments += ["--profile", profile]

    def limit():
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        with subprocess.Popen(
            [str(BIN), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit
        ) as process:
            peak = 0
            while process.poll() is None:
                peak = max(peak, resident(process.pid))
                if time.monotonic() - start > timeout:
                    process.kill()
                    process.wait()
                    raise AssertionError(f"not done after {timeout} s: tributary {' '.join(map(str, arguments))[:300]}")
                time.sleep(0.005)
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        return Answer(arguments, Ended(process.returncode, out.read(), err.read()), seconds, peak)


def resident(pid):
    """The peak of a process's resident memory so far, in bytes (Linux)."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


class ValidationTest(unittest.TestCase):
    """A folder of its own, and what tests of `fhir validate` ask again and again."""

    maxDiff = None

    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="tributary-")
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def write(self, name, content):
        file = self.folder / name
        if isinstance(content, (dict, list)):
            content = json.dumps(content, ensure_ascii=False)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def validate(self, *files, **options):
        """The outcomes, after the checks that hold of every answer."""
        answer = run(*files, **options)
        self.assertIn(answer.status, (0, 1), str(answer))
        outcomes = answer.outcomes
        self.assertEqual([outcome.file for outcome in outcomes], [str(file) for file in files])
        for outcome in outcomes:
            self.assertEqual(outcome.resource["resourceType"], "OperationOutcome")
            for issue in outcome.issues:
                self.assertIn(issue["severity"], SEVERITIES)
                self.assertIn(issue["code"], CODES)
                self.assertTrue(text_of(issue), issue)
        wrong = any(outcome.errors for outcome in outcomes)
        self.assertEqual(answer.status, 1 if wrong else 0, str(answer))
        return outcomes

    def outcome(self, content, name="resource.json", **options):
        return self.validate(self.write(name, content), **options)[0]

    def right(self, content, **options):
        found = self.outcome(content, **options)
        self.assertEqual(found.errors, [], str(found))
        return found

    def wrong(self, content, place=None, **options):
        """At least one error, and one of them at the place."""
        from r4_places import points_at

        found = self.outcome(content, **options)
        self.assertTrue(found.errors, str(found))
        if place:
            self.assertTrue(any(points_at(given, place) for given in found.places), f"none at {place}: {found}")
        return found
