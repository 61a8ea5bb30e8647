"""A study through three versions of its consent, with phones that signed each; the text is what counts."""

import json
import unittest

from harness import CONSENT_ANSWERS, SpineTest, contract_file

STATUS, CHANGE, DIGEST = (f"urn:tributary:consent-{name}" for name in ("status", "change", "digest"))


def version(number, status=None, change=None, words=None):
    """The example's Contract as a version of its own."""
    contract = json.loads(contract_file().read_text())
    contract["version"] = number
    contract["term"][0]["text"] = words or f"Words of version {number}."
    added = [{"url": url, "valueCode": code} for url, code in ((STATUS, status), (CHANGE, change)) if code]
    contract["extension"] = contract.get("extension", []) + added
    return contract


class Versions(SpineTest):
    def publish(self, **versions):
        for file in (self.study.dir / "consent").iterdir():
            file.unlink()
        for name, contract in versions.items():
            (self.study.dir / "consent" / f"{name}.json").write_text(json.dumps(contract))

    def phone(self, contract=None):
        """A phone that signs what it has, else what the study serves."""
        phone = self.study.device(self.server)
        if contract:
            phone.consent(contract=phone.write(contract))
        else:
            self.sign(phone)
        return phone

    def sign(self, phone):
        signed = phone.run("consent", "--answers", CONSENT_ANSWERS, "--name", "Pat Tester").json
        self.assertEqual(signed["participant"], phone.participant or signed["participant"])

    def served(self):
        answer = self.server.request("GET", "/study/consent", {}, None)
        self.assertEqual(answer.status, 200)
        return [entry["resource"] for entry in answer.json["entry"]]

    def sent(self, phone):
        phone.send()
        return phone.settled()

    def reasons(self, phone):
        return sorted((row["status"], row.get("reason")) for row in self.sent(phone).values())

    def data(self, phone):
        phone.answer(self.study.dir / "questionnaires" / "mood-check.json",
                     CONSENT_ANSWERS.with_name("mood-check-1.json"))

    def renewal(self, phone):
        return phone.run("renew").json["consent"]["renewal"]

    def test_three_versions_and_their_phones(self):
        one, two, three = version("1"), version("2", change="minor"), version("3", change="major")
        self.publish(one=one)
        first = self.phone(one)
        self.data(first)
        self.assertEqual([status for status, _ in self.reasons(first)], ["stored"] * 3)
        self.assertEqual(self.renewal(first), "none")

        # 1. A minor change: who signed the first stays, and can be told; phones may sign both.
        self.publish(one={**one, "extension": version("1", "accepted")["extension"]}, two=two)
        second, late = self.phone(two), self.phone(one)
        for phone in (first, second, late):
            self.data(phone)
            self.assertEqual({status for status, _ in self.reasons(phone)}, {"stored"})
        self.assertEqual([self.renewal(phone) for phone in (first, second, late)], ["told", "none", "told"])

        # 2. A major one: the first can be signed no more, the second can, and both groups sign again.
        self.publish(one=version("1", "retired"), two=version("2", "accepted", "minor"), three=three)
        for phone in (first, second, late):
            self.data(phone)
            self.assertIn(("held", "consent-renewal-required"), self.reasons(phone))
            self.assertEqual(self.renewal(phone), "required")
        retired = self.phone(one)
        self.assertIn(("held", "contract-retired"), self.reasons(retired))
        accepted = self.phone(two)
        self.assertEqual(self.reasons(accepted), [("held", "consent-renewal-required"), ("stored", None)])

        # 3. Signed anew, from what the study serves, all that was held is stored.
        for phone in (first, second, late, accepted):
            self.sign(phone)
            self.assertEqual({status for status, _ in self.reasons(phone)}, {"stored"}, self.reasons(phone))
            self.assertEqual(self.renewal(phone), "none")
        self.assertEqual([contract["version"] for contract in self.served()], ["3", "2"])

    def test_the_full_text_beside_the_contract_is_part_of_it(self):
        contract = version("1")
        contract["term"][0]["extension"] = [{
            "url": "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection",
            "extension": [{"url": "htmlContentFile", "valueString": "overview"}]}]
        self.publish(one=contract)
        text = self.study.dir / "consent" / "overview.html"
        text.write_text("<p>All that there is to know.</p>")
        self.assertEqual({status for status, _ in self.reasons(self.phone())}, {"stored"})
        self.assertIn("All that there is to know", json.dumps(self.served()))
        # Beside another text of the same name.
        beside = self.study.device(self.server)
        path = beside.write(contract)
        (path.parent / "overview.html").write_text("<p>Something else.</p>")
        beside.run("consent", "--contract", path, "--answers", CONSENT_ANSWERS, "--name", "Pat Tester")
        self.assertNotIn("stored", {status for status, _ in self.reasons(beside)})


if __name__ == "__main__":
    unittest.main()
