"""The README's way from an empty folder to a stored answer, line by line."""

import collections
import csv
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import BIN, ROOT, until
from postgresql import free_port


class FirstAnswer(unittest.TestCase):
    def test_each_command_works_as_written(self):
        section = (ROOT / "README.md").read_text().split("## A study of your own")[1].split("\n## ")[0]
        lines = [re.sub(r"\s+#.*", "", line) for line in re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()]
        self.assertEqual(len(lines), 9)
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bin" / "tributary"
            program.parent.mkdir()
            program.symlink_to(Path(BIN).resolve())
            empty = Path(folder) / "empty"
            empty.mkdir()
            port, known = free_port(), {}
            environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": folder}

            def run(line):
                done = subprocess.run(["sh", "-c", line], cwd=empty, env=environment, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, (line, done.stderr))
                return done.stdout

            server = None
            try:
                for line in lines:
                    line = line.replace("8080", str(port))
                    for name, value in known.items():
                        line = line.replace(name, value)
                    if " serve " in line:
                        server = subprocess.Popen(["sh", "-c", f"exec {line}"], cwd=empty, env=environment,
                                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                        self.assertTrue(any("listening on" in printed for printed in iter(server.stdout.readline, "")))
                        continue
                    text = run(line)
                    if " init " in line:
                        known["TOKEN"] = text.split()[-1]
                    elif " invite " in line:
                        known["CODE"] = json.loads(text)[0]["code"]
                    elif " device send " in line:
                        until(lambda: self.stored(run) == {"stored": 3}, "all submissions are stored", 60)
                    elif " participant list " in line:
                        self.assertIn("consented", text)
                [row] = csv.DictReader((empty / "tables" / "responses-mood-check.csv").open())
                self.assertEqual(row["overall"], "62")
            finally:
                if server:
                    server.terminate()
                    server.communicate(timeout=30)

    @staticmethod
    def stored(run):
        deliveries = json.loads(run("tributary device deliveries --store phone --json"))["deliveries"]
        return collections.Counter(delivery["status"] for delivery in deliveries)
