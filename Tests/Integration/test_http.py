"""What HTTP itself asks of every path: the form of refusals, `Allow`, HEAD; over one connection that stays open."""

import http.client
import json
import socket
import uuid

from harness import ANTISPAM, SpineTest

PROBLEM, OAUTH, FHIR, RECORDS = (
    "application/problem+json", "application/json", "application/fhir+json", "application/fhir+json; charset=utf-8")

TYPE, INSTANCE = "DELETE, GET, HEAD, PATCH, POST, PUT", "DELETE, GET, HEAD, PATCH, PUT"

# Path, methods it has, form of its refusals. Both modules have routes below /fhir: there the records tell of wrong methods.
PATHS = [
    ("/register", "POST", OAUTH), ("/oauth", "POST", OAUTH), ("/oauth/token", "POST", OAUTH),
    ("/encfhir", "POST, PUT", PROBLEM), ("/encfhir/Patient", "POST, PUT", PROBLEM), ("/fhirenc/Patient/1", "POST, PUT", PROBLEM),
    ("/.well-known/jwks.json", "GET", PROBLEM), ("/deliveries", "GET", PROBLEM), ("/health", "GET", PROBLEM),
    ("/c3pro/fhir/Patient", "POST", FHIR), ("/c3pro/fhir/Patient/1", "PUT", FHIR),
    ("/c3pro/fhir/Questionnaire/1", "GET, PUT", FHIR), ("/c3pro/fhir/Contract", "GET, POST", FHIR),
    ("/fhir", "GET, HEAD, POST", RECORDS), ("/fhir/metadata", "GET, HEAD", RECORDS), ("/fhir/Patient", TYPE, RECORDS),
    ("/fhir/Patient/_search", "POST", RECORDS), ("/fhir/Patient/1", INSTANCE, RECORDS),
    ("/fhir/Patient/1/_history", "GET, HEAD", RECORDS), ("/fhir/Patient/1/_history/1", "GET, HEAD", RECORDS)]


class Everywhere(SpineTest):
    @staticmethod
    def change(value):
        unlimited = {"perSecond": 1_000_000, "burst": 1_000_000}
        rates = {name: unlimited for name in ("unauthenticated-by-address", "token-by-address", "read-by-address")}
        value.setdefault("limits", {}).update(rates=rates)

    def setUp(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        self.addCleanup(self.connection.close)
        self.connection.connect()
        self.socket = self.connection.sock

    def ask(self, method, path, **headers):
        """Status, headers and body, always over the same connection."""
        self.connection.request(method, path, headers=headers)
        answer = self.connection.getresponse()
        body = answer.read()
        self.assertIs(self.connection.sock, self.socket, f"{method} {path} ended the connection")
        return answer.status, answer.headers, body

    def code(self, body):
        value = json.loads(body)
        if value.get("resourceType") == "OperationOutcome":
            return value["issue"][0]["details"]["text"]
        return value.get("code") or value["error"]

    def test_a_wrong_method_is_told_the_right_ones_in_the_form_of_its_path(self):
        for path, methods, form in PATHS:
            for method in {"DELETE", "PATCH", "OPTIONS", "TRACE"} - set(methods.split(", ")):
                status, headers, body = self.ask(method, path)
                self.assertEqual((status, headers["Allow"], headers["Content-Type"]), (405, methods, form), f"{method} {path}")
                self.assertEqual(self.code(body), "invalid_request" if form == OAUTH else "method-not-allowed")

    def test_who_proves_nothing_is_told_so_by_every_method_that_writes(self):
        for path, methods, form in PATHS:
            for method in sorted({"DELETE", "PATCH", "POST", "PUT"} & set(methods.split(", "))):
                if form == RECORDS:
                    status, headers, body = self.ask(method, path)
                    self.assertEqual((status, headers["Allow"]), (401, None), f"{method} {path}")
                    self.assertTrue(headers["WWW-Authenticate"], f"{method} {path}")
                    self.assertEqual(json.loads(body)["resourceType"], "OperationOutcome", f"{method} {path}")

    def test_an_unknown_path_is_unknown_by_every_method(self):
        for path, length in (("/nowhere", 0), ("/", 0), ("/encfhir/a/b/c", 0), ("/Health", 0), ("/fhir/a/b/c/d", 164)):
            for method in ("GET", "POST", "DELETE", "TRACE"):
                status, headers, body = self.ask(method, path)
                self.assertEqual((status, len(body), headers["Allow"]), (404, length, None), f"{method} {path}")

    def test_a_head_has_no_body_whatever_it_is_answered(self):
        for path in [path for path, _, _ in PATHS] + ["/nowhere", "/fhir/a/b/c/d"]:
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
                connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n"
                                   "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
                answers = b"".join(iter(lambda: connection.recv(65536), b""))
            head, _, rest = answers.partition(b"\r\n\r\n")
            self.assertIn(int(head.split()[1]), (200, 401, 404, 405), path)
            # Were there a body, it would stand where this answer begins.
            self.assertTrue(rest.startswith(b"HTTP/1.1 200 "), f"{path}: {rest[:200]}")

    def test_a_refused_submission_is_named_where_its_path_has_the_method_alone(self):
        sid = str(uuid.uuid4())
        for headers in ({}, {"Antispam": "wrong"}, {"Antispam": ANTISPAM}, {"Antispam": ANTISPAM, "Authorization": "Bearer x"}):
            status, _, body = self.ask("POST", "/encfhir/Patient", **headers, **{"Tributary-Submission": sid.upper()})
            self.assertEqual((status, json.loads(body)["submission"]), (401, sid))
        self.assertNotIn(b"submission", self.ask("GET", "/encfhir", **{"Tributary-Submission": sid})[2])
        self.assertNotIn(b"planted", self.ask("POST", "/encfhir", **{"Tributary-Submission": "planted"})[2])
        self.assertNotIn(b"submission", self.ask("GET", "/deliveries", **{"Tributary-Submission": sid})[2])
