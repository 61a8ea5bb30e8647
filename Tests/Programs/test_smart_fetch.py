"""smart-fetch (PyPI) exports a study, in bulk and patient by patient, and finds in it what is there."""

import gzip
import json
import unittest

from exporting_client import padded
from programs import Program, needs, run, tool
from writing import bundle, entry

MRN = "urn:example:mrn"
# Its filters of Observations ask for one of these categories.
VITAL = {"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "vital-signs"}


@needs("smart-fetch", "jwcrypto")
class SmartFetch(Program):
    packages = ("smart-fetch",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        patients = [{**padded("Patient", n, None), "identifier": [{"system": MRN, "value": f"mrn {n}"}]} for n in range(4)]
        about = [{"resourceType": "Condition", "id": f"c-{n}", "subject": {"reference": f"Patient/p-{n % 4}"},
                  "code": {"text": "x"}} for n in range(32)]
        about += [{**padded("Observation", n, f"p-{n % 4}"), "category": [{"coding": [VITAL]}]} for n in range(240)]
        about.append({"resourceType": "Encounter", "id": "e-1", "status": "finished", "subject": {"reference": "Patient/p-1"},
                      "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"}})
        cls.there = {(row["resourceType"], row["id"]): row for row in patients + about}
        group = {"resourceType": "Group", "id": "g", "type": "person", "actual": True,
                 "member": [{"entity": {"reference": "Patient/p-1"}}]}
        answer = cls.ask("POST", "", bundle("transaction", *[
            entry("PUT", f"{row['resourceType']}/{row['id']}", row) for row in [*cls.there.values(), group]]))
        assert answer.status == 200, answer

    def fetched(self, name, command, *arguments, proof=None):
        """What a command wrote into a folder of its own, by type and id; nothing may be there twice."""
        if proof is None:
            token = self.study.root / f"{name}.token"
            token.write_text(self.token("system/*.rs"))
            proof = ("--bearer-token", token)
        folder = self.study.root / name
        done = run(tool("smart-fetch"), command, "--fhir-url", self.base, *proof, *arguments, folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([str(file) for file in folder.rglob("error/*")], [], done.stdout)
        found = {}
        for file in folder.rglob("*.ndjson.gz"):
            for line in gzip.decompress(file.read_bytes()).splitlines():
                resource = json.loads(line)
                key = resource["resourceType"], resource["id"]
                self.assertNotIn(key, found)
                found[key] = resource
        return found

    def is_what_is_there(self, found, kinds, patients=range(4)):
        """Holds what was fetched against what was written, and each against what is read."""
        owners = {f"Patient/p-{n}" for n in patients}
        wanted = {key for key, row in self.there.items() if key[0] in kinds
                  and (f"Patient/{key[1]}" in owners or row.get("subject", {}).get("reference") in owners)}
        self.assertEqual(set(found), wanted)
        for (kind, name), resource in found.items():
            self.assertEqual({key: value for key, value in resource.items() if key != "meta"}, self.there[kind, name])
        for (kind, name), resource in list(found.items())[::7]:
            self.assertEqual(resource, self.ask("GET", f"{kind}/{name}").json)

    def test_the_system_in_bulk(self):
        kinds = ("Patient", "Condition", "Encounter")
        self.is_what_is_there(self.fetched("system", "bulk", "--type", ",".join(kinds)), kinds)
        self.assertEqual(self.study.number("SELECT count(*) FROM export_job"), 0, "it takes its exports away")

    def test_a_group_in_bulk(self):
        kinds = ("Patient", "Condition", "Observation")
        self.is_what_is_there(self.fetched("group", "bulk", "--type", ",".join(kinds), "--group", "g"), kinds, [1])

    def test_in_bulk_with_a_key_of_its_own(self):
        """SMART Backend Services: the token of the first minutes need not be that of the last."""
        self.is_what_is_there(self.fetched("key", "bulk", "--type", "Patient,Condition", proof=self.key("bulk")),
                              ("Patient", "Condition"))

    def key(self, name):
        from jwcrypto import jwk
        key = jwk.JWK.generate(kty="EC", crv="P-384", kid=name, alg="ES384")
        files = self.study.root / f"{name}-public.json", self.study.root / f"{name}-private.jwks"
        for file, exported, operation in ((files[0], key.export_public(as_dict=True), "verify"),
                                          (files[1], key.export(as_dict=True), "sign")):
            file.write_text(json.dumps({"keys": [{**exported, "key_ops": [operation]}]}))
        return "--smart-client-id", self.registered(files[0], "system/*.rs"), "--smart-key", files[1]

    def test_the_patients_that_it_names_one_after_the_other(self):
        kinds = ("Patient", "Condition", "Observation", "Encounter")
        found = self.fetched("crawl", "crawl", "--type", ",".join(kinds), "--id-list", "p-0,p-1,p-3", proof=self.key("crawl"))
        self.is_what_is_there(found, kinds, [0, 1, 3])

    def test_patients_by_their_numbers_from_a_file(self):
        file = self.study.root / "cohort.csv"
        file.write_text("mrn\nmrn 2\nmrn 3\nmrn 9\n")
        kinds = ("Patient", "Condition", "Observation")
        self.is_what_is_there(self.fetched("mrn", "crawl", "--type", ",".join(kinds), "--id-file", file, "--id-system", MRN),
                              kinds, [2, 3])

    def test_all_patients_whom_an_export_finds(self):
        kinds = ("Patient", "Condition", "Observation")
        self.is_what_is_there(self.fetched("all", "crawl", "--type", ",".join(kinds), "--no-default-filters"), kinds)

    def test_whom_a_group_names(self):
        kinds = ("Patient", "Condition")
        self.is_what_is_there(self.fetched("of-group", "crawl", "--type", ",".join(kinds), "--group", "g"), kinds, [1])


if __name__ == "__main__":
    unittest.main()
