"""Requests that cost much more than their size: each has its bound, and keeps nobody else waiting.

A bound is of bytes, of seconds of the processor, or the code of a refusal. Meanwhile another caller reads one resource again
and again, and no read takes a second longer than before. TRIBUTARY_ATTACK_SECONDS prolongs what is repeated.
"""

import hashlib
import json
import os
import signal
import statistics
import sys
import threading
import time
import unittest

import attacks
import smart
from attacks import costly, strangers
from attacks.costly import FHIR, JSON_PATCH, batch, copies, fhirpath_patch, large, patching, reading, removals, together
from attacks.measures import Cost, Witness
from forms import observation
from harness import BIN, SpineTest, Study, http, tributary, until
from smart import REDIRECT, Browser, Form, Stay

SECONDS = float(os.environ.get("TRIBUTARY_ATTACK_SECONDS", "4"))
IS_LONG = SECONDS >= 20
ELSEWHERE, ALSO_ELSEWHERE = "127.0.0.2", "127.0.0.3"
# A build for debugging takes so much longer.
SLOWER = 12 if "/debug/" in str(BIN) else 1
# A single read of another caller takes so many seconds longer at most.
LATER = 1 if SLOWER == 1 else 4
# The records of an answer have 32 MB at most; what stands around them is little.
ANSWER_BYTES = 34 << 20
# Eight answers, and what makes them.
MOST_MEGABYTES = 900
# The large records: more than an answer holds.
COUNT = 201 if IS_LONG else 14
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}


class Bounded(SpineTest):
    """An app with one patient's records, and another caller."""

    options = ("--log-level", "notice")

    @classmethod
    def make_study(cls):
        return Study(change=cls.change)

    @staticmethod
    def change(value):
        names = ("unauthenticated-by-address", "read-by-address", "token-by-address", "sign-in-by-address")
        value.setdefault("limits", {})["rates"] = {name: UNLIMITED for name in names}
        # The long form writes more large records than an app may in a day.
        value["limits"]["writtenBytesPerDay"] = 8 << 30
        value["identifiedRecords"] = True
        value["validation"] = "none"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.writer = cls.token("user/*.cruds conf/V sens/*")
        cls.app = cls.token("patient/*.cruds conf/V sens/*", "p1")
        cls.other = cls.token("user/*.cruds conf/V sens/*")
        for patient in ("p1", "w"):
            cls.put(cls.writer, {"resourceType": "Patient", "id": patient})
        cls.put(cls.writer, {**observation("w", 60), "id": "witness"})

    @classmethod
    def token(cls, scope, *patients):
        named = [word for patient in patients for word in ("--patient", patient)]
        return tributary("token", "create", cls.study.dir, "--scope", scope, *named).text.strip()

    @classmethod
    def headers(cls, token, content_type=FHIR, **more):
        return {"Authorization": "Bearer " + token, "Content-Type": content_type,
                **{name.replace("_", "-"): value for name, value in more.items()}}

    @classmethod
    def put(cls, token, resource):
        answer = http("PUT", f"{cls.server.url}/fhir/{resource['resourceType']}/{resource['id']}", cls.headers(token),
                      resource, timeout=300)
        assert answer.status in (200, 201), answer

    def ask(self, method, path, body=None, token=None, content_type=FHIR, **more):
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        return http(method, f"{self.server.url}/fhir{'/' if path else ''}{path}",
                    self.headers(token or self.app, content_type, **more), data, timeout=300)

    def request(self, method, path, body=None, token=None, content_type=FHIR):
        """As `together` takes it."""
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        return method, "/fhir" + ("/" if path else "") + path, self.headers(token or self.app, content_type), data

    def witness(self, **more):
        return Witness(self.server.port, "/fhir/Observation/witness", self.headers(self.other), **more)

    def bounded(self, attack, seconds=None, megabytes=MOST_MEGABYTES, witness=None):
        """Runs an attack, and checks its bounds: seconds of the processor, and memory. Returns what it returns."""
        # 1. How long a read takes while nothing else happens.
        before = witness or self.witness()
        for _ in range(10):
            before.ask()
        idle = statistics.median(before.delays)
        # 2. How long beside the attack.
        cost = Cost(self.server.process)
        with self.witness() if witness is None else type(witness)(
                witness.port, witness.path, witness.headers, method=witness.method, body=witness.body) as beside:
            found = attack()
            used = cost.seconds
        self.assertIsNone(self.server.process.poll(), self.server.log[-2000:])
        print(f"\n  {self.id().rpartition('.')[2]}: {used:.1f} s of CPU, at most {cost.most_megabytes:.0f} MB; reads "
              f"{idle:.3f} s before, at most {beside.longest:.3f} s meanwhile", file=sys.stderr)
        self.assertEqual(beside.failures, [])
        self.assertLess(beside.longest, idle + LATER)
        self.assertLess(cost.most_megabytes, megabytes)
        if seconds is not None:
            self.assertLess(used, seconds * SLOWER)
        return found

    def assert_refused(self, answer, statuses, codes):
        self.assertIn(answer.status, statuses, answer)
        self.assertIn(costly.code(answer.body), codes)


class Patches(Bounded):
    """C1, H1, H2: a patch costs its own bytes and those of the resource."""

    def test_C1_a_patch_that_copies_a_large_text_often(self):
        self.put(self.app, large("copied", "p1", 1))
        before = self.study.number("SELECT sum(length(content)) FROM record_version")

        def attack():
            return self.ask("PATCH", "Observation/copied", copies(900), content_type=JSON_PATCH)

        answer = self.bounded(attack, seconds=10, megabytes=500)
        self.assert_refused(answer, (413, 422), ("resource-too-large", "too-costly"))
        self.assertEqual(self.study.number("SELECT sum(length(content)) FROM record_version"), before)
        self.assertLess(len(self.ask("GET", "Observation?_count=10").body), ANSWER_BYTES)

    def test_C1_entries_of_a_transaction_that_copy(self):
        names = [f"several{number}" for number in range(6)]
        for name in names:
            self.put(self.app, large(name, "p1", 1))
        bundle = batch("transaction", *(patching(f"Observation/{name}", copies(900)) for name in names))
        answer = self.bounded(lambda: self.ask("POST", "", bundle), seconds=20, megabytes=600)
        self.assert_refused(answer, (400, 413, 422), ("resource-too-large", "too-costly"))

    def test_H1_a_path_that_looks_for_texts_in_texts(self):
        text = "ab" * 200_000
        self.put(self.app, {
            **observation("p1", 60), "id": "texts", "text": {"status": "generated", "div": f"<div>{text}</div>"},
            "extension": [{"url": "urn:x", "valueString": "ab" * 100_000 + "c"}] * 3})
        paths = [
            "Observation.where(text.`div`.contains(extension.value.first()))",
            "Observation.where(text.`div`.indexOf(extension.value.first()) > 0)",
            "Observation.where(text.`div`.replace(extension.value.first(), 'x').length() > 0)",
            "Observation.where(text.`div`.split(extension.value.first()).count() > 5)",
            "Observation.where(text.`div`.matches('(ab)*c'))",
            "Observation.extension.where(value.lastIndexOf('abababababababababc') > 5)",
        ]
        requests = [self.request("PATCH", "Observation/texts", fhirpath_patch(path)) for path in paths]
        answers = self.bounded(
            lambda: together("127.0.0.1", self.server.port, 0, requests, ELSEWHERE), seconds=30, megabytes=600)
        for status, code, _, seconds in answers:
            self.assertLess(status, 500, (status, code))
            self.assertLess(seconds, 20 * SLOWER)

    def test_H1_a_client_that_leaves_ends_its_patch(self):
        text = "ab" * 200_000
        self.put(self.app, {
            **observation("p1", 60), "id": "left", "text": {"status": "generated", "div": f"<div>{text}</div>"},
            "extension": [{"url": "urn:x", "valueString": "ab" * 100_000 + "c"}] * 3})
        path = " | ".join(["Observation.where(text.`div`.contains(extension.value.first()))"] * 20)

        def attack():
            for _ in range(6):
                costly.leave("127.0.0.1", self.server.port,
                             *self.request("PATCH", "Observation/left", fhirpath_patch(path)), source=ELSEWHERE)

        self.bounded(attack, seconds=30, megabytes=600)

    def test_H2_removals_from_an_object_of_many_members(self):
        member = {f"k{number}": 1 for number in range(150_000)}
        # An object of many members stands in the patch itself: none of R4's elements is one.
        operations = [{"op": "add", "path": "/note", "value": member}, *removals(900, "/note")]
        self.put(self.app, {**observation("p1", 60), "id": "members"})
        answer = self.bounded(
            lambda: self.ask("PATCH", "Observation/members", operations, content_type=JSON_PATCH), seconds=10,
            megabytes=700)
        self.assertLess(answer.status, 500)


class Answers(Bounded):
    """C2: an answer has 32 MB at most, and all answers together are bounded."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = [f"big{number}" for number in range(COUNT)]
        for name in cls.names:
            cls.put(cls.app, large(name, "p1"))
        for version in range(COUNT - 1):
            cls.put(cls.app, large("versions", "p1", valueInteger=version))

    def pages(self, path):
        """The entries of all pages, each within the bytes of an answer."""
        found, asked = [], path
        while asked:
            answer = self.ask("GET", asked)
            self.assertEqual(answer.status, 200, answer)
            self.assertLess(len(answer.body), ANSWER_BYTES)
            page = answer.json
            found += [entry["resource"]["id"] for entry in page.get("entry", [])]
            links = [link["url"] for link in page["link"] if link["relation"] == "next"]
            asked = links[0].partition("/fhir/")[2] if links else None
        return found

    def test_C2_a_batch_that_reads_one_large_record_often(self):
        bundle = batch("batch", *(reading("Observation/big0") for _ in range(500)))
        answer = self.bounded(lambda: self.ask("POST", "", bundle), seconds=10)
        self.assertEqual(answer.status, 200)
        self.assertLess(len(answer.body), ANSWER_BYTES)
        entries = answer.json["entry"]
        shown = [entry for entry in entries if "resource" in entry]
        self.assertGreater(len(shown), 5)
        self.assertLess(len(shown), 12)
        for entry in entries[len(shown):]:
            self.assertEqual(entry["response"]["outcome"]["issue"][0]["code"], "too-costly")

    def test_C2_pages_end_early_and_lose_nothing(self):
        paths = ["Observation?code=8867-4&_count=1000", "Observation?subject=Patient/p1&_sort=-date&_count=1000",
                 "Observation?code=8867-4&_elements=id&_count=1000", "Observation?code=8867-4&_summary=true&_count=1000",
                 "Patient/p1/$everything?_type=Observation&_count=1000"]

        def attack():
            return [self.pages(path) for path in paths]

        for path, found in zip(paths, self.bounded(attack)):
            found = [name for name in found if name.startswith("big")]
            self.assertEqual(sorted(found), sorted(self.names), path)

    def test_C2_histories_end_early_and_lose_nothing(self):
        writer = self.writer

        def attack():
            self.app, kept = writer, self.app
            try:
                return self.pages("Observation/versions/_history?_count=1000"), self.pages("Observation/_history?_count=1000")
            finally:
                self.app = kept

        one, all_of_type = self.bounded(attack)
        self.assertEqual(one, ["versions"] * (COUNT - 1))
        self.assertEqual(sorted(set(all_of_type) - {"witness"}), sorted({*self.names, "versions"}))

    def test_C2_searches_in_a_bundle_share_its_bytes(self):
        urls = ["Observation?code=8867-4&_count=1000", "Observation/_history?_count=1000", "Observation/versions/_history"]
        for kind in ("batch", "transaction"):
            bundle = batch(kind, *(reading(urls[place % 3]) for place in range(100)))
            answer = self.bounded(lambda sent=bundle: self.ask("POST", "", sent, token=self.writer), seconds=20)
            # A transaction fails with its first entry that fails.
            self.assertEqual(answer.status, 200 if kind == "batch" else 400)
            if kind == "transaction":
                self.assertIn("too-costly", answer.body.decode())
            self.assertLess(len(answer.body), ANSWER_BYTES)

    def test_C2_answers_that_nobody_reads(self):
        headers = {"Authorization": "Bearer " + self.app}

        def attack():
            return attacks.unread_answers(
                "127.0.0.1", self.server.port, SECONDS, count=40, path="/fhir/Observation?code=8867-4&_count=1000",
                headers=headers, source=ELSEWHERE)

        found = self.bounded(attack)
        self.assertGreater(found["opened"], 0)
        # They do not keep the budget of answers: others get pages, too.
        self.assertEqual(self.ask("GET", "Observation?_count=2&subject=Patient/w", token=self.other).status, 200)


class Searches(Bounded):
    """H3, H4: searches take turns by caller, and writes are not kept waiting."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        total = 20_000 if IS_LONG else 2_000
        for start in range(0, total, 500):
            entries = []
            for number in range(start, start + 500):
                made = {**observation("p1", 40 + number % 90), "id": f"s{number}",
                        "note": [{"text": f"text {number} " + "y" * 200}]}
                entries.append({"request": {"method": "PUT", "url": f"Observation/s{number}"}, "resource": made})
            answer = http("POST", cls.server.url + "/fhir", cls.headers(cls.writer), batch("transaction", *entries), 300)
            assert answer.status == 200, answer

    def costly(self, token=None):
        return self.request("GET", "Patient?_has:Observation:patient:code:not=1-8&_include=*&_revinclude=Observation:subject"
                            "&_sort=-_lastUpdated&_count=1000", token=token or self.app)

    def test_H3_many_searches_of_one_caller(self):
        answers = self.bounded(lambda: together(
            "127.0.0.1", self.server.port, SECONDS, [self.costly()] * 24, ELSEWHERE))
        self.assertLessEqual({status for status, *_ in answers}, {200, 400, 429, 503})
        self.assertTrue(answers)
        for _, _, count, _ in answers:
            self.assertLess(count, ANSWER_BYTES)

    def test_H3_other_callers_search_meanwhile(self):
        found = []

        def attack():
            stop = threading.Event()

            def honest():
                while not stop.is_set():
                    begun = time.monotonic()
                    answer = self.ask("GET", "Observation?subject=Patient/w", token=self.other)
                    found.append((answer.status, time.monotonic() - begun))
                    stop.wait(0.1)

            thread = threading.Thread(target=honest, daemon=True)
            thread.start()
            together("127.0.0.1", self.server.port, SECONDS, [self.costly()] * 24, ELSEWHERE)
            stop.set()
            thread.join(60)

        self.bounded(attack)
        self.assertEqual({status for status, _ in found}, {200})
        self.assertLess(max(seconds for _, seconds in found), 3 * SLOWER)

    def test_H3_seconds_of_search_are_limited(self):
        study = Study(change=lambda value: value.setdefault("limits", {}).update(
            rates={"search-seconds-by-caller": {"perSecond": 0.0001, "burst": 1}, "read-by-address": UNLIMITED}))
        self.addCleanup(study.close)
        server = study.serve()
        token = tributary("token", "create", study.dir, "--scope", "user/*.cruds conf/V sens/*").text.strip()
        for number in range(0, 2_000, 500):
            entries = [{"request": {"method": "POST", "url": "Basic"}, "resource": {
                "resourceType": "Basic", "code": {"text": f"t{number + place}"},
                "identifier": [{"system": "urn:s", "value": f"{place}"}]}} for place in range(500)]
            answer = http("POST", server.url + "/fhir", self.headers(token), batch("transaction", *entries), 300)
            self.assertEqual(answer.status, 200, answer)
        refused = None
        for _ in range(2_000):
            answer = http("GET", server.url + "/fhir/Basic?_count=1000&_sort=-_lastUpdated", self.headers(token))
            if answer.status != 200:
                refused = answer
                break
        self.assertEqual((refused.status, refused.code), (429, "rate-limited"))
        self.assertGreater(int(refused.headers["Retry-After"]), 0)
        # What is read by its id is no search, and others have their own seconds.
        other = tributary("token", "create", study.dir, "--scope", "user/*.rs conf/V sens/*").text.strip()
        self.assertEqual(http("GET", server.url + "/fhir/Basic?_count=1", self.headers(other)).status, 200)

    def test_H4_conditional_writes_keep_nobody_waiting(self):
        condition = "Observation?patient:Patient._has:Observation:patient:code:not=1-8&code:not=1-8&_lastUpdated=gt2999"
        requests = [self.request("PUT", condition, {**observation("p1", 61)}) for _ in range(8)]
        writes = Witness(
            self.server.port, "/fhir/Observation/witness-written", self.headers(self.other), method="PUT",
            body=json.dumps({**observation("w", 70), "id": "witness-written"}))

        def attack():
            return together("127.0.0.1", self.server.port, SECONDS, requests, ELSEWHERE)

        for witness in (None, writes):
            answers = self.bounded(attack, witness=witness)
            self.assertLessEqual({status for status, *_ in answers}, {200, 201, 400, 409, 412, 429, 503}, answers[:3])

    def test_a_client_that_leaves_ends_its_search(self):
        def attack():
            for _ in range(10):
                costly.leave("127.0.0.1", self.server.port, *self.costly(), source=ELSEWHERE, after=0.05)

        self.bounded(attack)
        until(lambda: self.ask("GET", "Observation?subject=Patient/w", token=self.other).status == 200, "searches go on", 20)


class Stopping(Bounded):
    def test_sigterm_ends_requests_at_work(self):
        self.put(self.app, large("stopped", "p1", 1))
        requests = [self.request("PATCH", "Observation/stopped", copies(900), content_type=JSON_PATCH)] * 6
        requests += [self.request("GET", "Observation?_count=1000&_include=*")] * 18
        thread = threading.Thread(
            target=lambda: together("127.0.0.1", self.server.port, 2, requests, ELSEWHERE), daemon=True)
        thread.start()
        time.sleep(0.5)
        begun = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        try:
            self.server.process.wait(25 * (2 if SLOWER > 1 else 1))
        finally:
            took = time.monotonic() - begun
            print(f"\n  ended {took:.1f} s after SIGTERM", file=sys.stderr)
        self.assertEqual(self.server.process.returncode, 0)


class Strangers(Bounded):
    """H5, M1 to M4, L3: callers who prove nothing."""

    @staticmethod
    def change(value):
        value["identifiedRecords"] = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        smart.person(cls.study, "anna", "participant", "--patient", "p1")
        cls.public = smart.client(cls.study, "launch/patient openid patient/*.rs offline_access", "--public")["client_id"]

    def test_H5_documents_are_made_once(self):
        for path in ("/openapi.json", "/fhir/metadata", "/fhir/metadata?_format=xml"):
            first = http("GET", self.server.url + path)
            self.assertEqual(first.status, 200)
            tag = first.headers["ETag"]
            self.assertTrue(tag, path)
            self.assertEqual(http("GET", self.server.url + path, {"If-None-Match": tag}).status, 304)
            requests = [("GET", path, {}, None)] * 4
            found = self.bounded(lambda sent=requests: together(
                "127.0.0.1", self.server.port, SECONDS, sent, ELSEWHERE))
            answered = [answer for answer in found if answer[0] == 200]
            self.assertLessEqual({answer[0] for answer in found}, {200, 429})
            self.assertGreater(len(answered), 0)

    def test_H5_a_document_costs_little(self):
        http("GET", self.server.url + "/openapi.json")
        cost = Cost(self.server.process)
        # From an address of its own: the bytes of these answers are charged to it.
        found = together("127.0.0.1", self.server.port, 2, [("GET", "/openapi.json", {}, None)], "127.0.0.9")
        self.assertLessEqual({answer[0] for answer in found}, {200, 429})
        self.assertGreater(len(found), 10)
        self.assertLess(cost.seconds / len(found), 0.02 * SLOWER)

    def tokens(self, username="anna", source=None):
        verifier, challenged = smart.challenge()
        browser = Browser(self.server.url)
        if source:
            strangers.browser_from(browser, source, Stay)
        sent = browser.code(smart.request(self.server, self.public, "patient/*.rs", challenged), username)
        return smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=sent["code"],
                          redirect_uri=REDIRECT, code_verifier=verifier, client_id=self.public)

    def test_M1_a_flood_with_a_public_client_id_locks_nobody_out(self):
        body = f"grant_type=refresh_token&refresh_token=guess&client_id={self.public}"
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        found = self.bounded(lambda: together(
            "127.0.0.1", self.server.port, SECONDS, [("POST", "/oauth2/token", form, body)] * 8, ELSEWHERE))
        self.assertLessEqual({status for status, *_ in found}, {400, 401, 429, 503})
        self.assertIn(429, {status for status, *_ in found})
        self.assertEqual(self.tokens().status, 200)

    def wrong_password(self, source):
        """Tries a wrong password; the status of what comes."""
        _, challenged = smart.challenge()
        browser = strangers.browser_from(Browser(self.server.url), source, Stay)
        page = browser.go(smart.request(self.server, self.public, "patient/*.rs", challenged))
        if page.status != 200:
            return page.status
        form = Form(page.body.decode())
        return browser.go(form.action, form.hidden + [("username", "anna"), ("password", "wrong")]).status

    def test_M2_the_right_password_is_not_kept_waiting_by_wrong_ones(self):
        statuses, count = [], 100 if IS_LONG else 30
        threads = [threading.Thread(
            target=lambda place=place: statuses.append(self.wrong_password(f"127.0.1.{place % 4 + 1}")), daemon=True)
            for place in range(count)]

        def attack():
            for thread in threads:
                thread.start()
            begun = time.monotonic()
            answer = self.tokens(source="127.0.9.9")
            took = time.monotonic() - begun
            for thread in threads:
                thread.join(120)
            return answer, took

        answer, took = self.bounded(attack)
        self.assertEqual(answer.status, 200)
        self.assertLess(took, 5 * SLOWER)
        self.assertLessEqual(set(statuses), {200, 400, 401, 403, 429, 503})

    def test_M3_wrong_passwords_lock_no_other_address(self):
        for _ in range(12):
            self.wrong_password("127.0.2.1")
        self.assertEqual(self.tokens(source="127.200.1.1").status, 200)

    def test_M4_a_control_character_is_a_bad_request(self):
        before = len(self.server.log)
        statuses = set()
        for path in ("/oauth2/authorize?client_id=%00", "/oauth2/authorize?client_id=a%01&response_type=code"):
            statuses |= {http("GET", self.server.url + path).status for _ in range(40)}
        for body in ("client_id=%00&grant_type=refresh_token", "client_id=a&grant_type=%00"):
            statuses |= {http("POST", self.server.url + "/oauth2/token",
                              {"Content-Type": "application/x-www-form-urlencoded"}, body).status for _ in range(40)}
        self.assertLessEqual(statuses, {400, 429})
        self.assertIn(400, statuses)
        self.assertLess(len(self.server.log) - before, 20_000)

    def test_L3_a_request_names_one_host(self):
        for hosts in ([], ["localhost", "localhost"], ["a", "b"]):
            lines = ["GET /health HTTP/1.1", *(f"Host: {host}" for host in hosts), "", ""]
            answer = strangers.raw("127.0.0.1", self.server.port, "\r\n".join(lines).encode())
            self.assertTrue(answer.startswith("HTTP/1.1 400"), (hosts, answer))


class Others(Bounded):
    """M5, L1, L4."""

    @staticmethod
    def change(value):
        Bounded.change(value)
        value["limits"]["writtenBytesPerDay"] = 4 << 20

    def test_M5_an_app_writes_so_many_bytes_a_day(self):
        statuses = []
        for number in range(6):
            answer = self.ask("PUT", f"Observation/quota{number}", large(f"quota{number}", "p1", 1))
            statuses.append(answer.status)
            if answer.status == 429:
                self.assertEqual(answer.code, "write-quota")
                self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(statuses[:3], [201] * 3)
        self.assertEqual(statuses[-1], 429)
        # Another patient's records have their own.
        self.put(self.other, {**observation("w", 70), "id": "quota-other"})

    def test_L1_an_app_cannot_take_the_id_of_a_device_to_come(self):
        device, system = "scale-1", "https://azure.microsoft.com/en-us/services/iomt-fhir-connector/"
        for text in (device, f"{system}_{device}", f"{system}|{device}"):
            guess = hashlib.sha256(text.encode()).hexdigest()
            taken = {"resourceType": "Device", "id": guess, "patient": {"reference": "Patient/p1"}}
            self.assertEqual(self.ask("PUT", f"Device/{guess}", taken).status, 201)
        tributary("devices", "register", self.study.dir, "--device", device, "--participant", "w")
        ids = [row[0] for row in self.study.sql("SELECT id FROM record WHERE type = 'Device' AND subject = 'w'")]
        self.assertEqual(len(ids), 1)
        identifier = self.ask("GET", f"Device/{ids[0]}", token=self.other).json["identifier"][0]
        self.assertEqual(identifier, {"system": system, "value": device})

    def test_L4_a_redirect_is_never_a_script_s(self):
        for address in ("javascript.x:alert(1)", "javascript:alert(1)", "data:text/html,x", "vbscript.a.b:x", "app:/x"):
            done = tributary("client", "create", self.study.dir, "--name", "App", "--public", "--redirect-uri", address,
                             "--scope", "patient/*.rs", status=None)
            self.assertNotEqual(done.status, 0, address)
            self.assertRegex(done.errors, "redirect")


class Operations(Bounded):
    """The general rule, for each operation of the FHIR API that takes resources: what it costs is bounded by a constant and by
    the size of the request, and it keeps no other caller's read waiting."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for number in range(12):
            cls.put(cls.app, large(f"big{number}", "p1"))
        entries = [{"request": {"method": "PUT", "url": f"Observation/n{number}"},
                    "resource": {**observation("p1", 40 + number % 90), "id": f"n{number}"}} for number in range(500)]
        answer = http("POST", cls.server.url + "/fhir", cls.headers(cls.writer), batch("transaction", *entries), 300)
        assert answer.status == 200, answer

    def repeated(self, *requests, statuses=(200,), seconds=None):
        """Sends requests eight at a time, and checks their bounds."""
        sent = [self.request(*request) for request in requests]
        many = (sent * 8)[:max(8, len(sent))]
        answers = self.bounded(lambda: together("127.0.0.1", self.server.port, SECONDS / 4, many, ELSEWHERE))
        self.assertLessEqual({status for status, *_ in answers}, {*statuses, 429, 503}, answers[:5])
        self.assertTrue(any(status in statuses for status, *_ in answers), answers[:5])
        sent_bytes = max(len(body or "") for *_, body in many)
        for _, _, count, took in answers:
            self.assertLess(count, ANSWER_BYTES + 2 * sent_bytes)
            self.assertLess(took, (seconds or 25) * SLOWER)
        return answers

    def test_search(self):
        self.repeated(("GET", "Observation?code=8867-4&_count=1000"), ("GET", "Observation?_sort=-date&_count=1000"))

    def test_chained_search(self):
        self.repeated(("GET", "Observation?subject:Patient._has:Observation:patient:code=8867-4&_count=1000"))

    def test_include(self):
        self.repeated(("GET", "Patient?_id=p1&_revinclude=Observation:subject"),
                      ("GET", "Observation?_include=*&_count=1000"), statuses=(200, 400))

    def test_history(self):
        self.repeated(("GET", "Observation/_history?_count=1000", None, self.writer),
                      ("GET", "Observation/big0/_history?_count=1000", None, self.writer))

    def test_everything(self):
        self.repeated(("GET", "Patient/p1/$everything?_count=1000"))

    def test_export(self):
        def attack():
            headers = {**self.headers(self.writer), "Prefer": "respond-async"}
            return [http("GET", self.server.url + "/fhir/$export", headers).status for _ in range(8)]

        self.assertLessEqual(set(self.bounded(attack)), {202, 429})

    def test_batch(self):
        self.repeated(("POST", "", batch("batch", *(reading("Observation?_count=1000") for _ in range(100)))))

    def test_transaction(self):
        entries = [patching(f"Observation/big{number}", [{"op": "add", "path": "/note/-", "value": {"text": "a"}}])
                   for number in range(12)]
        self.repeated(("POST", "", batch("transaction", *entries)), statuses=(200, 400, 409, 413))

    def test_json_patch(self):
        self.repeated(("PATCH", "Observation/big1", copies(100), None, JSON_PATCH), statuses=(200, 409, 413, 422))

    def test_merge_patch(self):
        self.repeated(("PATCH", "Observation/big2", {"note": [{"text": "b" * 900_000}]}, None,
                       "application/merge-patch+json"), statuses=(200, 409, 413, 422))

    def test_fhirpath_patch(self):
        self.repeated(("PATCH", "Observation/big3", fhirpath_patch("Observation.note.where(text.matches('(x|y)*z'))")),
                      statuses=(200, 400, 409, 413, 422))

    def test_validate(self):
        self.repeated(("POST", "Observation/$validate", large("validated", "p1")), statuses=(200, 422))

    def test_metadata(self):
        self.repeated(("GET", "metadata"), ("GET", "metadata?_format=xml"))

    def test_conditional_write(self):
        self.repeated(("PUT", "Observation?identifier=urn:c|1&subject=Patient/p1", {
            **observation("p1", 60), "identifier": [{"system": "urn:c", "value": "1"}]}),
            statuses=(200, 201, 409, 412))


if __name__ == "__main__":
    unittest.main()
