"""Callers without a token delay nobody: documents that are generated once, token requests, passwords, odd fields, heads."""

import gzip
import json
import os
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import smart
from harness import Study, http, tributary
from smart import Browser, Form, challenge

UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}


def processor_seconds(process):
    """Seconds of a processor that a process has used."""
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class AddressedBrowser(Browser):
    """A browser whose requests come through a proxy from an address."""

    def __init__(self, url, address):
        super().__init__(url)
        self.opener.addheaders = [("X-Forwarded-For", address)]


class Strangers(unittest.TestCase):
    rates = {}

    def study(self, *options, **rates):
        named = {name.replace("_", "-"): rate for name, rate in rates.items()}

        def change(value):
            value.setdefault("limits", {}).setdefault("rates", {}).update(named)

        study = Study(change=change)
        self.addCleanup(study.close)
        return study, study.serve(*options)

    def test_H5_documents_are_generated_once(self):
        _, server = self.study(read_by_address=UNLIMITED)
        for path, headers in (("/openapi.json", {}), ("/fhir/metadata?_format=xml", {}), ("/fhir/metadata", {"Accept-Encoding": "gzip"})):
            first = http("GET", server.url + path, headers)
            self.assertEqual(first.status, 200)
            tag = first.headers["ETag"]
            before, count = processor_seconds(server.process), 40
            for _ in range(count):
                answer = http("GET", server.url + path, headers)
                self.assertEqual((answer.status, answer.body, answer.headers["ETag"]), (200, first.body, tag))
            used = processor_seconds(server.process) - before
            # Generated for each request it took some 57 ms in a release build, and far more in a debug build.
            self.assertLess(used / count, 0.03, f"{path}: {used / count * 1000:.1f} ms a request")
            known = http("GET", server.url + path, {**headers, "If-None-Match": tag})
            self.assertEqual((known.status, known.body), (304, b""))
        statement = json.loads(gzip.decompress(first.body))
        self.assertEqual(statement["resourceType"], "CapabilityStatement")

    def test_H5_their_bytes_are_charged(self):
        _, server = self.study(read_by_address={"perSecond": 1, "burst": 400})
        statuses = [http("GET", server.url + "/openapi.json", {}).status for _ in range(20)]
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)
        self.assertLess(statuses.count(200), 10)

    def test_M1_a_flood_that_names_a_client_leaves_its_users_alone(self):
        study, server = self.study("--behind-proxy", "127.0.0.1", token_by_address=UNLIMITED,
                                   token_by_client={"perSecond": 0.01, "burst": 10})
        app = smart.client(study, "patient/*.rs", "--public")["client_id"]
        body = f"grant_type=refresh_token&refresh_token=x&client_id={app}".encode()

        def ask(address):
            return http("POST", server.url + "/oauth2/token",
                        {"Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": address}, body).status

        flood = [ask("198.51.100.1") for _ in range(30)]
        self.assertEqual((flood.count(400), flood.count(429)), (10, 20))
        self.assertEqual(ask("203.0.113.7"), 400)

    def browser(self, study, server, address):
        app = getattr(self, "app", None) or smart.client(study, "patient/*.rs", "--public")["client_id"]
        self.app = app
        browser = AddressedBrowser(server.url, address)
        page = browser.go(smart.request(server, app, "patient/*.rs", challenge()[1]))
        return browser, Form(page.body.decode())

    @staticmethod
    def sign_in(browser, form, password):
        return browser.go(form.action, form.hidden + [("username", "anna"), ("password", password)])

    def test_M3_ten_wrong_passwords_lock_their_own_address(self):
        study, server = self.study("--behind-proxy", "127.0.0.1", unauthenticated_by_address=UNLIMITED)
        smart.person(study, "anna", "participant", "--patient", "anna")
        browser, form = self.browser(study, server, "198.51.100.1")
        statuses = [self.sign_in(browser, form, "wrong horse").status for _ in range(12)]
        self.assertEqual(statuses, [403] * 10 + [429] * 2)
        for address in ("198.51.100.2", "203.0.113.1", "2001:db8::1"):
            browser, form = self.browser(study, server, address)
            self.assertEqual(self.sign_in(browser, form, smart.PASSWORD).status, 200, address)

    def test_M2_a_flood_of_passwords_delays_nobody_else(self):
        study, server = self.study("--behind-proxy", "127.0.0.1", unauthenticated_by_address=UNLIMITED,
                                   sign_in_by_address=UNLIMITED, sign_in_by_account=UNLIMITED,
                                   sign_in_by_account_overall=UNLIMITED)
        smart.person(study, "anna", "participant", "--patient", "anna")
        owner, form = self.browser(study, server, "203.0.113.1")
        flooders = [self.browser(study, server, f"198.51.100.{number % 4 + 1}") for number in range(40)]
        before = time.monotonic()
        self.sign_in(*self.browser(study, server, "203.0.113.2"), "wrong horse")
        one = time.monotonic() - before
        with ThreadPoolExecutor(41) as pool:
            flood = [pool.submit(self.sign_in, browser, theirs, "wrong horse") for browser, theirs in flooders * 2]
            time.sleep(0.2)
            before = time.monotonic()
            self.assertEqual(self.sign_in(owner, form, smart.PASSWORD).status, 200)
            took = time.monotonic() - before
            answers = [each.result() for each in flood]
        statuses = {answer.status for answer in answers}
        self.assertLessEqual(statuses, {403, 503})
        self.assertIn(503, statuses, "the queue has a bound")
        self.assertTrue(all(answer.headers["Retry-After"] for answer in answers if answer.status == 503))
        # One check that runs, one of the flood's turn, and its own; the rest is the machine's other work.
        self.assertLess(took, max(3.0, 12 * one), f"{took:.1f} s, one alone {one:.2f} s")

    def test_M4_control_characters_are_refused_and_fill_no_log(self):
        study, server = self.study(unauthenticated_by_address={"perSecond": 1, "burst": 50}, token_by_address={"perSecond": 1, "burst": 50})
        before = server.log.count("\n")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        statuses = []
        for _ in range(60):
            statuses.append(http("POST", server.url + "/oauth2/token", form, b"client_id=%00&grant_type=refresh_token&refresh_token=x").status)
            statuses.append(http("GET", server.url + "/oauth2/authorize?client_id=%00", {}).status)
        self.assertEqual(set(statuses), {400, 429})
        # One line a second for each code, of which there are two at most.
        self.assertLess(server.log.count("\n") - before, 60)

    def raw(self, server, text, until=b"\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(text)
            answer = b""
            while until not in answer:
                more = connection.recv(65536)
                if not more:
                    break
                answer += more
            return answer

    def test_L3_a_request_has_one_host(self):
        _, server = self.study()
        for hosts, status in ((b"", 400), (b"Host: a\r\nHost: b\r\n", 400), (b"Host: a\r\nHost: a\r\n", 400), (b"Host: a\r\n", 200)):
            answer = self.raw(server, b"GET /health HTTP/1.1\r\n" + hosts + b"\r\n")
            self.assertEqual(int(answer.split()[1]), status, hosts)

    def test_expect_is_answered(self):
        _, server = self.study()
        head = b"POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\nExpect: %s\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(head % b"100-continue")
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 100 "))
            connection.sendall(b"a=b")
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.raw(server, head % b"tea").startswith(b"HTTP/1.1 417 "))
        refused = self.raw(server, (head % b"100-continue").replace(b"/oauth2/token", b"/fhir/Patient"))
        self.assertTrue(refused.startswith(b"HTTP/1.1 401 "), refused[:60])

    def test_a_browser_gets_a_page(self):
        _, server = self.study()
        for path in ("/", "/fhir"):
            page = http("GET", server.url + path, {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
            text = page.body.decode()
            self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            for part in ("/fhir/metadata", "/openapi.json", "smart-configuration", "tributary token create", "Tributary "):
                self.assertIn(part, text)
            self.assertNotIn("<script", text)

    def test_an_address_of_a_script_is_no_redirect(self):
        study, _ = self.study()
        for address in ("javascript.x:/a", "data.x:text/html,x", "vbscript.x:/a"):
            refused = tributary("client", "create", study.dir, "--name", "x", "--public", "--redirect-uri", address,
                                "--scope", "patient/*.rs", status=None)
            self.assertNotEqual(refused.status, 0, address)


if __name__ == "__main__":
    unittest.main()
