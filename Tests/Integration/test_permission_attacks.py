"""Attacks on signed calls and permissions, one test a row: A01 to A04, A06, A08, A10 to A18, P03, P04. The rows of single steps
(A05, A07, A09) are tests of the modules.

TRIBUTARY_CSI_REGISTRATIONS is the number of registrations of A17 (500)."""

import base64
import collections
import concurrent.futures
import copy
import http.client
import json
import os
import time
import unittest
import urllib.parse

from fhirblocks import ORDER, Csi, Key, claims, der, get, instant, nonce, now, numbers, openssl, permission, post, twin, wallet_code
from harness import Study, tributary
from test_permissions import Permitting

GIVEN, RECEIVED = "/permission/fetchPermissionsGivenByMe", "/permission/fetchPermissionsGivenToMe"
WRITE, DELETE = "/permission/writePermission", "/permission/deletePermission"
REGISTRATIONS = int(os.environ.get("TRIBUTARY_CSI_REGISTRATIONS", "500"))
CLAIMS, REGISTER = "/csi/fetchPublicClaims", "/csi/requestCsiRegistration"


class Attacks(Permitting):
    legacy = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = cls.wallet()
        cls.victim = cls.app(cls.owner)
        cls.attacker = cls.app()

    def audited(self):
        return self.study.number("SELECT count(*) FROM audit")

    def state(self):
        """Each csi with its key, each permission, each Consent."""
        return [self.study.sql(statement) for statement in (
            "SELECT c.guid, r.key_set, c.device_id, c.participant, c.ended_at FROM csi c JOIN registered_client r ON r.id = c.guid "
            "ORDER BY c.guid",
            "SELECT id, ended_at FROM access_permission ORDER BY id",
            "SELECT type, id, version FROM record WHERE type IN ('Consent', 'Provenance') ORDER BY type, id")]

    def nothing_changes(self, before):
        self.assertEqual(self.state(), before)

    def test_A01_an_exact_replay_is_refused(self):
        for body, path in ((self.owner.signed(WRITE, permission=permission([self.victim])), WRITE),
                           (self.owner.signed(RECEIVED), RECEIVED), (self.owner.signed(GIVEN, 1), GIVEN)):
            self.assertEqual(post(self.server, path, body).status, 200)
            before, rows = self.state(), self.audited()
            for _ in range(3):
                self.refused(post(self.server, path, body), 401, "nonce_reused")
            self.nothing_changes(before)
            self.assertGreaterEqual(self.audited(), rows)

    def test_A02_a_nonce_is_one_of_all_calls(self):
        self.owner.grant(self.victim)
        # Version 1 signs the same text for both calls.
        body = self.owner.signed(CLAIMS, 1, desiredCsiGuid=self.victim.guid)
        self.assertEqual(post(self.server, CLAIMS, body).status, 200)
        body["permissionedGuidBeingDeleted"] = body.pop("desiredCsiGuid")
        self.refused(post(self.server, DELETE, body), 401, "nonce_reused")
        # Version 2 signs the path.
        body = self.owner.signed(CLAIMS, desiredCsiGuid=self.victim.guid)
        body["permissionedGuidBeingDeleted"] = body.pop("desiredCsiGuid")
        self.refused(post(self.server, DELETE, body), 401, "bad_signature")
        self.assertTrue(self.victim.received())

    def test_A03_nonces_are_those_of_a_csi(self):
        once = nonce()
        body = self.owner.signed(RECEIVED, once=once)
        self.assertEqual(post(self.server, RECEIVED, body).status, 200)
        self.assertEqual(self.attacker.call(RECEIVED, once=once).status, 200)
        self.refused(post(self.server, RECEIVED, body), 401, "nonce_reused")
        # A nonce that failed is not used up: otherwise a stranger could use up those of another.
        once = nonce()
        self.refused(self.owner.call(RECEIVED, once=once, key=self.attacker.key), 401, "bad_signature")
        self.assertEqual(self.owner.call(RECEIVED, once=once).status, 200)

    def test_A04_time_is_within_300_seconds_and_of_one_form(self):
        for time, status, code in (
                (now(seconds=-330), 401, "stale_request"), (now(seconds=330), 401, "stale_request"),
                ("9999-12-31T23:59:59.000Z", 401, "stale_request"), (instant(now())[:-1], 400, "bad_field"),
                (instant(now())[:-7] + "60.000Z", 400, "bad_field"), (instant(now())[:-1] + "+00:00", 400, "bad_field"),
                (instant(now())[:-5] + "Z", 400, "bad_field"), ("", 400, "bad_field"), ("now", 400, "bad_field")):
            for version in (1, 2):
                self.refused(self.owner.call(RECEIVED, version=version, time=time), status, code)
        for seconds in (-250, 250):
            self.assertEqual(self.owner.call(RECEIVED, time=now(seconds=seconds)).status, 200)

    def test_A06_one_of_100_concurrent_requests_succeeds(self):
        granted, rows = len(self.owner.given()), self.audited()
        body = self.owner.signed(WRITE, permission=permission([self.app(self.owner)]))
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(lambda _: post(self.server, WRITE, body), range(100)))
        counts = collections.Counter((answer.status, answer.code) for answer in answers)
        self.assertEqual(counts.pop((200, None), 0), 1, counts)
        # The server may refuse what it has no time for, but never does it twice.
        self.assertEqual({status for status, _ in counts} - {401, 429, 503}, set(), counts)
        self.assertGreater(counts[(401, "nonce_reused")], 0)
        self.assertEqual(len(self.owner.given()), granted + 1)
        self.assertGreater(self.audited(), rows)

    def test_A08_the_other_signature_of_a_request_is_a_replay(self):
        body = self.owner.signed(RECEIVED)
        other = body | {"signature": twin(body["signature"])}
        self.assertNotEqual(body["signature"], other["signature"])
        self.assertEqual(post(self.server, RECEIVED, other).status, 200, "a high s is one of Apple's keys")
        for again in (body, other):
            self.refused(post(self.server, RECEIVED, again), 401, "nonce_reused")

    def test_A09_signatures_of_another_form_are_refused(self):
        body = self.owner.signed(RECEIVED)
        raw = base64.b64decode(body["signature"])
        r, s = numbers(raw)
        for signature in (raw + b"\0", raw[:-1], b"", b"\0" * 64, r.to_bytes(32, "big") + s.to_bytes(32, "big"), der(0, s), der(r, 0),
                          der(ORDER, s), der(r + ORDER, s), b"\x30\x81" + raw[1:], b"x" * 1_000):
            self.refused(post(self.server, RECEIVED, body | {"signature": base64.b64encode(signature).decode()}), 401, "bad_signature")
        for signature in (body["signature"].rstrip("=") + "\n", " " + body["signature"], "é"):
            self.refused(post(self.server, RECEIVED, body | {"signature": signature}), 401, "bad_signature")
        answer = post(self.server, RECEIVED, body | {"signature": "A" * 1_000_000})
        self.assertIn((answer.status, answer.code), ((413, "too_large"), (400, "malformed")))
        self.assertEqual(post(self.server, RECEIVED, body).status, 200, "the nonce is not used up")

    def changes(self, body):
        """The same body with one value changed to another that is well formed: the path of the value, and the body."""
        others = {
            "endTime": instant(now(hours=5)), "startTime": instant(now(minutes=-1)), "timeStamp": instant(now(minutes=-2)),
            "dateTime": instant(now(seconds=2)), "accessType": "write", "confidentialityScope": "V", "resourceScope": "Condition",
            "nonce": nonce(), "csiGuid": self.attacker.guid, "desiredCsiGuid": self.attacker.guid, "revokedCsiGuid": self.attacker.guid,
            "permissionedGuidBeingDeleted": self.attacker.guid, "permissionId": "other", "parentPermissionId": "other",
            "code": "another-code", "publicKey": self.attacker.key.public, "deviceId": "another", "applicationClass": "Another",
            "value": "Ann"}

        def walk(value, path):
            if isinstance(value, dict):
                for name in value:
                    yield from walk(value[name], [*path, name])
            elif isinstance(value, list):
                if path[-1] == "permissionedCsiGuids":
                    yield [*path], [*value, self.attacker.guid]
                    yield [*path, 0], self.attacker.guid
                elif path[-1] == "sensitivityScope":
                    yield [*path], [*value, "SOC"]
                    yield [*path], []
                else:
                    for index, part in enumerate(value):
                        yield from walk(part, [*path, index])
            elif path[-1] in others:
                yield path, others[path[-1]]

        for path, value in list(walk(body, [])):
            changed = copy.deepcopy(body)
            inner = changed
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = value
            if changed != body:
                yield path, changed

    def test_A10_no_field_of_version_2_can_be_changed(self):
        owner, victim = self.owner, self.victim
        [granted] = owner.grant(victim, access="write")
        new, third = Csi(self.server), self.app()
        given = permission([victim], "Observation", "read", "N", ["ETH"])
        bodies = [
            (WRITE, owner.signed(WRITE, permission=given)),
            (WRITE, victim.signed(WRITE, permission=permission([third], parent=granted))),
            (DELETE, owner.signed(DELETE, permissionedGuidBeingDeleted=victim.guid)),
            (DELETE, owner.signed(DELETE, permissionedGuidBeingDeleted=victim.guid, permissionId=granted)),
            (GIVEN, owner.signed(GIVEN)), (RECEIVED, owner.signed(RECEIVED)),
            (CLAIMS, owner.signed(CLAIMS, desiredCsiGuid=victim.guid)), ("/csi/bind", owner.signed("/csi/bind", code="a-code")),
            ("/csi/revoke", owner.signed("/csi/revoke", revokedCsiGuid=victim.guid)),
            ("/csi/rotateKey", owner.signed("/csi/rotateKey", new_key=new.key, publicKey=new.key.public)),
            (REGISTER, new.registration())]
        before, count = self.state(), 0
        for path, body in bodies:
            for field, changed in self.changes(body):
                answer = post(self.server, path, changed)
                self.assertEqual((answer.status, answer.code), (401, "bad_signature"), (path, field, answer))
                count += 1
            # Cipher, version and the presence of fields are checked before the signature.
            name = "cipherSpec" if path == REGISTER else "cipher"
            self.refused(post(self.server, path, body | {name: "rsa"}), 400, "bad_cipher")
            self.refused(post(self.server, path, body | {"sigVersion": "3"}), 400, "bad_field")
            first = {key: value for key, value in body.items() if key != "sigVersion"}
            answer = post(self.server, path, first)
            self.assertIn((answer.status, answer.code), ((401, "bad_signature"), (400, "malformed")), (path, "sigVersion"))
        self.assertGreater(count, 60)
        self.nothing_changes(before)
        rotation = bodies[-2][1]
        self.refused(post(self.server, "/csi/rotateKey", rotation | {"proof": rotation["signature"]}), 401, "bad_signature")
        # The bodies themselves are accepted, so that the changes were the reason.
        for path, body in (bodies[0], bodies[4], bodies[-1]):
            self.assertEqual(post(self.server, path, body).status, 200, path)

    def test_A11_texts_that_could_be_read_in_two_ways_are_refused(self):
        before = self.state()
        guid = self.victim.guid
        fresh = Csi(self.server)
        strange = ["a|b", "a\nb", "a\0b", "a\u202eb", "e\u0301", 'a"b', "a\rb"]
        for text in strange:
            for version in (1, 2):
                bodies = [
                    (REGISTER, fresh.registration(version=version, deviceId=text)),
                    (REGISTER, fresh.registration(version=version, values=(text, "", "", "", ""))),
                    (REGISTER, fresh.registration(version=version, applicationClass=text)),
                    (CLAIMS, self.owner.signed(CLAIMS, version, desiredCsiGuid=(text + guid)[:36])),
                    (WRITE, self.owner.signed(WRITE, version, permission=permission([guid], sensitivities=[text]))),
                    (WRITE, self.owner.signed(WRITE, version, permission=permission([guid], types=text))),
                    (RECEIVED, self.owner.signed(RECEIVED, version, once=(text + nonce())[:36]))]
                for path, body in bodies:
                    answer = post(self.server, path, body)
                    self.assertEqual((answer.status, answer.code), (400, "bad_field"), (text, version, path, answer))
        # A lone surrogate is no text.
        body = json.dumps(self.owner.signed(CLAIMS, desiredCsiGuid=guid)).replace(guid, "\\ud800" + guid[1:], 1)
        self.refused(post(self.server, CLAIMS, body), 400, "malformed")
        self.nothing_changes(before)

    def test_A12_a_value_is_not_moved_between_the_lists(self):
        body = self.owner.signed(WRITE, 1, permission=permission([self.victim], "Patient", "write", "V", ["ETH", "SOC"]))
        more = copy.deepcopy(body)
        more["permission"]["permissionedCsiGuids"].append(self.attacker.guid)
        moved = copy.deepcopy(body)
        moved["permission"]["permissionedCsiGuids"] = [self.attacker.guid]
        moved["permission"]["heartScope"]["sensitivityScope"] = [self.victim.guid, "ETH", "SOC"]
        for changed in (more, moved):
            self.refused(post(self.server, WRITE, changed), 401, "bad_signature")

    def test_A13_fields_are_known_and_occur_once(self):
        body = self.owner.signed(CLAIMS, desiredCsiGuid=self.owner.guid)
        text = json.dumps(body)
        doubled = text[:-1] + f', "csiGuid": "{self.attacker.guid}"}}'
        escaped = text[:-1] + f', "csiG\\u0075id": "{self.attacker.guid}"}}'
        for changed in (doubled, escaped, "[]", "null", "", "{", text + "x", b"\xff" + text.encode(),
                        body | {"more": "x"}, body | {"csiGuid": 1}, body | {"nonce": None}, body | {"signature": ["x"]},
                        {name: value for name, value in body.items() if name != "nonce"}, "[" * 60_000,
                        {**body, "permission": {"a": "b"}}):
            self.refused(post(self.server, CLAIMS, changed), 400, "malformed")
        for changed in (body | {"nonce": "short"}, body | {"nonce": "n" * 65}, body | {"csiGuid": "g" * 35}):
            self.refused(post(self.server, CLAIMS, changed), 400, "bad_field")
        answer = self.server.request("POST", CLAIMS, {"Content-Type": "text/plain"}, text)
        self.refused(answer, 415, "unsupported_media_type")
        self.assertEqual(post(self.server, CLAIMS, body).status, 200)

    def test_A14_a_guid_is_not_taken_over(self):
        thief = Csi(self.server)
        before = self.state()
        for version in (1, 2):
            body = thief.registration(guid=self.victim.guid, version=version)
            self.refused(post(self.server, REGISTER, body), 409, "csi_exists")
        self.nothing_changes(before)
        self.assertEqual(self.victim.call(RECEIVED).status, 200)

    def test_A15_only_the_server_issues_guids(self):
        for guid in (nonce(), "0" * 36, self.victim.guid[::-1]):
            self.refused(post(self.server, REGISTER, Csi(self.server).registration(guid=guid)), 400, "bad_field")
        issued = get(self.server, "/util/getGloballyUniqueIdentifier").json["guid"]
        changed = issued[:-1] + ("a" if issued[-1] != "a" else "b")
        self.refused(post(self.server, REGISTER, Csi(self.server).registration(guid=changed)), 400, "bad_field")
        self.assertEqual(post(self.server, REGISTER, Csi(self.server).registration(guid=issued)).status, 200)
        self.refused(post(self.server, REGISTER, Csi(self.server).registration(guid=issued)), 409, "csi_exists")

    def test_A16_keys_of_another_form_are_refused(self):
        def info(*arguments):
            return openssl(*arguments, "-pubout", "-outform", "DER")

        key = Key()
        point = key.info[-65:]
        prefix = key.info[:-65]
        off = bytearray(point)
        off[-1] ^= 1
        rsa = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        wrong = [Key("secp384r1").info, Key("secp256k1").info, openssl("rsa", "-pubout", "-outform", "DER", stdin=rsa),
                 info("ec", "-in", key.file, "-conv_form", "compressed"), info("ec", "-in", key.file, "-conv_form", "hybrid"),
                 prefix + bytes(off), prefix + b"\0" * 65, prefix + b"\0", key.info + b"\0", key.info[:-1], b"", b"x" * 91]
        for content in wrong:
            answer = post(self.server, REGISTER, Csi(self.server, key=key).registration(
                publicKey=base64.b64encode(content).decode()))
            self.refused(answer, 400, "bad_field")
        for text in (key.public + "\n", key.public.rstrip("=")[:-1], "*" * 124, key.pem):
            answer = post(self.server, REGISTER, Csi(self.server, key=key).registration(publicKey=text))
            self.refused(answer, 400, "bad_field")
        answer = post(self.server, REGISTER, Csi(self.server, key=key).registration(publicKey="A" * 100_000))
        self.assertIn((answer.status, answer.code), ((400, "malformed"), (413, "too_large")))

    def test_A18_strangers_and_unknown_csis_have_one_answer(self):
        answers = []
        for guid in (self.owner.guid, self.victim.guid, nonce(), "0" * 36):
            answer = self.refused(self.attacker.claims_of(guid), 404, "no_such_csi")
            body = answer.json
            self.assertTrue(body.pop("requestId"))
            answers.append((body, sorted(name for name in answer.headers if name.lower() != "date")))
        self.assertEqual(answers, [answers[0]] * 4)
        self.refused(self.stranger().call(RECEIVED), 401, "unknown_csi")

    def stranger(self):
        """A csi that was never registered."""
        one = Csi(self.server)
        one.guid = nonce()
        return one


class Delegation(Permitting):
    def test_P03_a_permission_that_is_passed_on_is_within_its_parent(self):
        owner = self.wallet()
        app, doctor, second, plain = self.app(owner), self.app(), self.app(), self.app()
        for one, role in ((doctor, "provider"), (second, "caregiver")):
            tributary("csi", "role", self.study.dir, one.guid, "--role", role)
        begin, end = now(minutes=-10), now(days=5)
        terms = {"types": "Observation,Condition", "confidentiality": "N", "sensitivities": ["ETH"], "start": begin, "end": end}
        [parent] = owner.grant(app, access="write", **terms)
        [readable] = owner.grant(second, access="read")
        within = {**terms, "start": now(minutes=-5), "end": now(days=4), "parent": parent}
        # 1. Wider in each dimension.
        for wider in ({"types": "*"}, {"types": "Observation,Patient"}, {"confidentiality": "R"}, {"confidentiality": "V"},
                      {"sensitivities": ["ETH", "HIV"]}, {"sensitivities": ["PSY"]}, {"start": now(minutes=-30)}, {"end": now(days=6)}):
            self.refused(app.write(permission([doctor], **{**within, **wider})), 403, "delegation_exceeds_grant")
        # 2. Within: a code that a code of the parent covers, and a lower confidentiality.
        [passed] = app.grant(doctor, **{**within, "sensitivities": ["SUD"], "confidentiality": "L", "types": "Condition"})
        [whole] = app.grant(doctor, **{**within, "access": "write"})
        self.assertEqual({row["parentPermissionId"] for row in doctor.received()}, {parent})
        # 3. Without a role, to itself, a second step, in a circle, and by a parent that is not one's own.
        self.refused(app.write(permission([plain], **within)), 403, "not_permitted")
        self.refused(app.write(permission([app], **within)), 403, "self_grant")
        self.refused(owner.write(permission([owner])), 403, "self_grant")
        for parent_id in (passed, whole):
            answer = doctor.write(permission([second], **{**within, "parent": parent_id, "types": "Condition"}))
            self.assertEqual(answer.status, 403, answer)
        answer = doctor.write(permission([app], **{**within, "parent": whole}))
        self.assertEqual(answer.status, 403, answer)
        for writer, parent_id in ((doctor, parent), (second, readable), (app, "unknown"), (app, None), (plain, parent)):
            answer = writer.write(permission([second if writer is not second else doctor], **{**within, "parent": parent_id}))
            self.assertEqual(answer.status, 403, (writer.guid, parent_id, answer))
        # 4. After the end of the parent.
        token = doctor.token()
        self.assertEqual(owner.end(app, parent).json["revoked"], 1)
        self.assertEqual(doctor.received(), [])
        self.assertIn(doctor.read("Condition", token).status, (401, 403))
        self.assertEqual(app.write(permission([doctor], **within)).status, 403)

    def test_P04_periods_and_grantees_are_bounded(self):
        owner = self.wallet()
        app = self.app(owner)
        ended = self.app(owner)
        owner.revoke(ended)
        for start, end in ((now(), now(seconds=-5)), (now(), now(days=36_500)), (now(), now(days=367)),
                           ("2026-11-29T10:00:00.000Z", "2026-11-29T10:00:00.000Z")):
            self.refused(owner.write(permission([app], start=start, end=end)), 400, "period_invalid")
        others = [nonce() for _ in range(10_000)]
        answer = owner.write(permission(others))
        self.assertIn((answer.status, answer.code), ((413, "too_large"), (400, "malformed")))
        for grantees in (others[:101], [], [app.guid, app.guid]):
            self.refused(owner.write(permission(grantees)), 400, "bad_field")
        # An unknown csi and one that has ended have one answer, and a list is granted as a whole or not at all.
        answers = []
        for grantees in ([others[0]], [ended.guid], [app.guid, others[0]]):
            body = self.refused(owner.write(permission(grantees)), 400, "bad_field").json
            body.pop("requestId")
            answers.append(body)
        self.assertEqual(answers, [answers[0]] * 3)
        self.assertEqual((owner.given(), app.received()), ([], []))
        unbound = Csi(self.server, "Wallet", device=app.device).register()
        self.refused(unbound.write(permission([app])), 403, "not_permitted")
        more = [self.app(owner) for _ in range(3)]
        self.assertEqual(len(owner.grant(*more)), 3)

    def test_codes_of_wallets_have_one_answer(self):
        unbound = Csi(self.server, "Wallet").register()
        code = wallet_code(self.study, self.patient())
        for wrong in ("wrong", code[:-1] + ("a" if code[-1] != "a" else "b"), code * 2):
            self.refused(unbound.call("/csi/bind", code=wrong), 403, "not_permitted")
        unbound.bind(code)
        self.assertEqual(unbound.ask("/csi/fetchPublicClaims", desiredCsiGuid=unbound.guid)["claims"], claims())


class Flood(Permitting):
    """Registrations with the limits that a study has unless it changes them."""

    @classmethod
    def make_study(cls):
        return Study(change=lambda value: value.update(identifiedRecords=True))

    def test_A17_a_flood_of_registrations_is_refused(self):
        owner = self.wallet()
        bytes_of = json.dumps(Csi(self.server, "Flood").registration()).encode()
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.url).netloc, timeout=60)
        self.addCleanup(connection.close)
        answers, begin = collections.Counter(), time.monotonic()
        for _ in range(REGISTRATIONS):
            connection.request("POST", REGISTER, bytes_of, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            answers[answer.status] += 1
            if answer.status == 429:
                self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
                self.assertEqual(body["error"], "too_many_requests")
        # One of them registers, the others repeat its nonce, and the limit lets through 60 and one a second.
        through = 60 + (time.monotonic() - begin) + 1
        self.assertLessEqual(answers[200], 1)
        self.assertLessEqual(answers[200] + answers[401], through, answers)
        self.assertEqual(sum(answers.values()) - answers[200] - answers[401], answers[429], answers)
        self.assertEqual(self.study.number("SELECT count(*) FROM csi"), 1 + answers[200])
        # Calls of instances that exist are not delayed.
        self.assertEqual(owner.given(), [])


if __name__ == "__main__":
    unittest.main()
