"""A Binary over the wire: its content as it was sent, as FHIR where that is asked for, and no script in a browser."""

import base64
import json
import unittest

from harness import Study, http, tributary

PDF = b"%PDF-1.7\x00\r\n" + bytes(range(256)) * 40


class Binaries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(change=lambda value: value.update(identifiedRecords=True))
        cls.addClassCleanup(cls.study.close)
        cls.server = cls.study.serve()
        cls.token = tributary("token", "create", cls.study.dir, "--scope", "user/*.cruds").text.strip()

    def ask(self, method, path, body=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return http(method, self.server.url + path, {"Authorization": "Bearer " + self.token, **named}, body)

    def test_content_comes_back_as_it_was_sent(self):
        for number, (kind, content) in enumerate([
                ("application/pdf", PDF), ("text/plain; charset=utf-8", "Grüße".encode()), ("application/json", b'{"a": 1}'),
                ("text/xml", b'<ClinicalDocument xmlns="urn:hl7-org:v3"/>'), ("image/png", b"\x00"), ("application/octet-stream", b"x")]):
            path = f"/fhir/Binary/b{number}"
            self.assertEqual(self.ask("PUT", path, content, Content_Type=kind).status, 201, kind)
            for accept in (kind.split(";")[0], "*/*", "text/html,*/*;q=0.8"):
                answer = self.ask("GET", path, Accept=accept)
                self.assertEqual((answer.status, answer.headers["Content-Type"], answer.body), (200, kind, content), accept)
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                self.assertIn("sandbox", answer.headers["Content-Security-Policy"])
            resource = json.loads(self.ask("GET", path, Accept="application/fhir+json").body)
            self.assertEqual((resource["contentType"], base64.b64decode(resource["data"])), (kind, content))
            self.assertIn(b"<Binary", self.ask("GET", path, Accept="application/fhir+xml").body)
            head = self.ask("HEAD", path, Accept=kind.split(";")[0])
            self.assertEqual((head.status, head.body, head.headers["Content-Length"]), (200, b"", str(len(content))))
            self.assertEqual(self.ask("GET", path, If_None_Match=head.headers["ETag"]).status, 304)

    def test_a_new_one_has_the_context_that_is_named(self):
        made = self.ask("POST", "/fhir/Binary", PDF, Content_Type="application/pdf", X_Security_Context="Patient/p1")
        self.assertEqual(made.status, 201)
        path = "/fhir" + made.headers["Location"].split("/fhir", 1)[1]
        read = self.ask("GET", path, Accept="application/pdf")
        self.assertEqual((read.body, read.headers["X-Security-Context"]), (PDF, "Patient/p1"))

    def test_what_is_no_content_is_not_written(self):
        for kind, body, status, code in (("application/pdf", b"", 400, "content-empty"), ("pdf", b"x", 415, "content-type-invalid"),
                                         ("application/fhir+json", b"{", 400, "content-type-false")):
            answer = self.ask("PUT", "/fhir/Binary/none", body, Content_Type=kind)
            self.assertEqual((answer.status, json.loads(answer.body)["issue"][0]["details"]["text"]), (status, code), kind)
        self.assertEqual(self.ask("GET", "/fhir/Binary/none").status, 404)


if __name__ == "__main__":
    unittest.main()
