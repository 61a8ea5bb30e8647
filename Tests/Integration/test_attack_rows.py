"""Attack rows on the server itself, each a test of its name: S02 to S10, S12, S13, S15. Others stand where what they attack does."""

import concurrent.futures
import json
import socket
import subprocess
import time
import unittest
import urllib.parse

import smart
from forms import observation
from harness import http, tributary
from smart import Browser, Form, challenge
from writing import Writing, bundle, entry, identified, plain, replacing

PATIENTS_RECORDS = ("AllergyIntolerance", "CarePlan", "CareTeam", "ChargeItem", "Claim", "ClinicalImpression", "Condition", "Consent",
                    "DetectedIssue", "DeviceRequest", "DiagnosticReport", "Encounter", "Flag", "Goal", "Immunization", "Media",
                    "Observation", "Procedure")
BOUND = 60  # seconds in which each attack is answered, also on a loaded machine


class Attacked(Writing):
    @classmethod
    def change(cls, value):
        Writing.change(value)
        value["identifiedRecords"] = True

    def raw(self, sent, more=b"", seconds=BOUND):
        """Sends bytes; returns all that comes back until the server closes, or nothing comes for some time."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as connection:
            connection.sendall(sent)
            answer = b""
            try:
                if more:
                    connection.sendall(more)
                while part := connection.recv(65536):
                    answer += part
            except (TimeoutError, ConnectionError):
                pass
            return answer

    def head(self, path="/fhir/Observation", method="POST", *lines):
        return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", "Connection: close", "Authorization: Bearer " + self.writer,
                            *lines, "", ""]).encode()

    def bounded(self, *request, statuses, **more):
        """Asks; the answer comes in time, is one of some, and is an OperationOutcome."""
        began = time.monotonic()
        answer = self.ask(*request, **more)
        self.assertLess(time.monotonic() - began, BOUND, request[:2])
        self.assertIn(answer.status, statuses, answer)
        # A head that is too long is refused before anybody reads in it what is asked for.
        if answer.status >= 400 and len(request[1]) < 8_192:
            self.assertEqual(answer.json["resourceType"], "OperationOutcome")
        return answer

    def tearDown(self):
        self.assertEqual(self.ask("GET", "metadata").status, 200, "the server goes on")

    # Denial of service

    def test_S02_bodies_and_heads_have_an_end(self):
        large = self.raw(self.head("/fhir/Observation", "POST", "Content-Type: application/fhir+json", f"Content-Length: {100 << 20}"))
        self.assertIn(b" 413 ", large[:40])
        endless = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        chunked = self.raw(self.head("/fhir/Observation", "POST", "Content-Type: application/fhir+json", "Transfer-Encoding: chunked"),
                           endless * 200)
        self.assertTrue(chunked == b"" or b" 413 " in chunked[:40], chunked[:200])
        many = self.raw(self.head("/fhir/metadata", "GET", *[f"X-{number}: x" for number in range(100_000)]))
        self.assertTrue(many == b"" or b" 431 " in many[:40] or b" 400 " in many[:40], many[:200])
        packed = self.ask("POST", "Observation", b"\x1f\x8b" + b"\x00" * 1000, Content_Encoding="gzip")
        self.assertIn(packed.status, (400, 415))

    def test_S03_documents_that_are_deep_wide_or_huge_are_refused(self):
        deep = b'{"resourceType":"Observation","extension":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        wide = b"{" + b",".join(b'"k%d":1' % number for number in range(250_000)) + b"}"
        number = b'{"resourceType":"Observation","valueInteger":1e' + b"9" * 100_000 + b"}"
        digits = b'{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":' + b"9" * 2_000_000 + b"}}"
        entries = json.dumps(bundle("transaction", *[entry("GET", "Observation/x")] * 60_000)).encode()
        contained = {"resourceType": "Basic", "id": "x", "code": {"text": "x"}}
        tree = json.dumps({**plain(), "contained": [{**contained, "id": f"c{number}"} for number in range(30_000)]}).encode()
        for name, body in (("deep", deep), ("wide", wide), ("number", number), ("digits", digits), ("contained", tree)):
            with self.subTest(name):
                self.bounded("POST", "Observation", body, statuses=(400, 413, 422))
        self.bounded("POST", "", entries, statuses=(400, 413))

    def test_S04_xml_reads_no_file_and_no_entity(self):
        start = '<?xml version="1.0"?>'
        laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
        body = '<Observation xmlns="http://hl7.org/fhir"><status value="final"/><code><text value="%s"/></code></Observation>'
        for document in (
                f'{start}<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]>' + body % "&l11;",
                f'{start}<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + body % "&e;",
                f'{start}<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">' + body % "x",
                f'{start}<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>' + body % "x",
                '<Observation xmlns="http://hl7.org/fhir" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd" '
                'parse="text"/></Observation>'):
            answer = self.bounded("POST", "Observation", document, None, "application/fhir+xml", statuses=(400, 422))
            self.assertNotIn(b"root:", answer.body)

    def test_S05_expressions_chains_and_pages_are_bounded(self):
        name = self.made(plain())
        chain = ".".join(["has-member"] * 500) + ".code"
        for path in (f"Observation?{chain}=x", "Patient?" + "_has:Observation:patient:" * 300 + "code=x",
                     "Observation?" + "&".join("code=x" for _ in range(3_000)),
                     "Observation?code=" + ",".join("x" for _ in range(20_000)),
                     "Observation?" + "&".join(f"_include=Observation:subject:{one}" for one in (
                         "Patient", "Group", "Device", "Location")) + "&" + "&".join(
                             f"_revinclude={one}:patient" for one in PATIENTS_RECORDS)):
            self.bounded("GET", path, statuses=(400, 414, 431))
        self.bounded("GET", "Observation?_count=1000000000", statuses=(200, 400))
        self.bounded("GET", "Observation?_include=*&_revinclude=*&_include:iterate=*&_revinclude:iterate=*", statuses=(200, 400))
        bombs = ["Observation." + "descendants()." * 40 + "count()", "(" * 5_000 + "1" + ")" * 5_000,
                 "Observation.code.text.matches('^(a+)+$')", "Observation" + ".repeat($this)" * 30,
                 "Observation.where(" * 2_000 + "true" + ")" * 2_000]
        for bomb in bombs:
            self.bounded("PATCH", f"Observation/{name}", replacing(bomb, "valueCode", "x"), statuses=(400, 422))

    # Injection

    def test_S06_sql_is_a_word_like_any_other(self):
        name = self.made(plain(**identified("there")))
        before = self.stored()
        words = ["'; DROP TABLE record; --", "' OR '1'='1", "\\", "%", "_", "%' OR 1=1 --", "\" OR \"\"=\"", "') UNION SELECT 1,2,3 --",
                 "\u2019 OR 1=1", "$1", "?1", "a' AND sleep(9) --", "{0}", "1; PRAGMA writable_schema=1"]
        names = ["code", "identifier", "_id", "status", "date", "value-quantity", "subject", "_tag", "_profile", "value-string", "combo-code",
                 "code-value-quantity", "code:text", "subject:identifier", "_security", "_source", "code:not-in", "_lastUpdated"]
        for word in words:
            quoted = urllib.parse.quote(word, safe="")
            for one in names:
                answer = self.bounded("GET", f"Observation?{one}={quoted}", statuses=(200, 400))
                if answer.status == 200:
                    self.assertEqual(answer.json["total"], 0, (one, word))
            for path in (f"Observation?_sort={quoted}", f"Observation?_elements={quoted}", f"?_type={quoted}", f"Observation/{quoted}",
                         f"Observation/{name}/_history/{quoted}", f"Observation?_count={quoted}", f"Observation?_include={quoted}",
                         f"Observation?{quoted}=1", f"Observation?_cursor={quoted}", f"Patient/{quoted}/Observation",
                         f"_history?_since={quoted}"):
                self.bounded("GET", path, statuses=(200, 400, 404))
            made = self.made(plain(**identified(word)))
            self.assertEqual(self.ask("GET", f"Observation/{made}").json["identifier"][0]["value"], word)
            self.assertEqual(self.total(f"Observation?identifier={urllib.parse.quote(word.replace(chr(92), chr(92) * 2).replace('$', chr(92) + '$').replace(',', chr(92) + ','), safe='')}"), 1, word)
            self.assertEqual(self.ask("DELETE", f"Observation/{made}").status, 204)
        self.assertEqual([row for row in before[-1] if row not in self.stored()[-1]], [], "nothing is gone")

    def test_S07_a_line_s_end_begins_no_header_and_no_line(self):
        mark = "injected-9f2"
        ends = f"x%0D%0A{mark}:%20yes"
        for method, path, body in (
                ("GET", f"Observation/{ends}", None), ("GET", f"Observation?code={ends}", None), ("GET", f"Observation?_sort={ends}", None),
                ("POST", f"Observation?identifier={ends}", plain()), ("PUT", f"Observation/{ends}", {**plain(), "id": f"x\r\n{mark}: yes"}),
                ("GET", f"_history?_type={ends}", None), ("POST", "", bundle("batch", entry("GET", f"Observation/x\r\n{mark}: yes"))),
                ("POST", "", bundle("batch", entry("POST", "Observation", plain(), ifNoneExist=f"identifier=x\r\n{mark}: yes")))):
            answer = self.ask(method, path, body)
            self.assertLess(answer.status, 500)
            self.assertNotIn(mark, {name.lower() for name in answer.headers})
            self.assertNotIn(mark, " ".join(name for name in answer.headers).lower())
        page = http("GET", self.server.url + f"/oauth2/authorize?client_id={ends}&redirect_uri=https://x/{ends}&state={ends}")
        self.assertNotIn(mark, {name.lower() for name in page.headers})
        self.assertEqual([line for line in self.server.log.splitlines() if line.lstrip().startswith(mark)], [])

    def test_S08_scripts_in_a_narrative_are_not_kept(self):
        div = '<div xmlns="http://www.w3.org/1999/xhtml">%s</div>'
        for inner in ("<script>alert(1)</script>", '<p onload="x()">a</p>', '<a href="javascript:x()">a</a>',
                      '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>', '<iframe src="https://x.example"/>',
                      '<img src="x" onerror="x()"/>', "<object data='x'/>", '<a href="JaVaScRiPt:x()">a</a>', "<form action='x'/>"):
            made = {**plain(), "text": {"status": "generated", "div": div % inner}}
            self.bounded("POST", "Observation", made, statuses=(400, 422))
        app = smart.client(self.study, "patient/*.rs", "--public", name="<script>x</script>")["client_id"]
        page = Browser(self.server.url).go(smart.request(self.server, app, "patient/*.rs", challenge()[1]))
        self.assertNotIn(b"<script", page.body)
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])

    def test_S09_paths_lead_nowhere_else(self):
        for path in ("/fhir/Patient/../../study.json", "/fhir/%2e%2e/%2e%2e/study.json", "/fhir/Patient/..;/metadata",
                     "/fhir/Patient;jsessionid=1", "/fhir/Patient/%00", "/fhir/Patient/a%2F..%2Fb", "/fhir/..%5c..%5cstudy.json",
                     "/../data/records.sqlite", "/fhir/$export/..%2f..%2fstudy.json", "//study.json", "/fhir/Patient/\u00e4",
                     "/.well-known/../study.json", "/fhir/%252e%252e/study.json"):
            answer = self.raw(self.head(path.encode().decode("latin-1"), "GET"))
            self.assertTrue(answer[9:12] in (b"400", b"404"), (path, answer[:200]))
            self.assertNotIn(b"antispam", answer.lower().split(b"\r\n\r\n", 1)[-1])
            self.assertNotIn(b"SQLite format", answer)

    # HTTP and TLS

    def test_S10_one_request_is_one_request(self):
        """What two readers might divide otherwise is refused, or read once; nobody's second request hides in a first."""
        hidden = "GET /fhir/metadata?hidden HTTP/1.1\r\nHost: x\r\n\r\n"
        form = "Content-Type: application/fhir+json"

        def answers(lines, body):
            sent = "\r\n".join(["POST /fhir/Observation HTTP/1.1", "Host: x", "Authorization: Bearer " + self.writer, form, *lines, "",
                                body]).encode("latin-1")
            answer = self.raw(sent, seconds=2)
            return [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]]

        for lines, body in (
                (["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n" + hidden),
                (["Content-Length: 0", f"Content-Length: {len(hidden)}"], hidden),
                (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n" + hidden),
                (["Transfer-Encoding: xchunked"], "0\r\n\r\n" + hidden), (["Transfer-Encoding: chunked"], "zz\r\n" + hidden),
                (["Transfer-Encoding: chunked"], "-1\r\n\r\n" + hidden), (["Content-Length: -1"], hidden), (["Content-Length: 1e1"], hidden),
                (["Content-Length: +0"], hidden), (["Content-Length : 0"], hidden), (["Transfer-Encoding\x0b: chunked"], hidden)):
            found = answers(lines, body)
            self.assertLessEqual(len(found), 1, (lines, found))
            self.assertIn(found[0] if found else b"", (b"", b"400", b"413", b"501", b"415"), lines)
        old = self.raw(b"GET /fhir/metadata\r\n\r\n", seconds=2)
        self.assertNotIn(b"CapabilityStatement", old, "HTTP/0.9")
        name = self.made(plain())
        for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
            self.ask("GET", f"Observation/{name}", **{header.replace("-", "_"): "DELETE"})
            self.ask("POST", "Observation/_search", b"", None, "application/x-www-form-urlencoded", **{header.replace("-", "_"): "DELETE"})
        self.assertEqual(self.ask("GET", f"Observation/{name}").status, 200)
        spoofed = self.raw(self.head("/fhir/Observation?_count=1", "GET", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"))
        self.assertNotIn(b"evil.example", spoofed)

    def test_S12_old_tls_and_plain_http_are_refused(self):
        folder = self.study.root
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"], check=True, capture_output=True)
        server = self.study.serve("--tls-certificate", folder / "certificate.pem", "--tls-key", folder / "key.pem")
        self.addCleanup(server.kill)
        for version, works in (("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
            # The client would take the old ones.
            done = subprocess.run(["openssl", "s_client", version, "-cipher", "ALL:@SECLEVEL=0", "-connect", f"127.0.0.1:{server.port}"],
                                  input=b"", capture_output=True, check=False, timeout=20)
            self.assertEqual(b"Cipher is (NONE)" not in done.stdout and done.returncode == 0, works, (version, done.stdout[-500:]))
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(b"GET /fhir/metadata HTTP/1.1\r\nHost: x\r\n\r\n")
            try:
                answer = connection.recv(4096)
            except ConnectionError:
                answer = b""
            self.assertNotIn(b"200", answer[:20])

    # Secrets

    def test_S13_no_secret_and_nobody_s_data_is_in_a_log_an_error_or_a_file(self):
        token = self.token("patient/*.rs", "somebody")
        client = smart.client(self.study, "patient/*.rs offline_access", "--secret")
        smart.person(self.study, "secretive", "participant", "--patient", "somebody")
        browser, (verifier, challenged) = Browser(self.server.url), challenge()
        page = browser.go(smart.request(self.server, client["client_id"], "patient/*.rs offline_access", challenged))
        code = browser.code(Form(page.body.decode()) and smart.request(
            self.server, client["client_id"], "patient/*.rs offline_access", challenged), "secretive")["code"]
        given = smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=code, redirect_uri=smart.REDIRECT,
                           code_verifier=verifier, client_id=client["client_id"], client_secret=client["client_secret"])
        self.assertEqual(given.status, 200, given)
        family = "Planted-Family-Name"
        patient = {"resourceType": "Patient", "id": "planted", "name": [{"family": family}], "gender": "unheard-of"}
        refused = self.ask("PUT", "Patient/planted", patient)
        self.assertNotIn(family.encode(), refused.body)
        self.assertEqual(self.ask("PUT", "Patient/planted", {**patient, "gender": "other"}).status, 201)
        self.ask("GET", f"Patient?name={family}", token=token)
        self.ask("GET", f"Patient?name={family}&birthdate=x")
        self.ask("GET", "Patient/planted", token=token + "x")
        secrets = [token, token + "x", client["client_secret"], given.json["access_token"], given.json["refresh_token"], code, verifier,
                   smart.PASSWORD, self.writer]
        log = self.server.log
        for secret in [*secrets, family]:
            self.assertNotIn(secret, log)
        for file in self.study.dir.rglob("*"):
            data = file.read_bytes() if file.is_file() else b""
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, file)

    # Races

    def test_S15_of_many_at_a_time_one_comes_first(self):
        name = self.made(plain(60))
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda value: self.ask("PUT", f"Observation/{name}", {**plain(value), "id": name},
                                                           If_Match='W/"1"').status, range(70, 82)))
            self.assertEqual(sorted(answers), [200] + [412] * 11, "If-Match")
            answers = list(pool.map(lambda value: self.ask("POST", "Observation", plain(value, **identified("one")),
                                                           If_None_Exist="identifier=urn:example:lab|one").status, range(12)))
            self.assertEqual(sorted(answers), [200] * 11 + [201], "If-None-Exist")
            answers = list(pool.map(lambda value: self.ask("PUT", "Observation?identifier=urn:example:lab|other",
                                                           plain(value, **identified("other"))).status, range(12)))
            self.assertEqual(answers.count(201), 1, "a conditional update")
            # Whom another one forestalls is told so.
            self.assertLessEqual(set(answers), {200, 201, 409})
            answers = list(pool.map(lambda _: self.ask("DELETE", f"Observation/{name}", If_Match='W/"2"').status, range(12)))
            self.assertEqual([status for status in answers if status not in (204, 404, 410, 412)], [])
        self.assertEqual(self.total("Observation?identifier=urn:example:lab|one,urn:example:lab|other"), 2)

    def test_S15_a_token_that_is_revoked_at_the_same_time_is_dead_afterwards(self):
        self.made(observation("revoked", 60))
        token = self.token("patient/Observation.rs patient/Flag.r", "revoked")
        row = next(row for row in tributary("token", "list", self.study.dir, "--json").json if "Flag" in row["scope"])
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asking = [pool.submit(self.ask, "GET", "Observation", None, token) for _ in range(200)]
            tributary("token", "revoke", self.study.dir, row["id"])
            self.assertEqual(self.ask("GET", "Observation", token=token).status, 401)
            self.assertLessEqual({answer.result().status for answer in asking}, {200, 401})


if __name__ == "__main__":
    unittest.main()
