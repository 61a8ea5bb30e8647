"""Searches that go through references: chains, includes, orders, compartments, parts, and what a token for one patient
learns by them."""

import unittest
import urllib.parse

from forms import observation
from writing import Writing, identified, plain


class Searching(Writing):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one, cls.two = (cls.joined() for _ in range(2))
        cls.own = cls.token("patient/*.rs sens/*", cls.one)
        cls.finder = cls.token("patient/Observation.rs patient/Patient.s sens/*", cls.one)
        made = cls()
        cls.organization = made.made({"resourceType": "Organization", "name": "North Clinic"})
        cls.ward = made.made({"resourceType": "Organization", "name": "Ward", "partOf": {
            "reference": f"Organization/{cls.organization}"}})
        performed = {"performer": [{"reference": f"Organization/{cls.ward}"}]}
        cls.first = made.made(observation(cls.one, 61, when="2026-03-01T10:00:00Z", **identified("first"), **performed))
        cls.second = made.made(observation(cls.one, 64.5, when="2026-01-01T10:00:00Z", **identified("second"), **performed))
        cls.theirs = made.made(observation(cls.two, 62, when="2026-02-01T10:00:00Z", **identified("theirs"), **performed))
        cls.nobodys = made.made(plain(70, **identified("nobodys")))

    @classmethod
    def joined(cls):
        device = cls.study.device(cls.server)
        device.consent()
        device.send()
        assert {row["status"] for row in device.settled().values()} == {"stored"}
        return device.participant

    def found(self, path, token=None, **more):
        """The ids that a search finds, and those that come with them."""
        query = "&".join(f"{urllib.parse.quote(name.replace('__', ':'))}={urllib.parse.quote(str(value))}"
                         for name, value in more.items())
        answer = self.ask("GET", path + ("?" + query if query else ""), token=token)
        self.assertEqual(answer.status, 200, answer)
        entries = answer.json.get("entry", [])
        by = {mode: [entry["resource"]["id"] for entry in entries if entry["search"]["mode"] == mode]
              for mode in ("match", "include")}
        return by["match"], by["include"], answer.json

    def test_chains_and_reverse_chains(self):
        chain = self.found("Observation", **{"performer:Organization.partof.name": "north", "patient": self.one})
        self.assertEqual(chain[0], [self.first, self.second])
        reverse = self.found("Organization", **{"_has:Observation:performer:identifier": "theirs"})
        self.assertEqual(reverse[0], [self.ward])
        patients = self.found("Patient", **{"_has:Observation:patient:identifier": "first"})
        self.assertEqual(patients[0], [self.one])

    def test_what_comes_with_a_page_comes_once(self):
        match, include, answer = self.found(
            "Observation", identifier="first,second", _include="Observation:performer",
            **{"_include:iterate": "Organization:partof"})
        self.assertEqual((match, include, answer["total"]), ([self.first, self.second], [self.ward, self.organization], 2))
        match, include, _ = self.found("Organization", _id=self.ward, _revinclude="Observation:performer")
        self.assertEqual((match, include), ([self.ward], [self.first, self.second, self.theirs]))

    def test_pages_of_an_order_follow_each_other(self):
        ids = f"{self.first},{self.second},{self.theirs}"
        for order, expected in (("date", [self.second, self.theirs, self.first]),
                                ("-value-quantity", [self.second, self.theirs, self.first])):
            path, seen = f"Observation?_id={ids}&_sort={order}&_count=1&_total=none", []
            while path:
                answer = self.ask("GET", path)
                self.assertEqual(answer.status, 200, answer)
                self.assertNotIn("total", answer.json)
                seen += [entry["resource"]["id"] for entry in answer.json["entry"]]
                path = next((link["url"] for link in answer.json["link"] if link["relation"] == "next"), None)
            self.assertEqual(seen, expected)

    def test_compartments_and_all_types(self):
        self.assertEqual(self.found(f"Patient/{self.one}/Observation", identifier="first,theirs")[0], [self.first])
        everything = self.found(f"Patient/{self.one}/*", _type="Observation,Patient")[0]
        self.assertEqual(set(everything), {self.one, self.first, self.second})
        self.assertEqual(self.found("", _type="Organization,Observation", _id=f"{self.ward},{self.first}")[0],
                         [self.ward, self.first])
        form = self.ask("POST", "_search", b"_type=Organization&_id=" + self.ward.encode(),
                        content_type="application/x-www-form-urlencoded")
        self.assertEqual((form.status, form.json["total"]), (200, 1))
        self.refused(self.ask("GET", f"Patient/{self.one}/Organization"), 404, "compartment-unknown")

    def test_parts(self):
        part = self.ask("GET", f"Observation/{self.first}?_elements=identifier").json
        self.assertEqual(part["meta"]["tag"][-1]["code"], "SUBSETTED")
        self.assertIn("identifier", part)
        self.assertIn("status", part)
        self.assertNotIn("effectiveDateTime", part)
        self.assertNotIn("entry", self.found("Observation", _summary="count")[2])

    def test_who_reaches_one_patient_learns_nothing_of_others(self):
        for search in ({"_id": self.theirs}, {"patient": self.two}, {"subject:Patient._id": self.two},
                       {"performer:Organization._has:Observation:performer:identifier": "theirs"}):
            self.assertEqual(self.found("Observation", self.own, **search)[2]["total"], 0, search)
        match, include, answer = self.found("Organization", self.own, _id=self.ward, _revinclude="Observation:performer")
        self.assertEqual((match, include, answer["total"]), ([self.ward], [self.first, self.second], 1))
        self.assertEqual(self.found("Patient", self.own, **{"_has:Observation:patient:identifier": "theirs"})[0], [])
        self.assertEqual(self.found(f"Patient/{self.two}/*", self.own)[2]["total"], 0)
        # Who may find a Patient, and not read it, is not brought it.
        match, include, _ = self.found("Observation", self.finder, identifier="first", _include="Observation:subject")
        self.assertEqual((match, include), ([self.first], []))

    def test_what_cannot_be_answered_is_refused(self):
        for path, code in (("Observation?code:in=urn:unknown", "terminology-unknown"), ("Observation?_sort=identifier", "sort-unsupported"),
                           ("Observation?code.name=x", "chain-invalid"), ("Observation?_include=Nothing:x", "parameter-invalid"),
                           ("Observation?_count=x", "parameter-invalid"), ("Observation?code=%ZZ", "parameter-invalid"),
                           ("Observation?code=%FF", "parameter-invalid"), ("Observation?code=a%00", "address-invalid"),
                           ("Observation?_cursor=zz", "parameter-invalid"), ("Observation?code:nonsense=x", "modifier-unknown"),
                           ("Observation?" + "has-member." * 9 + "code=x", "too-costly")):
            self.refused(self.ask("GET", path), 400, code)
        lenient = self.ask("GET", "Observation?_filter=x&identifier=first")
        self.assertEqual((lenient.status, lenient.json["total"]), (200, 1))
        self.assertNotIn("_filter", lenient.json["link"][0]["url"])
        self.refused(self.ask("GET", "Observation?_filter=x", Prefer="handling=strict"), 400, "parameter-unknown")


if __name__ == "__main__":
    unittest.main()
