"""kill -9 during grants and ends of permissions: request, Consent, Provenance and audit row are all present or all absent, and a used
nonce remains used.

TRIBUTARY_PERMISSION_KILLS is the number of rounds (3)."""

import json
import os
import sys
import threading
import time
import unittest

from fhirblocks import Csi, now, permission, post, put, settings, wallet, writer_token
from harness import Study, seeded, tributary

ROUNDS = int(os.environ.get("TRIBUTARY_PERMISSION_KILLS", "3"))
WRITERS = 3
CALLS = 200  # of a writer in a round, unless the server is killed before
WRITE, DELETE = "/permission/writePermission", "/permission/deletePermission"


class Killed(unittest.TestCase):
    def setUp(self):
        self.random = seeded()
        self.study = Study(change=settings())
        self.addCleanup(self.study.close)
        self.server = self.study.serve()
        writer = writer_token(self.study)
        self.owners, self.apps = [], []
        for number in range(WRITERS):
            put(self.server, writer, {"resourceType": "Patient", "id": f"p{number}"})
            owner = wallet(self.study, self.server, f"p{number}")
            self.owners.append(owner)
            self.apps.append([Csi(self.server, "Steps", device=owner.device).register() for _ in range(2)])
        # Each sent body with its path, and whether it was answered.
        self.sent, self.lock = [], threading.Lock()

    def work(self, number):
        """Grants and ends, until the server is killed."""
        owner = self.owners[number]
        for call in range(CALLS):
            app = self.apps[number][call % 2]
            if call % 3 == 2:
                path, body = DELETE, owner.signed(DELETE, permissionedGuidBeingDeleted=app.guid)
            else:
                grantees = self.apps[number] if call % 3 == 1 else [app]
                path, body = WRITE, owner.signed(WRITE, permission=permission(grantees, end=now(days=1)))
            try:
                answer = post(self.server, path, body)
            except OSError:
                answer = None
            with self.lock:
                self.sent.append((path, body, answer))
            if answer is None:
                return
            assert answer.status == 200, answer

    def requests(self):
        """The stored requests by their nonce, and the time at which each ended or gave permissions."""
        rows = self.study.sql("SELECT id, path, body FROM permission_request")
        return {json.loads(body)["nonce"]: (name, path) for name, path, body in rows}

    def check(self):
        """Everything of a permission is there."""
        study = self.study
        stored = self.requests()
        consents = {name: int(version) for name, version in study.sql("SELECT id, version FROM record WHERE type = 'Consent'")}
        used = {nonce for nonce, in study.sql("SELECT nonce FROM csi_nonce")}
        permissions = study.sql("SELECT id, request_id, ended_at, ending_request_id FROM access_permission")
        # 1. Each permission has its Consent, in the version of its state, and its requests.
        names = {name for name, _ in stored.values()}
        self.assertEqual(set(consents), {row[0] for row in permissions})
        for name, request, ended, ending in permissions:
            self.assertEqual(consents[name], 1 if ended is None else 2, name)
            self.assertIn(request, names)
            self.assertTrue(ended is None or ending in names, name)
        # 2. A Provenance for each version.
        self.assertEqual(study.number("SELECT count(*) FROM record WHERE type = 'Provenance'"), sum(consents.values()))
        # 3. Nonce, effect and audit row of a call are stored together.
        audited = study.number("SELECT count(*) FROM audit WHERE action IN ('grant-permission', 'end-permission') AND allowed = 1")
        calls = 0
        for path, body, answer in self.sent:
            is_used = body["nonce"] in used
            calls += is_used
            if answer is not None:
                self.assertTrue(is_used, (path, answer))
            # An end that found no permission stores no request.
            if path == WRITE:
                self.assertEqual(body["nonce"] in stored, is_used, (path, answer))
        self.assertEqual(audited, calls)
        given = sum(len(body["permission"]["permissionedCsiGuids"]) for path, body, _ in self.sent
                    if path == WRITE and body["nonce"] in used)
        self.assertEqual(len(permissions), given)
        return used

    def test_each_call_is_complete_or_has_no_effect(self):
        for _ in range(ROUNDS):
            self.sent = [one for one in self.sent if one[2] is not None or one[1]["nonce"] in self.used]
            threads = [threading.Thread(target=self.work, args=(number,)) for number in range(WRITERS)]
            for thread in threads:
                thread.start()
            time.sleep(self.random.uniform(0.05, 1.5))
            self.server.kill()
            for thread in threads:
                thread.join()
            # Before a server starts, and with it.
            self.used = self.check()
            self.server = self.study.serve()
            for one in [*self.owners, *(app for apps in self.apps for app in apps)]:
                one.server = self.server
            self.replay()
        lost = sum(1 for _, _, answer in self.sent if answer is None)
        print(f"  {len(self.sent)} calls, {lost} without an answer", file=sys.stderr)
        self.assertEqual(self.server.stop(), 0)
        self.assertTrue(self.study.is_sound())
        result = tributary("permission", "verify", self.study.dir, "--json").json
        self.assertEqual(result, {"ok": True, "permissions": self.study.number("SELECT count(*) FROM access_permission")})
        self.assertTrue(tributary("audit", "verify", self.study.dir, "--json").json["ok"])

    used = frozenset()

    def replay(self):
        """A used nonce remains used; a call without effect can be sent again."""
        newest = self.sent[-WRITERS * 2:]
        for number, (path, body, answer) in enumerate(newest):
            again = post(self.server, path, body)
            if body["nonce"] in self.used:
                self.assertEqual((again.status, again.code), (401, "nonce_reused"), (path, answer, again))
            else:
                self.assertIsNone(answer)
                self.assertEqual(again.status, 200, again)
                self.sent[len(self.sent) - len(newest) + number] = (path, body, again)
        self.used = self.check()


if __name__ == "__main__":
    unittest.main()
