"""FHIR REST as programs write it: each interaction, alone and in Bundles, against a running server that has all roles."""

import threading
import unittest

from forms import new_id, observation, response
from writing import FHIR, JSON_PATCH, MERGE_PATCH, Writing, bundle, entry, exactly, identified, plain, replacing


class Interactions(Writing):
    def test_a_created_resource_is_read_back_as_it_was_sent(self):
        sent = b'''{"resourceType": "Observation", "id": "mine", "language": "de", "status": "final",
            "meta": {"versionId": "9", "lastUpdated": "2000-01-01T00:00:00Z", "tag": [{"system": "urn:t", "code": "t"}]},
            "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}], "text": "Puls \\u00e4\\ud83d\\ude00 \xc3\xa9"},
            "effectiveDateTime": "2026-05-06T07:08:09.120+02:00",
            "valueQuantity": {"value": 72.00, "unit": "/min", "system": "http://unitsofmeasure.org", "code": "/min"},
            "referenceRange": [{"low": {"value": 0.10}, "high": {"value": 123456789.123456789}}]}'''
        answer = self.ask("POST", "Observation", sent)
        self.assertEqual(answer.status, 201, answer)
        name = answer.json["id"]
        self.assertNotEqual(name, "mine", "the server makes the ids of what is created")
        self.assertEqual(answer.headers["ETag"], 'W/"1"')
        self.assertTrue(answer.headers["Last-Modified"])
        self.assertEqual(answer.headers["Location"], f"{self.server.url}/fhir/Observation/{name}/_history/1")
        wanted = exactly(sent)
        for path in (f"Observation/{name}", answer.headers["Location"]):
            read = self.ask("GET", path)
            self.assertEqual((read.status, read.headers["ETag"]), (200, 'W/"1"'))
            found = exactly(read.body)
            self.assertEqual(found, exactly(answer.body))
            self.assertEqual(found["meta"].pop("versionId"), "1")
            self.assertGreater(found["meta"].pop("lastUpdated"), "2026")
            self.assertEqual(found, {**wanted, "id": name, "meta": {"tag": wanted["meta"]["tag"]}})

    def test_an_update_takes_the_version_that_is_there(self):
        name = self.made(plain(60))
        path = f"Observation/{name}"
        stale = self.ask("PUT", path, plain(61, id=name), If_Match='W/"2"')
        self.refused(stale, 412, "version-conflict")
        self.assertEqual(self.ask("GET", path).json["valueQuantity"]["value"], 60)
        second = self.ask("PUT", path, plain(61, id=name), If_Match='W/"1"')
        self.assertEqual((second.status, second.headers["ETag"]), (200, 'W/"2"'), second)
        self.refused(self.ask("PUT", path, plain(62, id=name), If_Match='W/"1"'), 412, "version-conflict")
        self.refused(self.ask("DELETE", path, If_Match='W/"1"'), 412, "version-conflict")
        self.assertEqual(self.ask("GET", path).json["valueQuantity"]["value"], 61)
        self.assertEqual(self.ask("GET", path + "/_history/1").json["valueQuantity"]["value"], 60)
        self.refused(self.ask("PUT", path, plain(61, id="other")), 400, "id-mismatch")

    def test_of_many_who_know_one_version_one_updates_it(self):
        name = self.made(plain(60))
        statuses = self.at_once(lambda number: self.ask(
            "PUT", f"Observation/{name}", plain(100 + number, id=name), If_Match='W/"1"').status)
        self.assertEqual(sorted(statuses), [200] + [412] * 7)
        self.assertEqual(self.ask("GET", f"Observation/{name}").headers["ETag"], 'W/"2"')

    def at_once(self, request):
        """What eight threads are answered that ask together."""
        statuses, barrier = [], threading.Barrier(8)

        def run(number):
            barrier.wait(30)
            statuses.append(request(number))

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def test_a_patch_in_its_three_forms(self):
        name = self.made(plain(60))
        path = f"Observation/{name}"
        json_patch = [{"op": "test", "path": "/status", "value": "final"},
                      {"op": "replace", "path": "/status", "value": "amended"}]
        for body, content_type, status in (
                (json_patch, JSON_PATCH, "amended"), ({"status": "corrected"}, MERGE_PATCH, "corrected"),
                (replacing("Observation.status", "valueCode", "final"), FHIR, "final"),
                (json_patch, "application/json", "amended"), ({"status": "final"}, "application/json", "final")):
            answer = self.ask("PATCH", path, body, content_type=content_type)
            self.assertEqual((answer.status, answer.json.get("status")), (200, status), answer)
            read = self.ask("GET", path)
            self.assertEqual((read.json["status"], read.headers["ETag"]), (status, answer.headers["ETag"]))
        self.assertEqual(self.ask("GET", path).headers["ETag"], 'W/"6"')
        refusals = self.nothing_is_stored_by(
            ("PATCH", path, [{"op": "test", "path": "/status", "value": "amended"}], None, JSON_PATCH),
            ("PATCH", path, {"id": "other"}, None, MERGE_PATCH), ("PATCH", path, {"status": None}, None, MERGE_PATCH),
            ("PATCH", path, [{"op": "none"}], None, JSON_PATCH), ("PATCH", path, {"status": "x"}, None, "text/plain"))
        self.assertEqual([answer.status for answer in refusals], [422, 422, 422, 400, 415], refusals)
        self.refused(self.ask("PATCH", path, {"status": "amended"}, content_type=MERGE_PATCH, If_Match='W/"1"'),
                     412, "version-conflict")

    def test_what_is_deleted_is_gone_and_its_history_stays(self):
        name = self.made(plain(60, **identified("deleted")))
        path = f"Observation/{name}"
        self.assertEqual(self.ask("DELETE", path).status, 204)
        self.refused(self.ask("GET", path), 410, "record-deleted")
        self.assertEqual(self.total("Observation?identifier=deleted"), 0)
        self.assertEqual(self.ask("GET", path + "/_history/1").status, 200)
        methods = [row["request"]["method"] for row in self.ask("GET", path + "/_history").json["entry"]]
        self.assertEqual(methods, ["DELETE", "POST"])
        self.assertEqual(self.ask("DELETE", path).status, 204, "it may be said twice")
        self.assertEqual(self.ask("PUT", path, plain(61, id=name)).headers["ETag"], 'W/"3"')
        self.assertEqual(self.ask("GET", path).status, 200)

    def test_a_conditional_create_makes_one_however_many_ask(self):
        condition = {"If_None_Exist": "identifier=urn:example:lab|once"}
        first = self.ask("POST", "Observation", plain(60, **identified("once")), **condition)
        again = self.ask("POST", "Observation", plain(61, **identified("once")), **condition)
        self.assertEqual((first.status, again.status), (201, 200), again)
        self.assertEqual(again.headers["Location"], first.headers["Location"])
        self.assertEqual(self.total("Observation?identifier=urn:example:lab|once"), 1)
        body = plain(60, **identified("together"))
        statuses = self.at_once(lambda _: self.ask(
            "POST", "Observation", body, If_None_Exist="identifier=urn:example:lab|together").status)
        self.assertEqual(sorted(statuses), [200] * 7 + [201])
        self.assertEqual(self.total("Observation?identifier=urn:example:lab|together"), 1)
        # As fhirpy asks: the condition stands in the address.
        asked = [self.ask("POST", "Observation?identifier=in-address", plain(60, **identified("in-address"))).status
                 for _ in range(2)]
        self.assertEqual(asked, [201, 200])

    def test_update_patch_and_delete_by_what_a_search_finds(self):
        one, two = (self.made(plain(60, **identified(value))) for value in ("c-1", "c-2"))
        self.assertEqual(self.ask("PUT", "Observation?identifier=c-1", plain(61, **identified("c-1"))).json["id"], one)
        patched = self.ask("PATCH", "Observation?identifier=c-2", {"status": "amended"}, content_type=MERGE_PATCH)
        self.assertEqual((patched.status, patched.json["id"]), (200, two))
        several = self.nothing_is_stored_by(("PUT", "Observation?identifier=c-1,c-2", plain(62)),
                                            ("DELETE", "Observation?identifier=c-1,c-2"),
                                            ("DELETE", "Observation"), ("DELETE", "Observation?no-such=1"))
        self.assertEqual([answer.status for answer in several], [412, 412, 400, 400], several)
        self.assertEqual(self.ask("DELETE", "Observation?identifier=c-1").status, 204)
        self.assertEqual((self.ask("GET", f"Observation/{one}").status, self.ask("GET", f"Observation/{two}").status),
                         (410, 200))
        created = self.ask("PUT", "Observation?identifier=c-3", plain(60, **identified("c-3")))
        self.assertEqual(created.status, 201, created)

    def test_a_transaction_resolves_the_references_between_its_entries(self):
        patient, practitioner = (f"urn:uuid:{new_id()}" for _ in range(2))
        about = {**observation("x", 64), "subject": {"reference": patient}, "performer": [{"reference": practitioner}]}
        answer = self.ask("POST", "", bundle(
            "transaction", entry("POST", "Observation", about),
            entry("POST", "Patient", {"resourceType": "Patient", "gender": "female"}, patient),
            entry("POST", "Practitioner", {"resourceType": "Practitioner", "active": True}, practitioner,
                  ifNoneExist="identifier=nobody"), entry("GET", "Observation?identifier=nobody")))
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json["type"], "transaction-response")
        entries = answer.json["entry"]
        self.assertEqual([row["response"]["status"][:3] for row in entries], ["201", "201", "201", "200"])
        ids = [row["response"]["location"].split("/")[1] for row in entries[:3]]
        read = self.ask("GET", f"Observation/{ids[0]}").json
        self.assertEqual((read["subject"]["reference"], read["performer"][0]["reference"]),
                         (f"Patient/{ids[1]}", f"Practitioner/{ids[2]}"))
        self.assertEqual(self.total(f"Observation?subject=Patient/{ids[1]}"), 1)

    def test_who_takes_no_part_has_records_and_no_facts(self):
        facts = "SELECT count(*) FROM observation_fact"
        before = self.study.number(facts)
        patient = self.made({"resourceType": "Patient", "gender": "male"})
        self.made(observation(patient, 47))
        self.made(response(patient))
        self.assertEqual((self.total(f"Observation?subject={patient}"), self.study.number(facts)), (1, before))
        self.assertEqual(self.study.sql("SELECT count(*) FROM patient_mapping WHERE patient_ide = ?", patient), [(0,)])

    def test_of_a_transaction_with_a_broken_entry_nothing_is_stored(self):
        there = self.made(plain(60, **identified("there")))
        good = [entry("POST", "Patient", {"resourceType": "Patient"}, "urn:uuid:7b0c5a3e-0000-4000-8000-000000000001"),
                entry("PUT", f"Observation/{there}", plain(99, id=there))]
        broken = {
            "not of R4's shape": entry("POST", "Observation", {**plain(), "status": 1}),
            "against a rule": entry("POST", "Observation", {"resourceType": "Observation", "status": "final"}),
            "of another type": entry("POST", "Observation", {"resourceType": "Patient"}),
            "an older version": entry("PUT", "Observation/new", plain(1, id="new"), ifMatch='W/"3"'),
            "the audit": entry("POST", "AuditEvent", {"resourceType": "AuditEvent"}),
            "named twice": entry("DELETE", f"Observation/{there}"),
            "a reference that finds nothing": entry(
                "POST", "Observation", {**plain(1), "subject": {"reference": "Patient?identifier=nobody"}}),
            "a name": entry("POST", "Patient", {"resourceType": "Patient", "name": [{"family": "Quillfeather"}]}),
            "no method": {"resource": plain(1)}}
        for what, wrong in broken.items():
            answer, = self.nothing_is_stored_by(("POST", "", bundle("transaction", *good, wrong)))
            self.assertIn(answer.status, (400, 403, 412, 422), f"{what}: {answer}")
            self.assertEqual(answer.json["resourceType"], "OperationOutcome", what)
            self.assertIn("Entry 3", answer.json["issue"][0]["diagnostics"], what)
        # A batch does what it can.
        answer = self.ask("POST", "", bundle("batch", *good, *broken.values()))
        statuses = [row["response"]["status"][:3] for row in answer.json["entry"]]
        self.assertEqual((answer.status, statuses[:2]), (200, ["201", "200"]))
        self.assertEqual([statuses[2], statuses[3], statuses[6]], ["400", "422", "403"], answer)

    def test_what_is_no_resource_of_the_place_is_refused_and_nothing_is_stored(self):
        name = self.made(plain(60))
        path = f"Observation/{name}"
        cases = [
            (("POST", "Observation", b"{"), 400), (("POST", "Observation", b"[]"), 400), (("POST", "Observation", b""), 400),
            (("POST", "Observation", {"resourceType": "Patient"}), 400), (("POST", "Nothing", plain()), 404),
            (("PUT", path, plain(61)), 400), (("PUT", "Observation/a_b", plain(61, id="a_b")), 400),
            (("POST", "Observation", {**plain(), "status": 1}), 400),
            (("POST", "Observation", {**plain(), "nonsense": 1}), 400),
            (("POST", "Observation", {**plain(), "status": "no-such-code"}), 422),
            (("POST", "Observation", plain(), None, "application/xml"), 400),
            (("POST", "Observation", plain(), None, "text/plain"), 415),
            (("PUT", path, b'{"resourceType": "Observation", "id": "\xff"}'), 400),
            (("POST", "Patient", {"resourceType": "Patient", "name": [{"family": "Quillfeather"}]}), 422),
            (("POST", "", bundle("collection")), 400), (("POST", "", plain()), 400),
            (("POST", "", bundle("batch", *[entry("DELETE", "Basic/a")] * 501)), 413),
            (("POST", "StructureDefinition", {"resourceType": "StructureDefinition"}), 403)]
        answers = self.nothing_is_stored_by(*[case for case, _ in cases])
        for (case, status), answer in zip(cases, answers):
            self.assertEqual(answer.status, status, f"{case}: {answer}")
            self.assertEqual(answer.json["resourceType"], "OperationOutcome", case)
            self.assertTrue(answer.code, case)
        self.assertEqual(answers[13].code, "identifying-data")

    def test_a_server_of_the_records_alone_is_written_alike(self):
        server = self.study.serve("--roles", "records")
        self.addCleanup(server.stop)
        url = server.url + "/fhir/Observation"
        made = self.ask("POST", url, plain(60))
        self.assertEqual((made.status, made.headers["ETag"]), (201, 'W/"1"'), made)
        name = made.json["id"]
        self.assertEqual(self.ask("PUT", f"{url}/{name}", plain(61, id=name)).status, 200)
        self.assertEqual(self.ask("GET", f"Observation/{name}").json["valueQuantity"]["value"], 61)
        self.refused(self.ask("POST", url, plain(60), "wrong"), 401, "not-authenticated")

    def test_metadata_tells_what_may_be_written(self):
        statement = self.ask("GET", "metadata").json["rest"][0]
        types = {row["type"]: {one["code"] for one in row["interaction"]} for row in statement["resource"]}
        self.assertLessEqual({"create", "update", "patch", "delete"}, types["Observation"])
        self.assertEqual({row["code"] for row in statement["interaction"]}, {"transaction", "batch", "history-system", "search-system"})
        self.assertNotIn("create", types.get("AuditEvent", set()))


if __name__ == "__main__":
    unittest.main()
