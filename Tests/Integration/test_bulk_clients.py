"""A client of others: smart-fetch (PyPI) exports a study and finds in it what is there. Skipped where it is not installed;
`TRIBUTARY_SMART_FETCH` names the program."""

import gzip
import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from exporting_client import padded
from harness import http, tributary
from writing import Writing, bundle, entry

SMART_FETCH = os.environ.get("TRIBUTARY_SMART_FETCH") or shutil.which("smart-fetch")


@unittest.skipUnless(SMART_FETCH, "smart-fetch is not installed")
class SmartFetch(Writing):
    @classmethod
    def change(cls, value):
        Writing.change(value)
        value["identifiedRecords"] = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        entries = [entry("PUT", f"Patient/p-{n}", padded("Patient", n, None)) for n in range(3)]
        entries += [entry("PUT", f"Condition/c-{n}", {
            "resourceType": "Condition", "id": f"c-{n}", "subject": {"reference": f"Patient/p-{n % 3}"},
            "code": {"text": "x"}}) for n in range(30)]
        entries.append(entry("PUT", "Group/g", {
            "resourceType": "Group", "id": "g", "type": "person", "actual": True,
            "member": [{"entity": {"reference": "Patient/p-1"}}]}))
        answer = http("POST", cls.server.url + "/fhir", {"Authorization": "Bearer " + cls.writer,
                                                         "Content-Type": "application/fhir+json"},
                      bundle("transaction", *entries))
        assert answer.status == 200, answer

    def fetched(self, name, *arguments, proof=None):
        if proof is None:
            token = self.study.root / f"{name}.token"
            token.write_text(self.token("system/*.rs"))
            proof = ("--bearer-token", token)
        folder = self.study.root / name
        done = subprocess.run(
            [SMART_FETCH, "bulk", "--fhir-url", self.server.url + "/fhir", *proof, *arguments, folder],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
            env={**os.environ, "NO_PROXY": "127.0.0.1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {}
        for file in folder.rglob("*.ndjson.gz"):
            for line in gzip.decompress(file.read_bytes()).splitlines():
                resource = json.loads(line)
                found[resource["resourceType"], resource["id"]] = resource
        return found

    def test_the_system(self):
        found = self.fetched("system", "--type", "Patient,Condition")
        self.assertEqual(sorted(found), sorted([("Patient", f"p-{n}") for n in range(3)]
                                               + [("Condition", f"c-{n}") for n in range(30)]))
        for (kind, name), resource in list(found.items())[::5]:
            self.assertEqual(resource, self.ask("GET", f"{kind}/{name}").json)
        self.assertEqual(self.study.number("SELECT count(*) FROM export_job"), 0, "it takes its exports away")

    def test_with_a_key_of_its_own(self):
        """SMART Backend Services: the token of the first minutes need not be that of the last."""
        given = subprocess.run(
            [Path(SMART_FETCH).parent / "python", "-c",
             "import json; from jwcrypto import jwk; key = jwk.JWK.generate(kty='EC', crv='P-384', kid='k', alg='ES384', "
             "key_ops=['sign', 'verify']); print(json.dumps([key.export_public(as_dict=True), key.export(as_dict=True)]))"],
            capture_output=True, check=False)
        if given.returncode:
            self.skipTest("jwcrypto is not beside smart-fetch")
        public, private = json.loads(given.stdout)
        public["key_ops"] = ["verify"]
        private["key_ops"] = ["sign"]
        files = self.study.root / "public.json", self.study.root / "private.jwks"
        for file, key in zip(files, (public, private)):
            file.write_text(json.dumps({"keys": [key]}))
        made = tributary("client", "create", self.study.dir, "--name", "Hospital", "--jwks", files[0],
                         "--scope", "system/*.rs", "--json").json
        found = self.fetched("key", "--type", "Patient,Condition",
                             proof=("--smart-client-id", made["client_id"], "--smart-key", files[1]))
        self.assertEqual(len(found), 33)

    def test_a_group(self):
        found = self.fetched("group", "--type", "Patient,Condition", "--group", "g")
        self.assertEqual(len(found), 11)


if __name__ == "__main__":
    unittest.main()
