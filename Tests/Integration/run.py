#!/usr/bin/env python3
"""Runs the test files of a folder concurrently, one process per file, one more at a time than there are processors, as some wait.

    Tests/Integration/run.py [--jobs N] [--folder DIR] [FILE ...]

FILE such as test_http; all of them unless given. DIR is this folder unless given; its files may import what is here.

Files that compare times, or fill a machine, run alone after the others. The output of a file is shown when it has ended.
The last lines name the files that work longest. Exit status: 0 if every test of every file passed.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
# They measure how long something takes, also during an attack, or how much memory is left.
ALONE = ("test_attacks", "test_bounded", "test_hostile", "test_full_disk", "test_sign_in_timing", "test_account_timing")
# Those that take longest begin first, so that no processor waits for one of them at the end.
FIRST = ("test_validation", "test_apple_platforms", "test_two_processes", "test_kill", "test_kill_engines", "test_package",
         "test_profiles", "test_schemathesis")
# Seconds after which a file is stopped: something waits for what never comes.
LIMIT = 45 * 60
# Number of files in the list of the slowest.
SLOWEST = 10


class Running:
    """One file, run by a process of its own."""

    def __init__(self, name, folder):
        self.name = name
        self.began = time.monotonic()
        self.output = tempfile.TemporaryFile()
        self.status, self.work = None, 0.0
        places = [str(FOLDER)] + ([os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else [])
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "unittest", "-v", name], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places)})

    def has_ended(self):
        if self.status is None and time.monotonic() - self.began > LIMIT:
            self.stop()
        elif self.status is None:
            self.wait(os.WNOHANG)
        return self.status is not None

    def stop(self):
        if self.status is not None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.wait(0)

    def wait(self, options):
        """Waits for the process, and adds up the work of it and of those that it has waited for."""
        pid, status, usage = os.wait4(self.process.pid, options)
        if pid:
            self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
            self.work = usage.ru_utime + usage.ru_stime

    def seconds(self):
        return time.monotonic() - self.began

    def text(self):
        self.output.seek(0)
        return self.output.read().decode("utf-8", "replace")


def show(running, totals):
    text = running.text()
    passed = running.process.returncode == 0
    found = re.findall(r"^Ran (\d+) tests? in", text, re.MULTILINE)
    tests = int(found[-1]) if found else 0
    ended = dict(re.findall(r"(\w+)=(\d+)", (re.findall(r"^(?:OK|FAILED) \((.*)\)$", text, re.MULTILINE) or [""])[-1]))
    failed, skipped = int(ended.get("failures", 0)) + int(ended.get("errors", 0)), int(ended.get("skipped", 0))
    counts = ", ".join([f"{tests} test" + "s" * (tests != 1)] + [f"{n} {word}" for n, word in ((failed, "failed"), (skipped, "skipped")) if n])
    print(f"== {running.name}: {'passed' if passed else 'FAILED'} in {running.seconds():.0f} s, {running.work:.0f} s of CPU ({counts})", flush=True)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    totals["tests"] += tests
    totals["work"].append((running.work, running.name))
    totals["skipped"] += skipped
    if not passed or not found:
        totals["failed"].append(running.name)


def run(names, folder, jobs, totals):
    waiting = list(names)
    running = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(Running(waiting.pop(0), folder))
            ended = [one for one in running if one.has_ended()]
            for one in ended:
                running.remove(one)
                show(one, totals)
            if not ended:
                time.sleep(0.1)
    finally:
        for one in running:
            one.stop()


def order(names):
    return sorted(names, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    parser.add_argument("--jobs", type=int, default=max(2, min(8, (os.cpu_count() or 1) + 1)))
    options = parser.parse_args()
    folder = options.folder.resolve()
    names = [pathlib.Path(name).stem for name in options.files] or [path.stem for path in folder.glob("test_*.py")]
    began = time.monotonic()
    totals = {"tests": 0, "skipped": 0, "failed": [], "work": []}
    run(order(name for name in names if name not in ALONE), folder, options.jobs, totals)
    run(order(name for name in names if name in ALONE), folder, 1, totals)
    took = time.monotonic() - began
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    slowest = sorted(totals["work"], reverse=True)[:SLOWEST]
    if len(names) > SLOWEST:
        print(f"== the {SLOWEST} files with the longest time of CPU: " + ", ".join(f"{name} {work:.0f} s" for work, name in slowest))
    print(f"== {len(names)} files, {totals['tests']} tests{skipped} in {took:.0f} s")
    if totals["failed"]:
        print("== FAILED: " + ", ".join(totals["failed"]))
        return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
