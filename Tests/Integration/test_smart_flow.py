"""An app is let in by a person, through the pages and by other people's programs, and sees what was ticked and nobody else."""

import json
import secrets
import stat
import unittest

import smart
from forms import observation
from harness import SpineTest, Study, tributary
from smart import REDIRECT, Browser, Form, Programs, sent_back

READ = "launch/patient openid fhirUser patient/*.rs offline_access sens/*"


class Flow(SpineTest):
    """Two patients, an account of one of them, a practitioner and one of the study team."""

    @classmethod
    def make_study(cls):
        return Study(change=cls.change)

    @staticmethod
    def change(value):
        fast = {"perSecond": 1_000_000, "burst": 1_000_000}
        names = ("sign-in-by-account", "sign-in-by-account-overall", "sign-in-by-address", "unauthenticated-by-address", "token-by-address")
        value.setdefault("limits", {})["rates"] = {name: fast for name in names}
        value["identifiedRecords"] = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        writer = tributary("token", "create", cls.study.dir, "--scope", "user/*.cruds conf/V sens/*").text.strip()
        for patient in ("anna", "bert"):
            cls.write(writer, "Patient", {"resourceType": "Patient", "id": patient})
            for number, labels in enumerate(([], [("v3-ActCode", "HIV")], [("v3-Confidentiality", "R")])):
                made = {**observation(patient, 60 + number), "id": f"{patient}-{number}"}
                if labels:
                    made["meta"] = {"security": [{"system": "http://terminology.hl7.org/CodeSystem/" + system, "code": code}
                                                 for system, code in labels]}
                cls.write(writer, "Observation", made)
        smart.person(cls.study, "anna", "participant", "--patient", "anna")
        smart.person(cls.study, "dora", "practitioner", "--practitioner", "d1")
        cls.app = smart.client(cls.study, READ + " user/*.rs conf/R", "--public")["client_id"]

    @classmethod
    def write(cls, token, kind, resource):
        answer = cls.server.request("PUT", f"/fhir/{kind}/{resource['id']}", {"Authorization": "Bearer " + token}, resource)
        assert answer.status in (200, 201), answer

    def ask(self, token, path):
        return self.server.request("GET", "/fhir/" + path, {"Authorization": "Bearer " + token})

    def tokens(self, scope, username="anna", browser=None, **decision):
        verifier, challenged = smart.challenge()
        sent = (browser or Browser(self.server.url)).code(
            smart.request(self.server, self.app, scope, challenged), username, **decision)
        self.assertEqual(sent["state"], "s-1")
        return smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=sent["code"],
                          redirect_uri=REDIRECT, code_verifier=verifier, client_id=self.app)

    def ids(self, token):
        answer = self.ask(token, "Observation?_count=50")
        self.assertEqual(answer.status, 200)
        return sorted(entry["resource"]["id"] for entry in answer.json.get("entry", []))

    def test_a_participant_s_app_sees_them_alone_whatever_it_asks_for(self):
        for scope in ("patient/*.rs", "user/*.rs", "patient/Observation.read user/*.rs"):
            answer = self.tokens(scope)
            self.assertEqual((answer.status, answer.headers["Cache-Control"]), (200, "no-store"))
            self.assertEqual(answer.json["scope"], scope)
            token = answer.json["access_token"]
            self.assertEqual(self.ids(token), ["anna-0"])
            self.assertEqual(self.ask(token, "Observation/bert-0").status, 404)
            self.assertEqual(self.ask(token, "Observation?patient=bert").json["total"], 0)
            self.assertEqual(self.ask(token, "Observation/anna-1").status, 404)

    def test_what_is_sensitive_is_shown_where_it_was_ticked(self):
        scope = "patient/*.rs sens/* conf/R"
        _, challenged = smart.challenge()
        browser = Browser(self.server.url)
        page = browser.sign_in(browser.go(smart.request(self.server, self.app, scope, challenged)), "anna")
        self.assertEqual(Form(page.body.decode()).boxes, {"patient/*.rs": True, "sens/*": False, "conf/R": False})
        for ticked, seen in ((["patient/*.rs", "sens/*"], ["anna-0", "anna-1"]),
                             (["patient/*.rs", "conf/R"], ["anna-0", "anna-2"]),
                             (["patient/*.rs", "sens/*", "conf/R"], ["anna-0", "anna-1", "anna-2"])):
            self.assertEqual(self.ids(self.tokens(scope, browser=browser, ticked=ticked).json["access_token"]), seen)

    def test_a_practitioner_chooses_one_of_the_patients_that_there_are(self):
        browser = Browser(self.server.url)
        answer = self.tokens("launch/patient patient/*.rs", "dora", browser, patient="bert")
        self.assertEqual(answer.json["patient"], "bert")
        self.assertEqual(self.ids(answer.json["access_token"]), ["bert-0"])
        _, challenged = smart.challenge()
        page = browser.go(smart.request(self.server, self.app, "patient/*.rs", challenged))
        self.assertIn("patient", Form(page.body.decode()).names)
        self.assertEqual(browser.decide(page, patient="nobody").status, 400)
        self.assertEqual(sent_back(browser.decide(page, "deny"))["error"], "access_denied")

    def test_what_was_given_ends_at_once(self):
        app = smart.client(self.study, "patient/*.rs", "--public")["client_id"]
        made = tributary("person", "create", self.study.dir, "--username", "bert", "--role", "participant", "--patient",
                         "bert", "--json").json
        self.assertEqual(set(made), {"username", "password"})
        tokens = []
        for _ in range(2):
            verifier, challenged = smart.challenge()
            browser = Browser(self.server.url)
            page = browser.sign_in(browser.go(smart.request(self.server, app, "patient/*.rs", challenged)), "bert",
                                   made["password"])
            sent = sent_back(browser.decide(page))
            given = smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=sent["code"],
                               redirect_uri=REDIRECT, code_verifier=verifier, client_id=app).json
            self.assertEqual(self.ask(given["access_token"], "Observation").status, 200)
            tokens.append(given["access_token"])
            changed = tributary("person", "password", self.study.dir, "bert", "--json").json
            self.assertEqual(self.ask(tokens[-1], "Observation").status, 401)
            made = changed
        tributary("person", "disable", self.study.dir, "bert")
        page = browser.sign_in(browser.go(smart.request(self.server, app, "patient/*.rs", challenged)), "bert",
                               made["password"])
        self.assertEqual(page.status, 403)
        listed = {row["username"]: row for row in tributary("person", "list", self.study.dir, "--json").json}
        self.assertTrue(listed["bert"]["disabled"] and not listed["anna"]["disabled"])
        token = self.tokens("patient/*.rs").json["access_token"]
        other = smart.client(self.study, "patient/*.rs", "--public")["client_id"]
        tributary("client", "revoke", self.study.dir, other)
        self.assertEqual(self.ask(token, "Observation").status, 200)
        _, challenged = smart.challenge()
        refused = Browser(self.server.url).go(smart.request(self.server, other, "patient/*.rs", challenged))
        self.assertEqual((refused.status, "Location" in refused.headers), (400, False))

    def test_nothing_secret_is_stored_logged_or_open_to_others(self):
        answer = self.tokens("patient/*.rs openid offline_access").json
        folder = self.study.dir / "signing-keys"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        keys = list(folder.iterdir())
        self.assertEqual([stat.S_IMODE(key.stat().st_mode) for key in keys], [0o600])
        self.assertIn("signing-keys/", (self.study.dir / ".gitignore").read_text())
        planted = [answer["access_token"], answer["refresh_token"], answer["id_token"], smart.PASSWORD]
        stored = "".join(json.dumps(self.study.sql(f"SELECT * FROM {table}"), default=str) for table in (
            "access_authorization", "bearer_token", "refresh_token", "authorization_code", "user_account", "user_session",
            "audit"))
        for secret in planted:
            self.assertNotIn(secret, stored)
            self.assertNotIn(secret, self.server.log)

    def test_links_and_roles_are_as_they_are_configured(self):
        server = self.study.serve("--roles", "records,authorization", "--public-url", "https://study.example/base/")
        try:
            for path in ("/fhir/.well-known/smart-configuration", "/.well-known/openid-configuration"):
                found = server.request("GET", path, {"Host": "attacker.example"})
                self.assertEqual(found.json["issuer"], "https://study.example/base")
                self.assertEqual(found.json["token_endpoint"], "https://study.example/base/oauth2/token")
                self.assertNotIn(b"attacker", found.body)
        finally:
            server.stop()
        server = self.study.serve("--roles", "records")
        try:
            self.assertEqual(server.request("GET", "/.well-known/openid-configuration").status, 404)
            self.assertEqual(server.request("POST", "/oauth2/token", body="").status, 404)
        finally:
            server.stop()
        for url in ("ftp://x.example", "https://user@x.example", "https://x.example/?a", "x.example"):
            refused = tributary("serve", self.study.dir, "--port", "0", "--public-url", url, status=None)
            self.assertNotEqual(refused.status, 0)
            self.assertIn("public-url-invalid", refused.errors)
        found = self.server.request("GET", "/fhir/.well-known/smart-configuration").json
        self.assertEqual(found["issuer"], self.server.url)

    def test_commands_refuse_what_is_no_client_and_no_person(self):
        study = self.study.dir
        for arguments, code in (
                (["client", "create", study, "--name", "x", "--public", "--scope", "patient/*.rs"], "redirect-uri-missing"),
                (["client", "create", study, "--name", "x", "--public", "--redirect-uri", "javascript:alert(1)", "--scope",
                  "patient/*.rs"], "redirect-uri-invalid"),
                (["client", "create", study, "--name", "x", "--public", "--redirect-uri", REDIRECT, "--scope",
                  "patient/*.sr"], "scope-unknown"),
                (["client", "revoke", study, "nobody"], "client-unknown"),
                (["person", "create", study, "--username", "x", "--role", "participant"], "account-invalid"),
                (["person", "create", study, "--username", "anna", "--role", "staff"], "username-taken"),
                (["person", "create", study, "--username", "a b", "--role", "staff"], "username-invalid"),
                (["person", "password", study, "nobody"], "account-unknown")):
            refused = tributary(*arguments, status=None)
            self.assertEqual((refused.status, f"[{code}]" in refused.errors), (1, True), refused)
        short = tributary("person", "create", study, "--username", "x", "--role", "staff", "--password-file", "-",
                          stdin=b"short\n", status=None)
        self.assertIn("[password-invalid]", short.errors)

    def test_authlib_gets_refreshes_and_ends_tokens(self):
        programs = Programs()
        self.addCleanup(programs.close)
        if not programs.python:
            self.skipTest("authlib cannot be installed from PyPI")
        url, verifier = self.server.url, secrets.token_urlsafe(32)
        given = {"client": self.app, "redirect": REDIRECT, "scope": READ, "verifier": verifier, "fhir": url + "/fhir",
                 "authorize_url": url + "/oauth2/authorize", "token_url": url + "/oauth2/token", "method": "none",
                 "revoke_url": url + "/oauth2/revoke", "openid": url + "/.well-known/openid-configuration",
                 "read": url + "/fhir/Observation/anna-0"}
        begun = programs.run("begin", **given)
        sent = Browser(url).code(begun["url"], "anna")
        ended = programs.run("end", sent=sent, state=begun["state"], **given)
        self.assertEqual((ended["read"], ended["again"], ended["after"]), (200, 200, 401))
        claims = ended["claims"]
        self.assertEqual((claims["iss"], claims["aud"], claims["nonce"]), (url, self.app, "n-1"))
        self.assertEqual(claims["fhirUser"], url + "/fhir/Patient/anna")
        self.assertEqual(ended["issuer"], url)
        self.assertEqual(ended["token"]["patient"], "anna")
        self.assertNotEqual(ended["token"]["refresh_token"], ended["refreshed"]["refresh_token"])


if __name__ == "__main__":
    unittest.main()
