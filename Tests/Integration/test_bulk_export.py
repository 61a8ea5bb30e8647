"""Bulk Data Access from outside: system, Patient and Group export, what it holds and refuses, and `tributary export`."""

import gzip
import json
import os
import stat
import time
import unittest

from exporting_client import ASYNC, Export, padded
from harness import http, tributary
from writing import Writing, bundle, entry

PUBLISHED = ("Questionnaire", "ValueSet", "Contract")


class BulkExport(Writing):
    @classmethod
    def change(cls, value):
        Writing.change(value)
        value["identifiedRecords"] = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        entries = [entry("PUT", f"Patient/p-{n}", padded("Patient", n, None)) for n in range(4)]
        entries += [entry("PUT", f"Observation/o-{n}", padded("Observation", n, f"p-{n % 4}")) for n in range(60)]
        entries.append(entry("PUT", "Organization/org", {"resourceType": "Organization", "id": "org", "name": "Lab"}))
        entries.append(entry("PUT", "Group/g", {
            "resourceType": "Group", "id": "g", "type": "person", "actual": True,
            "member": [{"entity": {"reference": "Patient/p-1"}}, {"entity": {"reference": "Patient/p-2"}, "inactive": True}]}))
        answer = http("POST", cls.server.url + "/fhir", {"Authorization": "Bearer " + cls.writer,
                                                         "Content-Type": "application/fhir+json"},
                      bundle("transaction", *entries))
        assert answer.status == 200, answer

    def export(self, query="$export", token=None, body=None, prefer="respond-async"):
        export = Export(self.server, token or self.writer, query, body, prefer)
        if export.status_url:
            self.addCleanup(export.request, "DELETE", export.status_url)
        return export

    def test_what_is_exported_is_what_is_read(self):
        export = self.export()
        manifest = export.done()
        self.assertEqual(list(manifest)[:3], ["transactionTime", "request", "requiresAccessToken"])
        self.assertEqual(manifest["request"], self.server.url + "/fhir/$export")
        self.assertTrue(manifest["requiresAccessToken"])
        self.assertEqual((manifest["deleted"], manifest["error"]), ([], []))
        found = export.resources(manifest)
        # And what the study publishes.
        self.assertEqual(len([1 for kind, _ in found if kind not in PUBLISHED]), 66)
        for (kind, name), resource in list(found.items())[::7]:
            self.assertEqual(self.ask("GET", f"{kind}/{name}").json, resource)
        answer = export.poll()
        self.assertIn("GMT", answer.headers["Expires"])
        self.assertEqual(answer.headers["Content-Type"], "application/json")

    def test_levels_and_parameters(self):
        def kinds(*arguments, **named):
            export = self.export(*arguments, **named)
            found = export.resources()
            return {kind: sorted(name for other, name in found if other == kind) for kind, _ in found}

        self.assertEqual(set(kinds("$export?_type=Patient,Group")), {"Patient", "Group"})
        patients = kinds("Patient/$export")
        self.assertEqual((len(patients["Observation"]), set(patients)), (60, {"Group", "Observation", "Patient"}))
        group = kinds("Group/g/$export")
        self.assertEqual((group["Patient"], len(group["Observation"]), set(group)), (["p-1"], 15, {"Group", "Observation", "Patient"}))
        body = {"resourceType": "Parameters", "parameter": [
            {"name": "patient", "valueReference": {"reference": "Patient/p-0"}},
            {"name": "patient", "valueReference": {"reference": "Patient/p-3"}},
            {"name": "_type", "valueString": "Observation"}]}
        self.assertEqual(len(kinds("Patient/$export", body=body)["Observation"]), 30)
        filtered = kinds("$export?_type=Observation&_typeFilter=Observation%3Fsubject%3DPatient%2Fp-2")
        self.assertEqual(len(filtered["Observation"]), 15)
        elements = self.export("$export?_type=Observation&_elements=subject").resources()
        self.assertEqual({frozenset(resource) for resource in elements.values()},
                         {frozenset(("resourceType", "id", "meta", "status", "code", "subject"))})

    def test_what_changed_since(self):
        first = self.export("$export?_type=Observation").done()["transactionTime"]
        time.sleep(0.01)
        self.assertEqual(self.ask("PUT", "Observation/since-1", padded("Observation", 1, "p-1") | {"id": "since-1"}).status, 201)
        self.assertEqual(self.ask("PUT", "Observation/since-2", padded("Observation", 2, "p-1") | {"id": "since-2"}).status, 201)
        self.assertEqual(self.ask("DELETE", "Observation/since-2").status, 204)
        export = self.export(f"$export?_type=Observation&_since={first.replace('+', '%2B')}")
        manifest = export.done()
        self.assertEqual(list(export.resources(manifest)), [("Observation", "since-1")])
        bundles = [line for file in manifest["deleted"] for line in export.lines(file["url"])]
        self.assertEqual([[row["request"] for row in made["entry"]] for made in bundles],
                         [[{"method": "DELETE", "url": "Observation/since-2"}]])
        self.assertEqual(self.ask("DELETE", "Observation/since-1").status, 204)

    def test_refusals(self):
        self.refused(self.export(prefer="return=minimal").answer, 400, "respond-async-missing")
        self.refused(self.export("$export?x=1").answer, 400, "parameter-unknown")
        self.refused(self.export("$export?_outputFormat=text/csv").answer, 400, "parameter-invalid")
        self.refused(self.export("$export?_type=Nothing").answer, 400, "parameter-invalid")
        self.refused(self.export("Group/nobody/$export").answer, 404, "group-unknown")
        self.refused(self.export(token="nobody").answer, 401, "not-authenticated")
        self.refused(self.ask("GET", "$export/" + "0" * 36), 404, "export-unknown")
        self.refused(self.ask("GET", "$export/%2E%2E/x"), 404, "export-unknown")
        self.refused(self.ask("GET", "Observation/$export", Prefer="respond-async"), 404, "operation-unknown")
        reads = self.token("system/Observation.r")
        self.refused(self.export(token=reads).answer, 403, "not-permitted")
        for body in ("{", [], {"resourceType": "Patient"}, {"resourceType": "Parameters", "parameter": [{"name": "_type"}]}):
            answer = http("POST", self.server.url + "/fhir/$export", {
                **ASYNC, "Authorization": "Bearer " + self.writer, "Content-Type": "application/fhir+json"},
                body if isinstance(body, str) else json.dumps(body))
            self.assertEqual((answer.status, answer.json["resourceType"]), (400, "OperationOutcome"), answer)

    def test_an_export_is_whoever_asked_for_its(self):
        one, two = (self.token("system/*.rs") for _ in range(2))
        export = self.export("$export?_type=Organization", token=one)
        url = export.done()["output"][0]["url"]
        self.assertEqual(len(export.lines(url)), 1)
        for method, path in (("GET", export.status_url), ("DELETE", export.status_url), ("GET", url)):
            self.refused(export.request(method, path, token=two), 404, "export-unknown")
        self.assertEqual(http("GET", url).status, 401)
        # Dead with the token that it was asked for with.
        token_id = self.study.sql("SELECT actor_id FROM export_job WHERE id = ?", export.status_url.rsplit("/", 1)[1])[0][0]
        tributary("token", "revoke", self.study.dir, token_id)
        self.refused(export.request("GET", url), 401, "not-authenticated")

    def test_a_file_comes_as_gzip_where_that_is_taken(self):
        export = self.export("$export?_type=Observation")
        url = export.done()["output"][0]["url"]
        plain = export.request("GET", url)
        packed = http("GET", url, {"Authorization": "Bearer " + self.writer, "Accept-Encoding": "gzip"})
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)

    def test_a_grant_for_a_patient_brings_theirs(self):
        token = self.token("patient/*.rs", "p-2")
        found = self.export(token=token).resources()
        self.assertEqual({resource["subject"]["reference"] for (kind, _), resource in found.items()
                          if kind not in PUBLISHED and "subject" in resource}, {"Patient/p-2"})
        self.assertEqual(len([1 for kind, _ in found if kind == "Observation"]), 15)

    def test_cancelled(self):
        export = self.export()
        export.done()
        folder = self.study.dir / "exports" / export.status_url.rsplit("/", 1)[1]
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertEqual({stat.S_IMODE(os.stat(file).st_mode) for file in folder.iterdir()}, {0o600})
        answer = export.request("DELETE", export.status_url)
        self.assertEqual((answer.status, answer.json["resourceType"]), (202, "OperationOutcome"))
        self.refused(export.poll(), 404, "export-unknown")
        self.assertFalse(folder.exists())

    def test_metadata_tells_of_it(self):
        statement = self.ask("GET", "metadata").json
        self.assertEqual(statement["instantiates"], ["http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data"])
        rest = statement["rest"][0]
        of_types = {row["type"]: row.get("operation", []) for row in rest["resource"]}
        for operations, name in ((rest["operation"], "export"), (of_types["Patient"], "patient-export"),
                                 (of_types["Group"], "group-export")):
            self.assertIn({"name": "export", "definition": "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/" + name},
                          operations)

    # The command line

    def test_the_command_writes_a_file_for_each_type(self):
        folder = self.study.root / "exported"
        counts = tributary("export", self.study.dir, "-o", folder, "--json").json
        self.assertEqual((counts["Patient"], counts["Organization"]), (4, 1))
        self.assertEqual({file.name for file in folder.iterdir()}, {f"{name}.ndjson" for name in counts})
        self.assertEqual({stat.S_IMODE(os.stat(file).st_mode) for file in folder.iterdir()}, {0o600})
        written = {}
        for file in folder.iterdir():
            for line in file.read_text().splitlines():
                resource = json.loads(line)
                written[resource["resourceType"], resource["id"]] = resource
        served = self.export().resources()
        self.assertEqual(written, served)
        again = tributary("export", self.study.dir, "-o", folder, status=None)
        self.assertEqual(again.status, 1)
        self.assertIn("file-exists", again.errors)
        tributary("export", self.study.dir, "-o", folder, "--force", "--type", "Patient")
        one = tributary("export", self.study.dir, "-o", self.study.root / "group", "--group", "g", "--json").json
        self.assertEqual(one["Patient"], 1)
        for arguments, code in ((("--type", "Nothing"), "type-unknown"), (("--group", "nobody"), "group-unknown"),
                                (("--since", "x"), "since-invalid")):
            refused = tributary("export", self.study.dir, "-o", self.study.root / "no", *arguments, status=None)
            self.assertEqual(refused.status, 1)
            self.assertIn(code, refused.errors)
        listed = tributary("audit", "list", self.study.dir, "--json").text
        self.assertIn("export-records", listed)

    def test_who_is_deleted_is_in_no_export(self):
        study = self.study
        device = self.member()
        export = self.export()
        self.assertIn(("Patient", device.participant), export.resources())
        tributary("participant", "delete", study.dir, device.participant, "--reason", "as asked", "--yes")
        self.refused(export.poll(), 404, "export-unknown")
        left = [file for file in (study.dir / "exports").rglob("*") if file.is_file() and file.name != "folder-id"]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
