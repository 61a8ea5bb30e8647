"""Programs that act on their own: SMART Backend Services by Authlib, with keys in a file and at an address."""

import http.server
import json
import threading
import unittest

import smart
from harness import SpineTest, Study, tributary
from smart import Programs


class Keys:
    """Serves a JWK set on this machine, or sends elsewhere."""

    def __init__(self, jwks, status=200, location=None):
        outer = self
        self.asked, self.jwks = 0, jwks

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Cache-Control", "max-age=600")
                self.end_headers()
                self.wfile.write(json.dumps(outer.jwks).encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks.json"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Services(SpineTest):
    @classmethod
    def make_study(cls):
        return Study(change=lambda value: value.update(identifiedRecords=True))

    @classmethod
    def setUpClass(cls):
        cls.programs = Programs()
        cls.addClassCleanup(cls.programs.close)
        if not cls.programs.python:
            raise unittest.SkipTest("authlib cannot be installed from PyPI")
        super().setUpClass()
        cls.token_url = cls.server.url + "/oauth2/token"
        cls.keys = cls.programs.run("keys")
        cls.file = cls.study.root / "keys.json"
        cls.file.write_text(json.dumps(cls.keys["jwks"]))

    def client(self, *proof, scope="system/*.rs"):
        return smart.client(self.study, scope, *proof, redirect=None, name="Hospital")["client_id"]

    def ask(self, client, algorithm="ES384", lifetime=300, scope="system/Patient.rs", token_url=None):
        return self.programs.run("service", client=client, key=self.keys["private"][algorithm], algorithm=algorithm,
                                 token_url=token_url or self.token_url, scope=scope, lifetime=lifetime,
                                 read=self.server.url + "/fhir/Patient")

    def test_authlib_gets_a_token_by_each_algorithm(self):
        client = self.client("--jwks", self.file)
        for algorithm in ("RS384", "ES384", "RS256", "ES256"):
            answer = self.ask(client, algorithm)
            self.assertEqual(answer.get("status"), 200, answer)
            token = answer["token"]
            self.assertEqual((token["token_type"], token["scope"]), ("Bearer", "system/Patient.rs"))
            self.assertIn(token["expires_in"], range(240, 301))
            self.assertNotIn("refresh_token", token)

    def test_an_assertion_that_lives_longer_than_five_minutes_is_refused(self):
        client = self.client("--jwks", self.file)
        refused = self.ask(client, lifetime=None)
        self.assertEqual(refused["error"], "invalid_client")
        self.assertIn("exp", refused["description"])
        self.assertEqual(self.ask(client).get("status"), 200)

    def test_no_more_is_had_than_was_registered(self):
        client = self.client("--jwks", self.file, scope="system/Patient.rs")
        self.assertEqual(self.ask(client, scope="system/*.cruds patient/*.rs")["token"]["scope"], "system/Patient.rs")
        self.assertEqual(self.ask(client, scope="system/Observation.rs")["error"], "invalid_scope")
        tributary("client", "revoke", self.study.dir, client)
        self.assertEqual(self.ask(client)["error"], "invalid_client")

    def test_development_study_fetches_keys_locally_and_follows_no_redirect(self):
        served = Keys(self.keys["jwks"])
        self.addCleanup(served.close)
        client = self.client("--jwks-url", served.url)
        for _ in range(2):
            self.assertEqual(self.ask(client).get("status"), 200)
        self.assertEqual(served.asked, 1)
        inward = Keys(self.keys["jwks"], 302, served.url)
        self.addCleanup(inward.close)
        self.assertEqual(self.ask(self.client("--jwks-url", inward.url))["error"], "invalid_client")
        self.assertEqual((inward.asked, served.asked), (1, 1))
        refused = tributary("client", "create", self.study.dir, "--name", "x", "--jwks-url", "https://10.0.0.1/keys",
                            "--scope", "system/*.rs", status=1)
        self.assertIn("[key-set-url-invalid]", refused.errors)
        self.study.change(lambda value: value.update(development=False))
        try:
            refused = tributary("client", "create", self.study.dir, "--name", "x", "--jwks-url", served.url, "--scope",
                                "system/*.rs", status=1)
            self.assertIn("[key-set-url-invalid]", refused.errors)
            server = self.study.serve("--roles", "records,authorization")
            try:
                answer = self.ask(client, token_url=server.url + "/oauth2/token")
                self.assertEqual(answer["error"], "invalid_client")
                self.assertEqual(served.asked, 1, "nothing is asked on this machine")
            finally:
                server.stop()
        finally:
            self.study.change(lambda value: value.update(development=True))


if __name__ == "__main__":
    unittest.main()
