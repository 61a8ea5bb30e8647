"""What is wrong is refused with a clear status and a stable code, and the next good one goes through."""

import base64
import json
import os
import re
import socket
import unittest

from forms import VISIT, new_id, observation, response, visit
from harness import ANTISPAM, EXAMPLES, SpineTest, http, register, token_request, tributary
from sealed import SealedClient, seal
from test_whole_way import total


class BadRequests(SpineTest):
    @staticmethod
    def change(study):
        study["limits"]["submissionBytes"] = 200_000
        study["limits"]["resources"] = 50

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.device = cls.study.device(cls.server)
        cls.device.consent()
        cls.device.send()
        cls.device.settled()
        cls.client = SealedClient(cls.server, cls.study, device=cls.device)

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        self.assertNotIn(b"Heart", answer.body)

    def tearDown(self):
        # After each: the next good one goes through, and nothing is left waiting.
        before = self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'")
        sid = self.client.send(observation(self.device.participant))
        self.assertEqual(self.client.outcome(sid), ("stored", None))
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), before + 1)

    def body(self):
        return seal(self.study, observation(self.device.participant), sid=new_id())

    def test_antispam_comes_first(self):
        for word in (None, "", "wrong", ANTISPAM[:-1], ANTISPAM + "x"):
            headers = {"Authorization": "Bearer wrong"}
            if word is not None:
                headers["Antispam"] = word
            answer = http("POST", self.server.url + "/encfhir", headers, b"no json")
            self.refused(answer, 401, "antispam-invalid")
            answer = register(self.server, "no receipt", antispam=word)
            self.assertEqual((answer.status, answer.json["error"]), (401, "unauthorized_client"))

    def test_tokens(self):
        for value in (None, "Bearer", "Bearer ", "Bearer wrong", "Basic " + self.client.token, self.client.token,
                      "Bearer " + self.client.token + "x"):
            headers = {"Antispam": ANTISPAM}
            if value is not None:
                headers["Authorization"] = value
            answer = http("POST", self.server.url + "/encfhir", headers, self.body())
            self.assertEqual(answer.status, 401, (value, answer))
            self.assertRegex(answer.code, r"^[a-z]+(-[a-z]+)+$")
            self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        staff = http("POST", self.server.url + "/encfhir",
                     {"Antispam": ANTISPAM, "Authorization": "Bearer " + self.study.staff_token()}, self.body())
        self.assertEqual(staff.status, 401, "the receiver knows devices alone")
        for path in ("/deliveries",):
            self.assertEqual(http("GET", self.server.url + path).status, 401)

    def test_client_credentials(self):
        for client, secret, path in [(self.client.client, "wrong", "/oauth"), ("unknown", self.client.secret, "/oauth/token"),
                                     (self.client.client, "", "/oauth"), ("", "", "/oauth")]:
            answer = token_request(self.server, client, secret, path)
            self.assertEqual((answer.status, answer.json["error"]), (401, "invalid_client"))
        pair = base64.b64encode(f"{self.client.client}:{self.client.secret}".encode()).decode()
        headers = {"Authorization": "Basic " + pair, "Content-Type": "application/x-www-form-urlencoded"}
        for form, error in [(b"", "invalid_request"), (b"grant_type=password", "unsupported_grant_type"),
                            (b"grant_type=refresh_token", "unsupported_grant_type")]:
            answer = http("POST", self.server.url + "/oauth", headers, form)
            self.assertEqual((answer.status, answer.json["error"]), (400, error))

    def test_receipts(self):
        good = self.study.receipt()
        other_app = tributary("app-receipt", "make", self.study.dir, "--bundle-identifier", "org.other.app").text.strip()
        raw = base64.b64decode(good)
        flipped = bytearray(raw)
        flipped[len(raw) // 2] ^= 1
        for receipt in ("NO-APP-RECEIPT", "", "!!!", other_app, good[: len(good) // 2 // 4 * 4],
                        base64.b64encode(bytes(flipped)).decode(), base64.b64encode(os.urandom(2000)).decode()):
            answer = register(self.server, receipt)
            self.assertIn(answer.status, (400, 401), receipt[:20])
            self.assertIn(answer.json["error"], ("invalid_client", "invalid_request"))
        for body in (b"", b"{", b"[]", b"{}", b'{"receipt-data":5}', b'{"receipt-data":null}'):
            answer = http("POST", self.server.url + "/register", {"Antispam": ANTISPAM}, body)
            self.assertEqual((answer.status, answer.json["error"]), (400, "invalid_request"))
        device = self.study.device(self.server, enrol=False)
        done = device.enrol(self.server, receipt="NO-APP-RECEIPT", status=1)
        self.assertIn("registration-refused", done.errors)
        done = device.enrol(self.server, receipt=good, antispam="wrong-word", status=1)
        self.assertIn("registration-refused", done.errors)
        self.assertNotIn("wrong-word", done.errors)
        device.enrol(self.server, receipt=good)

    def test_size(self):
        self.refused(self.client.post(b"x" * 200_001), 413, "body-too-large")
        # Without Content-Length, in chunks.
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            connection.sendall((f"POST /encfhir HTTP/1.1\r\nHost: x\r\nAntispam: {ANTISPAM}\r\nAuthorization: Bearer "
                                f"{self.client.token}\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
            try:
                for _ in range(40):
                    connection.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
                connection.sendall(b"0\r\n\r\n")
            except OSError:
                pass
            connection.settimeout(20)
            try:
                answer = connection.recv(4096)
            except OSError:
                answer = b""
            if answer:
                self.assertIn(b" 413 ", answer.split(b"\r\n")[0])
        sid = self.client.send(*[observation(self.device.participant, index) for index in range(51)])
        status, _ = self.client.outcome(sid)
        self.assertEqual(status, "held")
        shown = tributary("queue", "show", self.study.dir, sid, "--json").json["submissions"][0]
        self.assertEqual((shown["status"], shown["reason"]), ("quarantined", "batch-too-large"))
        tributary("queue", "discard", self.study.dir, sid)

    def test_json_and_envelope(self):
        good = json.loads(self.body())
        protected = json.loads(base64.urlsafe_b64decode(good["protected"] + "=="))

        def with_header(**changes):
            header = {key: value for key, value in {**protected, **changes}.items() if value is not None}
            text = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
            return {**good, "protected": text}

        cases = [
            (b"", 400), (b"{", 400), (b"[]", 400), (b"{}", 400), (b"null", 400), (b"\xff\xfe", 400), (b"1" * 1000, 400),
            (b"{" * 100_000, 400), (b'{"message":"x"}', 400),
            (json.dumps({"key_id": "", "symmetric_key": 5, "message": "x", "version": "1"}).encode(), 400),
            (json.dumps({"key_id": "", "symmetric_key": "????", "message": "!!", "version": "1"}).encode(), 400),
            (json.dumps({**good, "ciphertext": "=not base64="}).encode(), 400),
            (json.dumps({key: value for key, value in good.items() if key != "tag"}).encode(), 400),
            (json.dumps(with_header(sid=None)).encode(), (400, 422)),
            (json.dumps(with_header(sid="../../x")).encode(), (400, 422)),
            (json.dumps(with_header(seq=None)).encode(), (400, 422)),
            (json.dumps(with_header(seq=0)).encode(), (400, 422)), (json.dumps(with_header(seq=1.5)).encode(), (400, 422)),
            (json.dumps(with_header(crit=["exp"])).encode(), (400, 422)),
            (json.dumps(with_header(zip="DEF")).encode(), (400, 422)),
            (json.dumps(with_header(enc="A128CBC-HS256")).encode(), (400, 422)),
            (json.dumps(with_header(enc="none")).encode(), (400, 422)),
            (json.dumps(with_header(cty="text/html")).encode(), (400, 422)),
        ]
        before = self.study.queue_number("SELECT count(*) FROM submission")
        for body, status in cases:
            with self.subTest(body[:60]):
                answer = self.client.post(body)
                self.assertIn(answer.status, status if isinstance(status, tuple) else (status,), answer)
                self.assertRegex(answer.code, r"^[a-z0-9]+(-[a-z0-9]+)+$")
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission"), before, "nothing of it was kept")

    def test_what_only_the_consumer_can_see_is_quarantined_with_its_reason(self):
        person = self.device.participant
        unknown_version = observation(person)
        cases = [
            (b"no json", "json-|syntax|invalid|unexpected", None), (b"[]", "resource", None),
            (b'{"a":1}', "resource", None), (b'{"resourceType":"Observation","status":"final",}', "json|comma|unexpected", None),
            (json.dumps({"resourceType": "Basic", "subject": {"reference": f"Patient/{person}"}}).encode(),
             "resource-type-not-accepted", None),
            (json.dumps({**observation(person), "status": "maybe"}).encode(), "resource-invalid", None),
            (json.dumps({**observation(person), "effectiveDateTime": "yesterday"}).encode(), "resource-invalid", None),
            (json.dumps({**observation(person), "id": "../../etc"}).encode(), "resource-invalid", None),
            (json.dumps({key: value for key, value in observation(person).items() if key != "code"}).encode(),
             "resource-invalid", None),
            (json.dumps({key: value for key, value in observation(person).items() if key != "subject"}).encode(),
             "subject-missing", None),
            (json.dumps({**response(person), "item": [{"answer": []}]}).encode(), "resource-invalid", None),
            (json.dumps(unknown_version).encode(), "fhir-version-unsupported", "7.7.7"),
        ]
        for payload, code, version in cases:
            with self.subTest(code=code, payload=payload[:40]):
                sid = self.client.send(payload, version=version)
                status, reason = self.client.outcome(sid)
                shown = tributary("queue", "show", self.study.dir, sid, "--json").json["submissions"][0]
                self.assertRegex(shown["reason"], code)
                self.assertTrue(shown["detail"])
                self.assertNotIn(person, shown["detail"])
                self.assertIn((status, reason), (("held", "needs-attention"), ("refused", shown["reason"])))
                if shown["status"] == "quarantined":
                    retried = tributary("queue", "retry", self.study.dir, sid, "--json").json
                    self.assertEqual(retried, {"retried": 1})
                    self.study.settled()
                    discarded = tributary("queue", "discard", self.study.dir, sid)
                    self.assertEqual(discarded.status, 0)
                    self.assertEqual(self.client.outcome(sid)[0], "refused")
        # A batch with one bad line is taken whole or not at all.
        before = self.study.number("SELECT count(*) FROM record")
        sid = self.client.send(observation(person, 1), {**observation(person, 2), "status": "maybe"})
        self.assertEqual(self.client.outcome(sid)[0], "held")
        self.assertEqual(self.study.number("SELECT count(*) FROM record"), before)
        tributary("queue", "discard", self.study.dir, sid)

    def test_an_envelope_for_another_study_is_quarantined(self):
        from harness import Study
        other = Study(forms=False)
        self.addCleanup(other.close)
        sid = new_id()
        self.assertEqual(self.client.post(seal(other, observation(self.device.participant), sid=sid)).status, 200)
        self.assertEqual(self.client.outcome(sid), ("held", "needs-attention"))
        tributary("queue", "discard", self.study.dir, sid)

    def test_one_participants_bad_message_does_not_stop_another(self):
        other = SealedClient(self.server, self.study)
        for _ in range(3):
            sid = other.send(b"rubbish")
        self.assertEqual(other.outcome(sid)[0], "held")
        good = self.client.send(observation(self.device.participant))
        self.assertEqual(self.client.outcome(good), ("stored", None))
        for row in tributary("queue", "show", self.study.dir, "--json").json["submissions"]:
            if row["status"] == "quarantined":
                tributary("queue", "discard", self.study.dir, row["submission"])

    def test_methods_and_paths(self):
        for method, path in [("GET", "/encfhir"), ("DELETE", "/encfhir/Observation/1"), ("GET", "/register"),
                             ("GET", "/oauth"), ("POST", "/deliveries"), ("PATCH", "/encfhir")]:
            answer = self.client.server.request(method, path, self.client.headers)
            self.assertIn(answer.status, (404, 405), (method, path))
        for path in ("/encfhir/..%2f..%2fetc/passwd", "/encfhir/Observation/a%00b", "/encfhir/<script>",
                     "/encfhir/Observation/" + "x" * 200):
            answer = http("POST", self.server.url + path, self.client.headers, self.body())
            self.assertIn(answer.status, (400, 404), path)
            self.assertNotIn(b"<script>", answer.body)
        for cursor in ("x", "-1", "1%27", "99999999999999999999999"):
            answer = http("GET", self.server.url + "/deliveries?after=" + cursor, self.client.headers)
            self.refused(answer, 400, "cursor-invalid")

    def test_half_a_request_leaves_nothing(self):
        before = self.study.queue_number("SELECT count(*) FROM submission")
        body = self.body()
        for cut in (0, 1, len(body) // 2, len(body) - 1):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
                connection.sendall((f"POST /encfhir HTTP/1.1\r\nHost: x\r\nAntispam: {ANTISPAM}\r\nAuthorization: Bearer "
                                    f"{self.client.token}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body[:cut])
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission"), before)


class BadFiles(SpineTest):
    """What a device is given."""

    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def test_an_export_cut_in_the_middle(self):
        source = EXAMPLES / "apple-health" / "export.zip"
        import zipfile
        with zipfile.ZipFile(source) as archive:
            name = next(name for name in archive.namelist() if name.lower().endswith("/export.xml") and "MACOSX" not in name)
            text = archive.read(name)
        records = len(re.findall(rb"<Record\s", text[: len(text) // 2]))
        cut = self.study.root / "cut.xml"
        cut.write_bytes(text[: len(text) // 2])
        output = self.study.root / "cut.ndjson"
        done = tributary("health", "convert", cut, "-o", output, "--json", status=1)
        self.assertIn("export-truncated", done.errors)
        account = done.json
        self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
        self.assertGreaterEqual(account["read"], records - 1)
        for line in output.read_text().splitlines():
            json.loads(line)
        archive_cut = self.study.root / "cut.zip"
        archive_cut.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
        done = tributary("health", "convert", archive_cut, "-o", output, status=1)
        self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
        for content in (b"", b"\x00" * 100, b"<html></html>", b"PK\x03\x04garbage"):
            cut.write_bytes(content)
            done = tributary("health", "convert", cut, "-o", output, status=1)
            self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
        # What came before the cut may be sent; then the whole export adds the rest, and nothing twice.
        device = self.member()
        cut.write_bytes(text[: len(text) // 2])
        first = device.health(cut, status=None)
        self.assertEqual(first.status, 1, first)
        self.assertIn("export-truncated", first.errors)
        part = first.json["queued"] if first.out else 0
        rest = device.health(source).json["queued"]
        self.assertGreater(rest, 0)
        device.send()
        self.assertEqual({row["status"] for row in device.settled(300).values()}, {"stored"})
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), part + rest)

    def test_forms_answers_and_consent_that_are_wrong(self):
        device = self.member()
        for answers in ({"rate": "fast"}, {"nobody": 1, "rate": 60}, {"rate": 60, "cups": 1.5}, {"rate": 60, "rested": "x"},
                        {"rate": 60, "medicines": "unknown"}, {"cups": 1}, {"rate": 60, "day": "2026-13-01"}, [], "x"):
            with self.subTest(answers=answers):
                done = device.answer(VISIT, device.write(answers), status=1)
                self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
                self.assertNotIn("fast", done.errors)
        for form in ({"resourceType": "Patient"}, {"resourceType": "Questionnaire", "item": 5}, []):
            device.answer(device.write(form), visit(), status=1)
        self.assertEqual(device.queued(), [])
        fresh = self.study.device(self.server)
        for answers in ({}, {"eligibility": []}, [], {"eligibility": {}, "sharing": "x"}):
            fresh.consent(answers=fresh.write(answers), status=1)
        fresh.consent(contract=fresh.write({"resourceType": "Contract"}), status=1)
        self.assertEqual(fresh.queued(), [])
        fresh.consent()

    def test_a_damaged_file_in_the_outbox_does_not_stop_the_next(self):
        device = self.member()
        device.answer(VISIT, visit())
        device.answer(VISIT, visit())
        damaged = device.queued()[0]
        damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 2])
        done = device.send(status=1).json
        self.assertEqual((done["sent"], done["refused"], done["remaining"]), (1, 1, 0))
        self.assertTrue(any((device.store / "refused").iterdir()))
        self.assertEqual(device.send().json["sent"], 0)
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})

    def test_without_a_server_everything_stays_queued_in_order(self):
        device = self.member()
        device.answer(VISIT, visit())
        queued = [file.name for file in device.queued()]
        enrolment = device.store / "enrolment.json"
        text = enrolment.read_text()
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            enrolment.write_text(text.replace(f":{self.server.port}", f":{unused.getsockname()[1]}"))
            done = device.send(status=1, attempts=1)
        self.assertEqual((done.json["sent"], done.json["remaining"]), (0, len(queued)))
        self.assertEqual([file.name for file in device.queued()], queued)
        enrolment.write_text(text)
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})


if __name__ == "__main__":
    unittest.main()
