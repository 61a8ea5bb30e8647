"""The systemd units are what systemd takes."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import BIN, ROOT

UNITS = ROOT / "Examples" / "systemd"


class Units(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_finds_no_fault_in_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for unit in sorted(UNITS.glob("*.service")):
                # The program stands elsewhere here, and systemd looks whether it is there.
                copy = Path(folder) / unit.name
                copy.write_text(unit.read_text().replace("/usr/local/bin/tributary", str(BIN)))
                done = subprocess.run(
                    ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(copy)],
                    capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), unit.name)

    def test_each_has_limits_and_a_sandbox(self):
        for unit in UNITS.glob("*.service"):
            text = unit.read_text()
            for setting in ("LimitNOFILE=", "MemoryMax=", "TimeoutStopSec=", "ProtectSystem=strict", "NoNewPrivileges=yes",
                            "SystemCallFilter=", "CapabilityBoundingSet=\n"):
                self.assertIn(setting, text, unit.name)
        receiver = (UNITS / "tributary-receiver.service").read_text()
        self.assertIn("InaccessiblePaths=-/srv/study/keys -/srv/study/data", receiver)


if __name__ == "__main__":
    unittest.main()
