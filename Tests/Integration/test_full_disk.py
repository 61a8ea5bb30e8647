"""A full disk: an error with a stable code, nothing lost, nothing half-written; with room again all goes through."""

import hashlib
import json
import os
import shutil
import subprocess
import unittest

from accounts import PASSWORD, AccountStudy
from forms import VISIT, new_id, observation, visit
from harness import ANTISPAM, Study, http, tributary, until
from sealed import SealedClient, seal

ROOT_ALONE = unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "mounting a tmpfs takes root")


def mount(folder, megabytes):
    """A tmpfs, or None where the system forbids it."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.returncode == 0


def fill(folder):
    """Fills the disk to the last block; returns the file that does."""
    path = folder / "ballast"
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return path


@ROOT_ALONE
class FullDisk(unittest.TestCase):
    def mounted(self, folder, megabytes):
        if not mount(folder, megabytes):
            self.skipTest("this system lets nobody mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", str(folder)], check=False)

    def test_the_disk_of_the_records(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        self.mounted(study.dir / "data", 12)
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()
        ballast = fill(study.dir / "data")
        client = SealedClient(server, study, device=device)
        # The queue takes them all; none is quarantined, however long the disk is full.
        sids = [client.send(*[observation(device.participant, number * 50 + n, note=[{"text": "x" * 500}]) for n in range(20)])
                for number in range(30)]
        self.assertEqual(http("GET", server.monitor_url + "/readyz").status, 503)
        ballast.unlink()
        for sid in sids[:5]:
            until(lambda: client.deliveries()[sid]["status"] == "stored", "what waited is stored")
        self.assertEqual(study.queue_status()["quarantined"], 0)

    def test_the_disk_of_the_people_store(self):
        study = AccountStudy()
        self.addCleanup(study.close)
        self.mounted(study.dir / "data", 12)
        server = study.serve()
        ann = study.person(server, "ann@example.org")
        token = http("POST", f"{server.url}/v1/sessions", {"Antispam": ANTISPAM},
                     json.dumps({"email": "ann@example.org", "password": PASSWORD}).encode()).json["accessToken"]
        ballast = fill(study.dir / "data")
        failed, saved = None, []
        for _ in range(200):
            content = os.urandom(200_000)
            digest = hashlib.sha256(content).hexdigest()
            answer = http("PUT", f"{server.url}/v1/me/blobs/{digest}", {"Authorization": f"Bearer {token}"}, content)
            if answer.status != 201:
                failed = answer
                break
            saved.append(digest)
        self.assertIsNotNone(failed, "the disk was full")
        self.assertEqual((failed.status, failed.code), (507, "storage-full"))
        self.assertTrue(failed.headers["Retry-After"])
        ballast.unlink()
        self.assertEqual(http("PUT", f"{server.url}/v1/me/blobs/{digest}", {"Authorization": f"Bearer {token}"}, content).status, 201)
        stored = {name for name, in study.people_sql("SELECT digest FROM person_blob")}
        self.assertEqual(stored, {*saved, digest})
        self.assertEqual(ann.run("show")["email"], "ann@example.org")

    def test_the_servers_disk(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        self.mounted(study.dir / "queue", 12)
        server = study.serve()
        device = study.device(server)
        sids = device.consent().json["submissions"]
        device.send()
        device.settled()
        client = SealedClient(server, study, device=device)
        ballast = fill(study.dir / "queue")
        # Bigger than whatever room is left in the journal.
        before = study.queue_number("SELECT count(*) FROM submission")
        consented, failed = len(sids), []
        for number in range(200):
            payload = [observation(device.participant, number * 50 + n, note=[{"text": "x" * 500}]) for n in range(20)]
            sid = new_id()
            answer = client.post(seal(study, *payload, sid=sid, seq=2000 + number))
            if answer.status != 200:
                failed.append(answer)
                self.assertIn(answer.status, (503, 507), answer)
                self.assertIn(answer.code, ("storage-full", "storage-unavailable"))
                self.assertTrue(answer.headers["Retry-After"])
                break
            sids.append(sid)
        self.assertTrue(failed, "the disk was full")
        self.assertEqual(failed[0].code, "storage-full")
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission"), before + len(sids) - consented)
        # The device keeps what it could not send.
        sids += device.answer(VISIT, visit()).json["submissions"]
        waiting = len(device.queued())
        sent = device.send(status=None, attempts=1)
        if sent.status != 0:
            self.assertEqual(len(device.queued()), waiting - sent.json["sent"])
            self.assertEqual(sent.json["refused"], 0)
        # It still answers, and what it acknowledged is there.
        self.assertEqual(http("GET", server.url + "/.well-known/jwks.json").status, 200)
        ballast.unlink()
        device.send()
        self.assertEqual(device.queued(), [])
        deliveries = device.settled(120)
        self.assertEqual(set(deliveries), set(sids))
        self.assertEqual({row["status"] for row in deliveries.values()}, {"stored"})
        self.assertTrue(study.is_sound())
        self.assertEqual(study.queue_status()["depth"], 0)
        self.assertEqual(server.stop(), 0)

    def test_fhir_writes_and_a_start_on_a_full_disk(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        self.mounted(study.dir / "data", 24)
        server = study.serve()
        token = tributary("token", "create", study.dir, "--scope", "user/*.cruds conf/V sens/*").text.strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/fhir+json"}

        def put(name):
            value = {**observation("p1", 70), "id": name, "note": [{"text": os.urandom(40_000).hex()}]}
            return http("PUT", f"{server.url}/fhir/Observation/{name}", headers, value)

        self.assertEqual(put("before").status, 201)
        ballast = fill(study.dir / "data")
        rows = study.number("SELECT count(*) FROM record_version")
        for number in range(3):
            answer = put(f"full{number}")
            self.assertEqual((answer.status, answer.code), (507, "storage-full"), answer)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(study.number("SELECT count(*) FROM record_version"), rows, "nothing is half-written")
        # The server starts on the full disk: it frees its reserve.
        self.assertEqual(server.stop(), 0)
        reserve = study.dir / "data" / ".reserve"
        self.assertTrue(reserve.exists())
        with open(ballast, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        server = study.serve()
        self.assertFalse(reserve.exists())
        self.assertEqual(http("GET", f"{server.url}/fhir/Observation/before", headers).status, 200)
        # With room again writes go through, and the next start has its reserve.
        ballast.unlink()
        self.assertEqual(put("after").status, 201)
        self.assertEqual(server.stop(), 0)
        server = study.serve()
        self.assertTrue(reserve.exists())
        self.assertTrue(study.is_sound())
        self.assertEqual(server.stop(), 0)

    def test_the_devices_disk(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        server = study.serve()
        device = study.device(server, enrol=False)
        device.store.mkdir()
        self.mounted(device.store, 2)
        device.enrol(server)
        device.consent()
        ballast = fill(device.store)
        names = sorted(file.name for file in (device.store / "outbox").iterdir())
        done = device.answer(VISIT, visit(), status=1)
        self.assertIn("storage-full", done.errors)
        self.assertEqual(sorted(file.name for file in (device.store / "outbox").iterdir()), names, "nothing half-written")
        ballast.unlink()
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})

    def test_the_disk_that_a_conversion_writes_to(self):
        from harness import EXAMPLES
        study = Study(forms=False)
        self.addCleanup(study.close)
        place = study.root / "small"
        place.mkdir()
        self.mounted(place, 1)
        done = tributary("health", "convert", EXAMPLES / "apple-health" / "export.zip", "-o", place / "out.ndjson", status=1)
        self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
        self.assertFalse((place / "out.ndjson").exists(), "no half-written file under the name that was asked for")


if __name__ == "__main__":
    unittest.main()
