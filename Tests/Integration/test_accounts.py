"""Accounts, archive, results and teams by the command line: CMHealth's scenarios (cmhealth 1.8) without CareKit."""

import json
import unittest
import uuid

from accounts import PASSWORD, AccountStudy
from harness import ANTISPAM, Study, http, tributary, until

IMAGE = bytes([0xFF, 0xD8, 0xFF, 0xE0]) + b"image"
PDF = b"%PDF-1.7 document"


def registration(email, password=PASSWORD):
    """A task result with a registration step, nested."""
    def answer(item, **value):
        return {"_class": "ORKTextQuestionResult", "identifier": f"ORKRegistrationFormItem{item}"} | value

    step = {"_class": "ORKStepResult", "identifier": "registration", "results": [
        answer("Email", textAnswer=email), answer("Password", textAnswer=password),
        answer("GivenName", textAnswer="Ann"), answer("FamilyName", textAnswer="Ström"),
        answer("Gender", choiceAnswers=["female"]), answer("DOB", dateAnswer="1980-02-29T00:00:00+0000", timeZone=0)]}
    return {"_class": "ORKTaskResult", "identifier": "onboarding", "results": [{"_class": "ORKStepResult", "results": [step]}]}


def consent(name="Ann", consented=True):
    signature = {"_class": "ORKConsentSignatureResult", "identifier": "s", "consented": consented,
                 "signature": {"_class": "ORKConsentSignature", "givenName": name, "familyName": "Ström"}}
    return {"_class": "ORKTaskResult", "identifier": "consent", "taskRunUUID": str(uuid.uuid4()),
            "results": [{"_class": "ORKStepResult", "results": [signature]}]}


def result(answer, identifier="sleep", run=None):
    return {"_class": "ORKTaskResult", "identifier": identifier, "taskRunUUID": run or str(uuid.uuid4()),
            "startDate": "2026-11-29T08:00:00+0000",
            "results": [{"_class": "ORKStepResult", "results": [{"_class": "ORKScaleQuestionResult", "scaleAnswer": answer}]}]}


class Accounts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = AccountStudy()
        cls.addClassCleanup(cls.study.close)
        cls.server = cls.study.serve()

    def file(self, value, name="value"):
        path = self.study.root / f"{name}-{uuid.uuid4()}"
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    def test_a_nested_registration_signs_up_with_a_profile(self):
        ann = self.study.person(self.server, "reg@example.org", signs_up=False)
        shown = ann.run("sign-up", *ann.place, "--registration", self.file(registration("Reg@example.org")))
        self.assertEqual((shown["email"], shown["verified"], shown["groups"]), ("Reg@example.org", False, ["main"]))
        self.assertEqual(ann.run("profile"), {"givenName": "Ann", "familyName": "Ström", "gender": "female",
                                              "dateOfBirth": "1980-02-29"})
        self.assertEqual(ann.run("show"), shown)
        ann.run("verify", "--code", self.study.code("Reg@example.org"))
        self.assertTrue(ann.run("show")["verified"])
        without = self.study.person(self.server, "none@example.org", signs_up=False)
        done = without.run("sign-up", *without.place, "--registration", self.file(result(1)), status=1)
        self.assertIn("registration", done.errors)
        self.assertFalse(without.store.exists())

    def test_consents_are_uploaded_fetched_and_withdrawn(self):
        ann = self.study.person(self.server, "consent@example.org")
        self.assertEqual(ann.run("consent", "fetch"), {"consent": None})
        done = ann.run("consent", "upload", "--result", self.file(consent(consented=False)), "--signature",
                       self.file(IMAGE), status=1)
        self.assertIn("did not consent", done.errors)
        ann.run("consent", "upload", "--result", self.file(consent()), "--signature", self.file(IMAGE), "--document",
                self.file(PDF), "--descriptor", "sleep")
        self.assertEqual(ann.run("consent", "fetch"), {"consent": None})
        folder = self.study.root / "fetched"
        fetched = ann.run("consent", "fetch", "-o", folder, "--descriptor", "sleep")["consent"]
        self.assertEqual(fetched["descriptor"], "sleep")
        self.assertEqual({IMAGE, PDF} - {path.read_bytes() for path in folder.iterdir()}, set())
        self.assertEqual(ann.run("profile"), {"givenName": "Ann", "familyName": "Ström"})
        ann.run("consent", "withdraw", "--descriptor", "sleep")
        self.assertEqual(ann.run("consent", "fetch", "--descriptor", "sleep"), {"consent": None})

    def test_results_are_saved_found_and_updated(self):
        ann = self.study.person(self.server, "results@example.org")
        one, two = result(3), result(8, identifier="mood")
        saved = ann.run("result", "save", self.file(one), self.file(two))
        self.assertEqual([entry["status"] for entry in saved], ["created", "created"])
        changed = one | {"results": []}
        self.assertEqual(ann.run("result", "save", self.file(changed)),
                         [{"id": one["taskRunUUID"], "status": "updated"}])
        self.assertEqual(ann.run("result", "list"), [changed, two])
        self.assertEqual(ann.run("result", "list", "--descriptor", "unused"), [])
        self.assertEqual(ann.run("result", "list", "--identifier", "mood"), [two])
        self.assertEqual(ann.run("result", "list", "--where", "results.results.scaleAnswer ge 8.0"), [two])
        self.assertEqual(ann.run("result", "list", "--from", "2026-11-30"), [])

    def test_photo_profile_and_password(self):
        ann = self.study.person(self.server, "photo@example.org")
        ann.run("photo", "--set", self.file(IMAGE))
        copy = self.study.root / "photo.jpg"
        ann.run("photo", "-o", copy)
        self.assertEqual(copy.read_bytes(), IMAGE)
        ann.run("profile", "--set", self.file({"userInfo": {"a": [1]}}))
        self.assertEqual(ann.run("profile"), {"userInfo": {"a": [1]}})
        new = self.file(b"another horse battery\n")
        ann.run("password", "--password-file", self.study.password, "--new", new)
        self.assertIn("[credentials-wrong]", ann.login(status=1).errors)
        ann.login(password=new)
        ann.run("email", "--password-file", new, "--to", "photo2@example.org")
        self.assertEqual(ann.run("show")["email"], "photo2@example.org")
        ann.run("logout")
        self.assertIn("me login", ann.run("show", status=1).errors)
        self.assertEqual([path for path in ann.store.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()], [])

    def test_a_forgotten_password_is_reset_by_mail(self):
        ann = self.study.person(self.server, "forgot@example.org")
        ann.run("reset", *ann.place, "--email", "forgot@example.org")
        ann.run("reset", *ann.place, "--email", "nobody@example.org")
        code = self.study.code("forgot@example.org", count=2)
        new = self.file(b"another horse battery\n")
        ann.run("reset", *ann.place, "--code", code, "--password-file", new)
        ann.login(status=1)
        ann.login(password=new)

    def test_a_team_sees_its_patients_and_their_changes(self):
        study = self.study
        ann = study.person(self.server, "patient1@example.org", group="other")
        bob = study.person(self.server, "patient2@example.org", group="other")
        account = study.account("create", "--email", "dora@example.org")["account"]
        dora = study.person(self.server, "dora@example.org", signs_up=False)
        dora.run("reset", *dora.place, "--code", study.code("dora@example.org"), "--password-file", study.password)
        dora.login()
        self.assertIn("[no-grant]", dora.team("patients", status=1).errors)
        grant = study.account("grant", "--account", account, "--role", "care-team", "--group", "other")["grant"]
        self.assertEqual({entry["patient"] for entry in dora.team("patients")}, {ann.id, bob.id})
        pulled = dora.team("pull")
        self.assertEqual(set(pulled["entered"]), {ann.id, bob.id})
        self.assertEqual(dora.team("pull"), {"entered": [], "changed": [], "left": [], "failed": []})
        ann.run("photo", "--set", self.file(IMAGE))
        bob.run("sharing", "off")
        self.assertEqual(dora.team("pull"), {"entered": [], "changed": [ann.id], "left": [bob.id], "failed": []})
        access = ann.run("access")
        self.assertEqual([(entry["account"], entry["role"]) for entry in access["mayRead"]], [(account, "care-team")])
        self.assertIn("list", {entry["what"] for entry in access["read"]})
        [listed] = study.account("list", "--account", account)
        self.assertEqual([entry["grant"] for entry in listed["grants"]], [grant])
        study.account("revoke", grant)
        # The phone of a former member removes what it has.
        self.assertEqual(dora.team("pull"), {"entered": [], "changed": [], "left": [ann.id], "failed": []})
        self.assertIn("[no-grant]", dora.team("patients", status=1).errors)

    def test_a_deleted_account_is_in_no_file_but_its_id(self):
        study = self.study
        ann = study.person(self.server, "Planted-Name@example.org")
        ann.run("profile", "--set", self.file({"givenName": "Plantedgiven"}))
        ann.run("consent", "upload", "--result", self.file(consent(name="Plantedsign")), "--signature",
                self.file(IMAGE + b"plantedimage"))
        study.code(ann.email)
        tributary("link", "create", study.dir, "--record", ann.id)
        self.assertIn(ann.id, {link["record"] for link in tributary("link", "list", study.dir, "--json").json})
        ann.run("delete", "--password-file", study.password)
        planted = [b"Plantedgiven", b"Plantedsign", b"plantedimage", b"lanted-Name@", b"lanted-name@"]

        def found():
            return [(word, path) for path in study.dir.rglob("*") if path.is_file()
                    for word in planted if word in path.read_bytes()]

        until(lambda: not found(), "the account is deleted", seconds=60)
        others = [path for path in study.dir.rglob("*") if path.is_file() and ann.id.encode() in path.read_bytes()
                  and "people.sqlite" not in path.name]
        self.assertEqual(others, [])
        self.assertNotIn("lanted", self.server.log)
        ann.login(status=1)

    def test_nothing_of_accounts_is_in_the_research_side_or_in_the_log(self):
        study = self.study
        ann = study.person(self.server, "Separate@example.org")
        ann.run("result", "save", self.file(result(5)))
        sides = [study.dir / "queue", study.dir / "data" / "records.sqlite", study.dir / "data" / "records.sqlite-wal"]
        files = [path for side in sides for path in ([side] if side.is_file() else side.rglob("*")) if path.is_file()]
        self.assertTrue(files)
        for path in files:
            content = path.read_bytes()
            for word in (b"eparate@", ann.id.encode()):
                self.assertNotIn(word, content, path)
        self.assertNotIn("eparate@", self.server.log)

    def test_a_study_without_accounts_has_no_routes_and_no_file(self):
        study = Study()
        self.addCleanup(study.close)
        server = study.serve()
        for path in ("accounts", "sessions", "patients", "me"):
            method = "POST" if path in ("accounts", "sessions") else "GET"
            self.assertEqual(http(method, f"{server.url}/v1/{path}", {"Antispam": ANTISPAM}, b"{}").status, 404)
        self.assertFalse((study.dir / "data" / "people.sqlite").exists())


if __name__ == "__main__":
    unittest.main()
