"""Where the store of links is, who comes near it, and what becomes of it with backups, damage and keys that are away."""

import os
import shutil
import unittest

from harness import Study, tributary, until

RECORD = "planted-record-4711"


class Apart(unittest.TestCase):
    """Who may come near the links."""

    def setUp(self):
        self.study = Study(signed=True)
        self.addCleanup(self.study.close)

    def link(self, record=RECORD):
        return tributary("link", "create", self.study.dir, "--record", record).json

    def device(self, server):
        device = self.study.device(server)
        device.consent()
        device.send()
        device.settled()
        return device

    def hand(self, device, link):
        [sid] = device.run("link", "--jwt", device.write(link["jwt"].encode())).json["submissions"]
        device.send()
        return sid

    def open_files(self, server):
        found = []
        for entry in os.scandir(f"/proc/{server.process.pid}/fd"):
            try:
                found.append(os.readlink(entry.path))
            except OSError:
                pass
        return [path for path in found if "/links" in path]

    def test_a_study_without_links_has_no_store_of_them(self):
        server = self.study.serve()
        device = self.device(server)
        self.assertFalse((self.study.dir / "links").exists())
        self.assertEqual(tributary("link", "list", self.study.dir, "--json").json, [])
        self.assertFalse((self.study.dir / "links").exists())
        self.assertIsNone(tributary("migrate", self.study.dir, "--json").json["links"])
        self.assertIn("links/", (self.study.dir / ".gitignore").read_text())
        self.assertTrue(device)

    def test_the_receiver_never_opens_them_and_the_consumer_closes_them(self):
        server = self.study.serve()
        device, link = self.device(server), self.link()
        port = server.port
        server.stop()
        receiver = self.study.serve("--roles", "receiver", "--port", port)
        before = {path.name: path.stat().st_mtime_ns for path in (self.study.dir / "links").iterdir()}
        sid = self.hand(device, link)
        self.assertEqual(device.deliveries()[sid]["status"], "received")
        self.assertEqual(self.open_files(receiver), [])
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in (self.study.dir / "links").iterdir()}, before)
        receiver.stop()
        both = self.study.serve("--port", port)
        self.assertEqual(device.settled()[sid]["status"], "stored")
        until(lambda: not self.open_files(both), "the store of links is closed")

    def test_a_backup_holds_none_and_a_restored_study_knows_what_was_used(self):
        server = self.study.serve()
        first, second = self.device(server), self.device(server)
        used, unused = self.link(), self.link("another-record")
        # The state of links/ before the one was handed in.
        early = self.study.root / "links-early"
        shutil.copytree(self.study.dir / "links", early)
        sid = self.hand(first, used)
        self.assertEqual(first.settled()[sid]["status"], "stored")
        backup = self.study.root / "study.backup"
        tributary("backup", self.study.dir, "-o", backup)
        data = backup.read_bytes()
        for word in (RECORD, "another-record", "links.sqlite", used["jwt"].split(".")[2]):
            self.assertNotIn(word.encode(), data)
        port = server.port
        server.stop()
        keys = self.study.root / "keys-kept"
        shutil.move(self.study.dir / "keys", keys)
        shutil.rmtree(self.study.dir)
        tributary("restore", backup, "-o", self.study.dir)
        shutil.move(keys, self.study.dir / "keys")
        self.assertFalse((self.study.dir / "links").exists())
        server = self.study.serve("--port", port)
        lost = self.hand(second, unused)
        until(lambda: second.deliveries().get(lost, {}).get("reason") == "link-unknown", "it is set aside")
        # An older copy is brought back: what was used is known all the same, and what was set aside goes on.
        shutil.copytree(early, self.study.dir / "links")
        taken = self.hand(second, used)
        until(lambda: second.deliveries().get(taken, {}).get("reason") == "link-used", "it stays spent")
        tributary("queue", "retry", self.study.dir, lost)
        until(lambda: second.deliveries()[lost]["status"] == "stored", "it goes on")

    def test_the_check_looks_at_the_modes(self):
        self.link()
        codes = lambda: {row["code"] for row in self.study.findings() if "link" in row["file"]}
        self.assertEqual(codes(), set())
        (self.study.dir / "links").chmod(0o755)
        self.assertEqual(codes(), {"links-open"})
        self.assertEqual({row["severity"] for row in self.study.findings() if row["code"] == "links-open"}, {"error"})
        (self.study.dir / "links").chmod(0o700)
        (self.study.dir / "keys" / "links.pem").chmod(0o640)
        self.assertEqual(codes(), {"key-file-open"})

    def test_while_the_key_is_away_links_wait_or_are_set_aside_and_nobody_else_does(self):
        server = self.study.serve()
        device, link = self.device(server), self.link()
        key = self.study.dir / "keys" / "links.pem"
        key.chmod(0o644)
        sid = self.hand(device, link)
        reason = "SELECT count(*) FROM submission WHERE status = 'held' AND reason_code = 'links-unavailable'"
        until(lambda: self.study.queue_number(reason) == 1, "it waits")
        self.assertNotIn("reason", device.deliveries()[sid])
        others = len(device.deliveries())
        device.withdraw()
        device.send()
        until(lambda: [row["status"] for row in device.deliveries().values()].count("stored") == others,
              "what else comes is handled")

    def test_a_damaged_store_of_links_keeps_nothing_else_from_being_served(self):
        first = self.study.serve()
        device, link = self.device(first), self.link()
        port = first.port
        first.stop()
        store = self.study.dir / "links" / "links.sqlite"
        good = store.read_bytes()
        store.write_bytes(b"no database" * 1000)
        server = self.study.serve("--port", port)
        self.assertIn("links unavailable", server.log)
        sid = self.hand(device, link)
        reason = "SELECT reason_code FROM submission WHERE submission_id = ?"
        until(lambda: self.study.queue_sql(reason, sid) == [("links-unavailable",)], "it waits")
        self.assertNotIn("reason", device.deliveries()[sid])
        self.assertNotEqual(tributary("link", "list", self.study.dir, status=1).err, b"")
        store.write_bytes(good)
        tributary("queue", "retry", self.study.dir, sid)
        until(lambda: device.deliveries()[sid]["status"] == "stored", "it goes on")
