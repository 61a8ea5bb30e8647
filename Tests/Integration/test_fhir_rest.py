"""FHIR REST as staff reads it: metadata, read, vread, history, search with paging, and its refusals."""

import gzip
import json
import unittest
import urllib.parse

from forms import VISIT, new_id, observation, visit
from harness import SpineTest, http, tributary
from sealed import SealedClient


class Rest(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.devices, cls.clients = [], []
        for number in range(2):
            device = cls.study.device(cls.server)
            device.consent()
            device.answer(VISIT, visit(cups=number))
            device.send()
            device.settled()
            client = SealedClient(cls.server, cls.study, device=device)
            sids = [client.send(*[observation(device.participant, 60 + n, when=f"2026-0{1 + n}-15T10:00:00Z",
                                              identifier=[{"system": "urn:x", "value": f"{number}-{n}"}]) for n in range(5)]),
                    client.send(observation(device.participant, 91, when="2026-08-01", id=f"fixed-{number}"))]
            for sid in sids:
                assert client.outcome(sid) == ("stored", None), client.outcome(sid)
            cls.devices.append(device)
            cls.clients.append(client)
        cls.staff = cls.study.staff_token()

    def test_definitions_are_read_by_everybody(self):
        url = self.server.url + "/fhir/StructureDefinition"
        found = http("GET", url + "?url=urn:tributary:age-90-or-older").json
        self.assertEqual([entry["resource"]["id"] for entry in found["entry"]], ["age-90-or-older"])
        definition = http("GET", url + "/age-90-or-older").json
        self.assertEqual(definition, found["entry"][0]["resource"])
        self.assertEqual(http("GET", self.server.url + "/fhir/CodeSystem/health-component").status, 200)
        self.assertEqual(http("GET", url + "/nothing").status, 404)
        self.assertEqual(http("GET", self.server.url + "/fhir/Observation").status, 401)

    def get(self, path, token=None, **headers):
        token = self.staff if token is None else token
        return http("GET", path if path.startswith("http") else self.server.url + "/fhir/" + path,
                    {"Authorization": "Bearer " + token, **headers})

    def search(self, path):
        answer = self.get(path)
        self.assertEqual(answer.status, 200, answer)
        bundle = answer.json
        self.assertEqual((bundle["resourceType"], bundle["type"]), ("Bundle", "searchset"))
        return bundle

    def entries(self, bundle):
        return [entry["resource"] for entry in bundle.get("entry", []) if entry.get("search", {}).get("mode") != "outcome"]

    def test_metadata(self):
        answer = http("GET", self.server.url + "/fhir/metadata")
        if answer.status == 401:
            answer = self.get("metadata")
        self.assertEqual(answer.status, 200)
        statement = answer.json
        self.assertEqual(statement["resourceType"], "CapabilityStatement")
        self.assertEqual(statement["fhirVersion"], "4.0.1")
        for member in ("status", "date", "kind", "format", "rest"):
            self.assertIn(member, statement)
        types = {row["type"]: row for row in statement["rest"][0]["resource"]}
        for name in ("Observation", "QuestionnaireResponse", "Patient", "Contract"):
            self.assertIn(name, types)
            codes = {row["code"] for row in types[name]["interaction"]}
            self.assertLessEqual({"read", "vread", "search-type"}, codes)

    def test_read_vread_and_history(self):
        client, device = self.clients[0], self.devices[0]
        first = self.get("Observation/fixed-0")
        self.assertEqual(first.status, 200)
        version = first.json["meta"]["versionId"]
        self.assertIn(version, first.headers["ETag"])
        self.assertTrue(first.headers["Last-Modified"])
        self.assertIn("application/fhir+json", first.headers["Content-Type"])
        self.assertEqual(first.json["valueQuantity"]["value"], 91)
        sid = client.send(observation(device.participant, 92, when="2026-08-01", id="fixed-0"))
        self.assertEqual(client.outcome(sid), ("stored", None))
        second = self.get("Observation/fixed-0").json
        self.assertEqual(second["valueQuantity"]["value"], 92)
        self.assertNotEqual(second["meta"]["versionId"], version)
        old = self.get(f"Observation/fixed-0/_history/{version}")
        self.assertEqual((old.status, old.json["valueQuantity"]["value"]), (200, 91))
        history = self.get("Observation/fixed-0/_history")
        self.assertEqual(history.status, 200)
        self.assertEqual((history.json["type"], history.json["total"]), ("history", 2))
        self.assertEqual([entry["resource"]["meta"]["versionId"] for entry in history.json["entry"]],
                         [second["meta"]["versionId"], version], "newest first")
        for entry in history.json["entry"]:
            self.assertIn(entry["request"]["method"], ("PUT", "POST"))
            self.assertTrue(entry["response"]["status"].startswith("20"))
        facts = self.study.sql("SELECT nval_num FROM observation_fact WHERE nval_num IN (91, 92) AND modifier_cd = '@' "
                               "AND patient_num = (SELECT patient_num FROM patient_mapping WHERE patient_ide = ?)",
                               device.participant)
        self.assertEqual(facts, [(92,)], "the facts of the earlier version are gone")

    def test_search_parameters(self):
        one, two = (device.participant for device in self.devices)
        self.assertEqual(len(self.entries(self.search(f"Observation?subject=Patient/{one}&_count=100"))), 6)
        self.assertEqual(len(self.entries(self.search(f"Observation?patient={two}&_count=100"))), 6)
        self.assertEqual(len(self.entries(self.search(f"Observation?subject={one},{two}&_count=100"))), 12)
        loinc = urllib.parse.quote("http://loinc.org|8867-4")
        for code, count in ((loinc, 12), ("8867-4", 12), (urllib.parse.quote("urn:other|8867-4"), 0), ("9999", 0)):
            self.assertEqual(self.search(f"Observation?code={code}")["total"], count)
        self.assertEqual(self.search("Observation?identifier=" + urllib.parse.quote("urn:x|1-3"))["total"], 1)
        self.assertEqual(self.search("Observation?_id=fixed-1")["total"], 1)
        for date, count in (("2026-01-15", 2), ("ge2026-03-01", 8), ("lt2026-03-01", 4), ("2026-02", 2), ("2026", 12),
                            ("gt2026-08-01", 0), ("le2026-01-15", 2), ("ge2026-02-01&date=lt2026-04-01", 4)):
            self.assertEqual(self.search("Observation?date=" + date)["total"], count, date)
        form = urllib.parse.quote("https://example.org/forms/visit|1.0")
        self.assertEqual(self.search(f"QuestionnaireResponse?questionnaire={form}")["total"], 2)
        self.assertEqual(self.search("Observation?_lastUpdated=gt2001-01-01")["total"], 12)
        self.assertEqual(self.search("Observation?_lastUpdated=lt2001-01-01")["total"], 0)

    def test_pages(self):
        one = self.devices[0].participant
        bundle, seen, pages = self.search(f"Observation?subject=Patient/{one}&_count=2"), [], 0
        while True:
            pages += 1
            self.assertEqual(bundle["total"], 6)
            page = self.entries(bundle)
            self.assertLessEqual(len(page), 2)
            seen += [resource["id"] for resource in page]
            for entry in bundle["entry"]:
                self.assertIn("/Observation/", entry["fullUrl"])
            links = {link["relation"]: link["url"] for link in bundle["link"]}
            self.assertIn("self", links)
            if "next" not in links or pages > 10:
                break
            url = urllib.parse.urljoin(self.server.url + "/fhir/", links["next"])
            bundle = self.get(url).json
        self.assertEqual((len(seen), len(set(seen)), pages), (6, 6, 3))

    def outcome(self, answer, status):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.json["resourceType"], "OperationOutcome")
        self.assertIn(answer.json["issue"][0]["severity"], ("error", "fatal"))
        self.assertTrue(answer.json["issue"][0]["code"])

    def test_what_is_long_comes_as_gzip_where_that_is_taken(self):
        path = "Observation?_count=50"
        plain = self.get(path)
        packed = self.get(path, **{"Accept-Encoding": "gzip, deflate"})
        self.assertEqual((packed.status, packed.headers["Content-Encoding"]), (200, "gzip"))
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertLess(len(packed.body), len(plain.body))
        self.assertNotIn("Content-Encoding", plain.headers)
        document = http("GET", self.server.url + "/fhir/metadata", {"Accept-Encoding": "gzip"})
        self.assertEqual(json.loads(gzip.decompress(document.body))["resourceType"], "CapabilityStatement")

    def test_refusals(self):
        for token in ("", "wrong"):
            self.outcome(self.get("Observation/fixed-0", token or "x"), 401)
        self.outcome(http("GET", self.server.url + "/fhir/Observation"), 401)
        device = self.devices[0].bearer(self.server)
        self.outcome(self.get("Observation/fixed-0", device), 403)
        self.outcome(self.get("Observation", device), 403)
        self.outcome(self.get(f"Patient/{self.devices[0].participant}", device), 403)
        self.outcome(self.get("Observation/" + new_id()), 404)
        self.outcome(self.get("Observation/fixed-0/_history/999"), 404)
        self.outcome(self.get("NoSuchType"), 404)
        self.outcome(self.get("NoSuchType/1"), 404)
        for query in ("no-such-parameter=1", "date=yesterday", "_count=x", "_count=-1", "date=zz2026", "subject=no%20one"):
            answer = self.get("Observation?" + query, Prefer="handling=strict")
            self.outcome(answer, 400)
        for query in ("code=%27;DROP%20TABLE%20record;--", "_id=%27%20OR%201=1--", "identifier=%25", "subject=Patient/%27"):
            answer = self.get("Observation?" + query)
            self.assertIn(answer.status, (200, 400))
            if answer.status == 200:
                self.assertEqual(answer.json["total"], 0, query)
        self.assertEqual(self.search("Observation")["total"], 12)

    def test_every_read_is_in_the_audit(self):
        before = self.study.number("SELECT count(*) FROM audit")
        self.get("Observation/fixed-1")
        self.assertEqual(self.get("Observation/fixed-1", self.devices[0].bearer(self.server)).status, 403)
        self.search("Observation")
        rows = self.study.sql("SELECT role, action, resource_type, resource_id, allowed FROM audit ORDER BY number "
                              "LIMIT 1000000 OFFSET ?", before)
        reads = [row for row in rows if row[1] == "read-record"]
        self.assertEqual([(row[0], row[3], row[4]) for row in reads],
                         [("staff", "fixed-1", 1), ("device", "fixed-1", 0)])
        shown = tributary("audit", "list", self.study.dir, "--json").json
        self.assertEqual(shown[0]["action"], "search-records")
        self.assertTrue(shown[0]["participants"], "whom a search showed is in its row")

    def scoped(self, scope, *patients):
        named = [word for patient in patients for word in ("--patient", patient)]
        return tributary("token", "create", self.study.dir, "--scope", scope, *named).text.strip()

    def test_a_token_for_one_patient_sees_no_other(self):
        one, two = (device.participant for device in self.devices)
        token = self.scoped("patient/Observation.rs", one)
        self.assertEqual(self.get("Observation/fixed-0", token).status, 200)
        self.outcome(self.get("Observation/fixed-1", token), 404)
        self.outcome(self.get("Observation/fixed-1/_history", token), 404)
        self.outcome(self.get("Observation/fixed-1/_history/1", token), 404)
        self.assertEqual(self.get("Observation", token).json["total"], 6)
        self.assertEqual(self.get(f"Observation?subject={two}", token).json["total"], 0)
        self.outcome(self.get(f"Patient/{one}", token), 403)
        both = self.scoped("patient/Observation.rs", one, two)
        self.assertEqual(self.get("Observation", both).json["total"], 12)
        self.assertEqual(self.get("Observation", self.scoped("system/*.rs")).json["total"], 12)
        self.assertEqual(self.get("Observation", self.scoped("system/Observation.rs?code=8867-4")).json["total"], 12)
        self.assertEqual(self.get("Observation", self.scoped("system/Observation.rs?code=other")).json["total"], 0)
        self.outcome(self.get("Observation", self.scoped("system/Observation.r")), 403)
        # What the study publishes belongs to nobody.
        forms = self.scoped("patient/Questionnaire.rs", one)
        self.assertEqual(self.get("Questionnaire/" + VISIT["id"], forms).json["item"], VISIT["item"])
        self.assertIn(VISIT["id"], [entry["resource"]["id"] for entry in self.get("Questionnaire", forms).json["entry"]])
        self.outcome(self.get("Questionnaire", token), 403)
        rows = tributary("token", "list", self.study.dir, "--json").json
        ended = next(row["id"] for row in rows if row["scope"] == "patient/Observation.rs")
        tributary("token", "revoke", self.study.dir, ended)
        answers = [self.get("Observation", each).status for each in (token, both)]
        self.assertEqual(sorted(answers), [200, 401])

    def test_a_token_is_not_made_by_an_omission(self):
        for words, status in ((["--scope", "patient/*.rs"], 1), (["--scope", "anything"], 1), ([], 64),
                              (["--scope", "system/*.rs", "--role", "staff"], 64),
                              (["--scope", "system/*.rs", "--minutes", "0"], 64),
                              (["--scope", "system/*.rs", "--patient", "a b"], 64)):
            tributary("token", "create", self.study.dir, *words, status=status)

    def test_provenance_is_kept(self):
        row = self.study.sql("SELECT submission_id, client_id, key_id, received_at FROM record_history "
                             "WHERE type = 'Observation' AND id = 'fixed-1'")[0]
        self.assertEqual(row[1], self.clients[1].client)
        self.assertTrue(all(row))
        self.assertIsInstance(json.dumps(row), str)


if __name__ == "__main__":
    unittest.main()
