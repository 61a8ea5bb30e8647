"""kill -9 during exports: after a restart each is there whole, or is taken up and becomes so; nothing is half-written."""

import os
import subprocess
import time
import unittest

from exporting_client import Export, padded
from harness import BIN, Study, http, seeded, tributary
from writing import FULL, Writing, bundle, entry

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
RESOURCES = 1500


class KilledExports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        def change(value):
            Writing.change(value)
            value["identifiedRecords"] = True

        cls.study = Study(change=change)
        cls.addClassCleanup(cls.study.close)
        server = cls.study.serve()
        cls.token = tributary("token", "create", cls.study.dir, "--scope", FULL).text.strip()
        cls.expected = {}
        for start in range(0, RESOURCES, 500):
            made = [padded("Observation", n, f"p-{n % 9}", 2000) for n in range(start, start + 500)]
            answer = http("POST", server.url + "/fhir", {
                "Authorization": "Bearer " + cls.token, "Content-Type": "application/fhir+json"},
                bundle("transaction", *[entry("PUT", f"Observation/{one['id']}", one) for one in made]))
            assert answer.status == 200, answer
            cls.expected |= {("Observation", one["id"]): one["valueQuantity"]["value"] for one in made}
        answer = http("PUT", server.url + "/fhir/Organization/org", {
            "Authorization": "Bearer " + cls.token, "Content-Type": "application/fhir+json"},
            {"resourceType": "Organization", "id": "org", "name": "Lab"})
        assert answer.status == 201, answer
        server.kill()

    def check(self, export):
        found = export.resources()
        self.assertEqual({key for key in found if key[0] == "Observation"}, set(self.expected))
        for key, value in self.expected.items():
            self.assertEqual(found[key]["valueQuantity"]["value"], value)
        self.assertIn(("Organization", "org"), found)
        folder = self.study.dir / "exports" / export.status_url.rsplit("/", 1)[1]
        named = {file["url"].rsplit("/", 1)[1] for file in export.done()["output"]}
        self.assertEqual({file.name for file in folder.iterdir()}, named, "nothing is left of what was cut off")

    def test_the_server_is_killed_while_it_exports(self):
        random = seeded()
        finished = 0
        for _ in range(ROUNDS):
            server = self.study.serve()
            export = Export(server, self.token)
            for _ in range(random.randint(1, 3)):
                time.sleep(random.uniform(0, 0.12))
                server.kill()
                server = self.study.serve()
                export.moved(server)
            finished += export.poll().status == 200
            self.check(export)
            self.assertEqual(export.request("DELETE", export.status_url).status, 202)
            self.assertEqual(server.stop(), 0)
        print(f"  {finished} of {ROUNDS} were finished at the last kill")
        self.assertEqual([entry.name for entry in (self.study.dir / "exports").iterdir()], ["folder-id"])

    def test_the_command_is_killed_while_it_writes(self):
        random = seeded()
        folder = self.study.root / "exported"
        whole = 0
        for _ in range(ROUNDS):
            process = subprocess.Popen([str(BIN), "export", str(self.study.dir), "-o", str(folder), "--force"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.5))
            process.kill()
            process.wait()
            for file in folder.glob("[!.]*.ndjson") if folder.exists() else []:
                lines = file.read_text().splitlines()
                self.assertEqual(len(lines), RESOURCES if file.name == "Observation.ndjson" else len(lines))
                self.assertTrue(all(line.endswith("}") for line in lines))
                whole += 1
                file.unlink()
        print(f"  {whole} files were whole")
        tributary("export", self.study.dir, "-o", folder, "--force")
        self.assertEqual(len((folder / "Observation.ndjson").read_text().splitlines()), RESOURCES)
        self.assertEqual([file.name for file in folder.iterdir() if file.name.startswith(".")], [])


if __name__ == "__main__":
    unittest.main()
