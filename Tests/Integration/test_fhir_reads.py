"""What clients of other servers met when they read, as requests against a running server that has all roles."""

import json

from writing import Writing, bundle, entry

STRICT = {"Prefer": "handling=strict"}
UCUM = "http%3A%2F%2Funitsofmeasure.org"


class Reads(Writing):
    def put(self, resource):
        answer = self.ask("PUT", f"{resource['resourceType']}/{resource['id']}", resource)
        self.assertIn(answer.status, (200, 201), answer)

    def weight(self, name, value, code="kg", **more):
        self.put({"resourceType": "Observation", "id": name, "status": "final", "code": {"text": "weight"},
                  "valueQuantity": {"value": value, "system": "http://unitsofmeasure.org", "code": code}, **more})

    def test_plus_precision_and_case(self):
        self.put({"resourceType": "Organization", "id": "plus", "name": "van der Berg",
                  "identifier": [{"system": "urn:mrn", "value": "MRN-Abc"}]})
        self.assertEqual(self.total("Organization?name:exact=van+der+Berg"), 1)
        for text in ("mrn-abc", "urn:mrn%7CMRN-ABC"):
            self.assertEqual(self.total(f"Organization?identifier={text}"), 1, text)
        self.assertEqual(self.total("Patient?gender=MALE"), 0)
        self.weight("kilograms", 70, effectiveDateTime="2016-12-31T23:59:60Z")
        self.weight("gram", 1, "g")
        for value, found in (("70.0|kg", 1), ("70000|g", 1), ("70001|g", 0), ("1000|mg", 1), ("70.6|kg", 0), ("7.00e+1|kg", 1)):
            number, unit = value.split("|")
            self.assertEqual(self.total(f"Observation?value-quantity={number}%7C{UCUM}%7C{unit}&_id=kilograms,gram"), found, value)
        self.assertEqual(self.total("Observation?date=2016-12-31&_id=kilograms"), 1)
        self.assertEqual(self.total("Observation?date=ge2016-12-31T23:00:00+02:00&_id=kilograms"), 1)

    def test_unknown_parameters(self):
        answer = self.ask("GET", "Observation?foo=1")
        outcome = [row for row in answer.json["entry"] if row["search"]["mode"] == "outcome"]
        self.assertEqual(len(outcome), 1)
        self.assertIn("foo", outcome[0]["resource"]["issue"][0]["diagnostics"])
        self.refused(self.ask("GET", "Observation?foo=1", **STRICT), 400, "parameter-unknown")
        self.refused(self.ask("GET", "?_type=Patient,Encounter&birthdate=1900"), 400, "parameter-not-common")
        batch = self.ask("POST", "", bundle("batch", entry("GET", "Observation?foo=1")))
        self.assertIn("outcome", json.dumps(batch.json["entry"][0]["resource"]["entry"][-1]["search"]))
        page = self.ask("GET", "StructureDefinition?_count=2", **STRICT)
        self.assertEqual((page.status, len(page.json["entry"])), (200, 2))

    def test_another_server_s_patient_and_our_own_address(self):
        base = f"{self.server.url}/fhir"
        self.put({"resourceType": "Patient", "id": "rf1"})
        for name, subject in (("near", "Patient/rf1"), ("own", f"{base}/Patient/rf1"),
                              ("far", "http://elsewhere.example/fhir/Patient/rf1")):
            self.weight(name, 70, subject={"reference": subject})
        self.assertEqual(self.total("Observation?subject=Patient/rf1"), 2)
        self.assertEqual(self.total("Observation?subject=Patient/rf1&_id=far"), 0)
        self.assertEqual(self.total("Observation?subject=http://elsewhere.example/fhir/Patient/rf1"), 1)
        self.assertEqual(self.total("Patient/rf1/Observation"), 2)
        found = self.ask("POST", "Patient/rf1/$everything", {"resourceType": "Parameters", "parameter": [
            {"name": "_type", "valueString": "Observation"}]})
        self.assertEqual([row["resource"]["id"] for row in found.json["entry"]], ["near", "own"])
        app = self.token("patient/*.rs", "rf1")
        for name, status in (("near", 200), ("own", 200), ("far", 404)):
            self.assertEqual(self.ask("GET", f"Observation/{name}", token=app).status, status, name)

    def test_the_history_of_one_resource(self):
        self.put({"resourceType": "Patient", "id": "h1"})
        self.put({"resourceType": "Patient", "id": "h1", "active": True})
        path = "Patient/h1/_history"
        self.assertEqual(self.total(path), 2)
        for query, total in (("_since=2099-01-01T00:00:00Z", 0), ("_since=2020-01-01T00:00:00Z", 2), ("_at=2099", 1)):
            self.assertEqual(self.total(f"{path}?{query}"), total, query)
        self.assertEqual(self.ask("GET", f"{path}?_since=notatime").status, 400)
        part = self.ask("GET", "Patient/h1/_history/1?_summary=true")
        self.assertEqual(part.json["meta"]["tag"][0]["code"], "SUBSETTED")
