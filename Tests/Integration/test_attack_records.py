"""Attack rows F03 and F06: whoever reaches one patient tries, request by request, to be told something of another one's records, or
of labelled ones; and uses pages and exported files that are not theirs."""

import unittest
import urllib.parse

import fhirblocks
from exporting_client import Export
from forms import observation
from harness import http, tributary
from writing import Writing, bundle, entry

CONFIDENTIALITY = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
RESTRICTED = {"meta": {"security": [{"system": CONFIDENTIALITY, "code": "R"}]}}
SECRET = 173  # what is guessed at, of another one and of one's own labelled record


class Probing(Writing):
    @classmethod
    def change(cls, value):
        Writing.change(value)
        value["identifiedRecords"] = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()

        def condition(name, patient, code, **more):
            return {"resourceType": "Condition", "id": name, "subject": {"reference": f"Patient/{patient}"},
                    "code": {"coding": [{"system": "urn:c", "code": code}]}, "evidence": [{"detail": [
                        {"reference": f"Observation/o-{patient}"}]}], **more}

        performer = {"performer": [{"reference": "Practitioner/shared"}]}
        made = [{"resourceType": "Practitioner", "id": "shared", "name": [{"family": "Shared"}]}]
        for patient, family in (("mine", "Ash"), ("theirs", "Birch")):
            made += [{"resourceType": "Patient", "id": patient, "name": [{"family": family}], "birthDate": "1980-01-01",
                      "generalPractitioner": [{"reference": "Practitioner/shared"}]},
                     {**observation(patient, SECRET if patient == "theirs" else 60), "id": f"o-{patient}", **performer},
                     condition(f"c-{patient}", patient, "secret" if patient == "theirs" else "known")]
        made += [{**observation("mine", SECRET), "id": "o-labelled", **performer, **RESTRICTED,
                  "hasMember": [{"reference": "Observation/o-mine"}]},
                 condition("c-labelled", "mine", "labelled", **RESTRICTED),
                 # One's own record that refers to what is hidden.
                 {**observation("mine", 61), "id": "o-pointing", **performer, "hasMember": [
                     {"reference": "Observation/o-theirs"}, {"reference": "Observation/o-labelled"}]},
                 {"resourceType": "Encounter", "id": "both", "status": "finished", "subject": {"reference": "Patient/theirs"},
                  "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"},
                  "participant": [{"individual": {"reference": "Practitioner/shared"}}]}]
        answer = http("POST", cls.server.url + "/fhir", {"Authorization": "Bearer " + cls.writer,
                                                         "Content-Type": "application/fhir+json"},
                      bundle("transaction", *[entry("PUT", f"{one['resourceType']}/{one['id']}", one) for one in made]))
        assert answer.status == 200, answer
        cls.own = cls.token("patient/*.rs", "mine")

    def found(self, path, token=None):
        """What a search answers: the total, and the ids of all that comes."""
        answer = self.ask("GET", path, token=token or self.own)
        self.assertEqual(answer.status, 200, answer)
        # What of a search was ignored is said in an entry of its own.
        rows = [row for row in answer.json.get("entry", []) if row["search"]["mode"] != "outcome"]
        return answer.json.get("total"), sorted(row["resource"]["id"] for row in rows)

    def test_F03_what_comes_along_is_never_hidden(self):
        mine = {"mine", "o-mine", "o-pointing", "c-mine", "shared"}
        for path in ("Observation?_include=Observation:has-member", "Observation?_include=*", "Observation?_include:iterate=*",
                     "Observation?_include=Observation:has-member&_include:iterate=Observation:subject",
                     "Observation?_include=Observation:has-member:Observation", "Patient?_revinclude=*",
                     "Patient?_revinclude=Observation:subject&_revinclude:iterate=Observation:has-member",
                     "Practitioner?_revinclude=Observation:performer", "Practitioner?_revinclude=Encounter:practitioner",
                     "Practitioner?_revinclude=Patient:general-practitioner&_revinclude:iterate=*",
                     "Practitioner?_revinclude=Patient:general-practitioner&_revinclude:iterate=Condition:subject",
                     "Patient/mine/$everything", "Patient/mine/*", "Observation?_id=o-pointing&_include=*&_revinclude=*"):
            _, ids = self.found(path)
            self.assertLessEqual(set(ids), mine, path)
            self.assertTrue(ids, path)

    def test_F03_no_question_is_answered_bit_by_bit(self):
        """Each question is asked with what is there and with what is not; an attacker sees no difference."""
        theirs = "Patient/theirs"
        for question, right, wrong in (
                ("Patient?_has:Condition:patient:code={}", "secret", "other"),
                ("Patient?_has:Condition:patient:code={}", "labelled", "other"),
                ("Practitioner?_has:Patient:general-practitioner:name={}", "Bir", "Bix"),
                ("Practitioner?_has:Patient:general-practitioner:_has:Condition:patient:code={}", "secret", "other"),
                ("Practitioner?_has:Observation:performer:patient={}", theirs, "Patient/nobody"),
                ("Practitioner?_has:Observation:performer:patient.name={}", "Birch", "Bix"),
                ("Practitioner?_has:Observation:performer:code-value-quantity={}", f"8867-4${SECRET}", "8867-4$174"),
                ("Practitioner?_has:Encounter:practitioner:subject={}", theirs, "Patient/nobody"),
                ("Observation?has-member.value-quantity={}", SECRET, 174), ("Observation?has-member.subject={}", theirs, "Patient/nobody"),
                ("Observation?has-member:Observation._id={}", "o-theirs", "o-nothing"),
                ("Observation?has-member:Observation._id={}", "o-labelled", "o-nothing"),
                ("Observation?has-member:Observation._security={}", "R", "V"),
                ("Observation?code-value-quantity={}", f"8867-4${SECRET}", "8867-4$174"),
                ("Observation?combo-code-value-quantity={}", f"8867-4$gt{SECRET - 1}", "8867-4$gt174"),
                ("Observation?_security={}", "R", "V"), ("Observation?_id={}", "o-labelled", "o-nothing"),
                ("Condition?code={}", "labelled", "other"), ("Condition?evidence-detail.subject={}", theirs, "Patient/nobody"),
                ("Condition?patient.name={}", "Birch", "Bix"), ("Patient?name={}", "Birch", "Bix"),
                ("Patient?_id={}&_summary=count", "theirs", "nobody"), ("Patient/theirs/Observation?value-quantity={}", SECRET, 174),
                ("Observation?patient:missing=false&patient={}", "theirs", "nobody")):
            answers = [self.found(question.format(urllib.parse.quote(str(value)))) for value in (right, wrong)]
            self.assertEqual(answers[0], answers[1], question)
            # The question is one: to whom nothing is hidden it is answered otherwise.
            whole = [self.ask("GET", question.format(urllib.parse.quote(str(value)))).json.get("total") for value in (right, wrong)]
            self.assertNotEqual(whole[0], whole[1], question)

    def test_F03_a_number_is_not_found_by_halves(self):
        """Whoever sees all finds the number in nine questions; whoever does not is answered the same to each."""
        def guess(token):
            low, high, seen = 0, 512, set()
            while high - low > 1:
                middle = (low + high) // 2
                path = f"Practitioner?_has:Observation:performer:value-quantity=ge{middle}"
                answer = self.ask("GET", path + "&_has:Observation:performer:patient.name=" + ("Birch" if token is None else "Ash"),
                                  token=token)
                seen.add((middle > 61, answer.json["total"]))
                low, high = (middle, high) if answer.json["total"] else (low, middle)
            return low, seen

        self.assertEqual(guess(None)[0], SECRET)
        number, seen = guess(self.own)
        self.assertEqual((number, seen), (61, {(True, 0), (False, 1)}), "the greatest of one's own that shows")

    def test_F03_orders_totals_and_filters_know_only_what_is_seen(self):
        for order in ("value-quantity", "-value-quantity", "subject", "-date"):
            self.assertEqual(self.found(f"Observation?_sort={order}&_total=accurate"), (2, ["o-mine", "o-pointing"]), order)
        self.assertEqual(self.found("Observation?_count=1&_total=accurate")[0], 2)
        # What is not understood filters nothing, and tells nothing either.
        self.assertEqual(self.found('Observation?_filter=value-quantity gt 100'.replace(" ", "%20"))[0], 2)
        answer = self.ask("GET", "Observation?_filter=x", token=self.own, Prefer="handling=strict")
        self.refused(answer, 400, "parameter-unknown")

    # F06

    def next_of(self, token, path="Observation?_count=1"):
        answer = self.ask("GET", path, token=token)
        return next(link["url"] for link in answer.json["link"] if link["relation"] == "next")

    def test_F06_a_page_s_link_of_another_shows_nothing_of_theirs(self):
        theirs = self.token("patient/*.rs", "theirs")
        for path in ("Observation?_count=1", "Observation?_count=1&_sort=-value-quantity", "_history?_count=1", "Patient/mine/$everything?_count=1",
                     "Observation/_history?_count=1"):
            answer = self.ask("GET", self.next_of(self.own, path), token=theirs)
            self.assertIn(answer.status, (200, 400, 403, 404), path)
            if answer.status == 200:
                self.assertTrue(all("mine" not in str(row) for row in answer.json.get("entry", [])), answer)
        self.assertEqual(http("GET", self.next_of(self.own)).status, 401)

    def test_F06_a_cursor_that_was_changed_shows_nothing_hidden(self):
        for path in ("Observation?_count=1", "Observation?_count=1&_sort=-value-quantity"):
            url = self.next_of(self.own, path)
            start, _, cursor = url.partition("_cursor=")
            for place in range(len(cursor)):
                for mark in "0z.%":
                    changed = cursor[:place] + (mark if mark != "%" else "%00") + cursor[place + 1:]
                    answer = self.ask("GET", start + "_cursor=" + changed, token=self.own)
                    self.assertIn(answer.status, (200, 400), answer)
                    if answer.status == 200:
                        ids = {row["resource"]["id"] for row in answer.json.get("entry", [])}
                        self.assertLessEqual(ids, {"o-mine", "o-pointing"})
            # It belongs to the search that it came with.
            other = self.ask("GET", "Condition?_count=1&_cursor=" + cursor, token=self.own)
            self.assertIn(other.status, (200, 400))
            self.assertNotIn(b"labelled", other.body)

    def ended(self, scope):
        """Revokes the token of a scope."""
        row = next(row for row in tributary("token", "list", self.study.dir, "--json").json if row["scope"] == scope)
        tributary("token", "revoke", self.study.dir, row["id"])

    def test_F06_a_page_s_link_is_dead_with_its_token(self):
        scope = "patient/Observation.rs patient/Device.r"
        token = self.token(scope, "mine")
        url = self.next_of(token)
        self.assertEqual(self.ask("GET", url, token=token).status, 200)
        self.ended(scope)
        self.refused(self.ask("GET", url, token=token), 401, "not-authenticated")

    def test_F06_an_exported_file_is_whose_it_is_while_their_token_lasts(self):
        scope = "patient/Observation.rs patient/Location.r"
        token, other = self.token(scope, "mine"), self.token("patient/*.rs", "theirs")
        export = Export(self.server, token, "$export?_type=Observation")
        url = export.done()["output"][0]["url"]
        self.assertEqual(len(export.lines(url)), 2)
        for path, asked in ((url, other), (export.status_url, other), (url + "x", token), (url.replace("$export/", "$export/0"), token),
                            (url.rsplit("/", 1)[0] + "/..%2F..%2Fstudy.json", token), (url.rsplit("/", 1)[0] + "/../../study.json", token)):
            self.assertEqual(export.request("GET", path, token=asked).status, 404, path)
        self.assertEqual(export.request("DELETE", export.status_url, token=other).status, 404)
        self.assertEqual(http("GET", url).status, 401)
        self.ended(scope)
        self.refused(export.request("GET", url), 401, "not-authenticated")
        self.refused(export.poll(), 401, "not-authenticated")


class ProbingByApps(Probing):
    """The same by apps, to which the patients gave permissions with their wallets."""

    @classmethod
    def setUpClass(cls):
        cls.wallets, cls.given = {}, {}
        super().setUpClass()

    @classmethod
    def token(cls, scope, *patients):
        if not patients:
            return super().token(scope)
        [patient] = patients
        if patient not in cls.wallets:
            cls.wallets[patient] = fhirblocks.wallet(cls.study, cls.server, patient)
        wallet = cls.wallets[patient]
        app = fhirblocks.Csi(cls.server, device=wallet.device).register()
        wallet.grant(app)
        cls.given[scope] = wallet, app
        return app.token(scope)

    def ended(self, scope):
        """Ends the permission on which the token of a scope rests."""
        wallet, app = self.given[scope]
        self.assertEqual(wallet.end(app).json, {"status": "ok", "revoked": 1})


if __name__ == "__main__":
    unittest.main()
