"""Tests with a temporary folder of their own, and files in it."""

import json
import tempfile
import unittest
from pathlib import Path


class FolderTest(unittest.TestCase):
    """A test with an empty folder, which is removed after it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, value):
        """Writes a file, a text or any other value as JSON, and returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path
