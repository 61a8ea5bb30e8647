"""Phones that sign: nobody else writes for them, what is lost shows, a new phone and a new participant come by code."""

import json
import re
import unittest

from forms import VISIT, new_id, response, visit
from harness import ANTISPAM, CONSENT_ANSWERS, EXAMPLES, SpineTest, Study, contract_file, http, tributary, until
from sealed import SealedClient


class Signed(SpineTest):
    signs = True

    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def signers(self, person):
        return {row[0] for row in self.study.sql(
            "SELECT v.signer FROM record r JOIN record_history v ON v.number = r.number WHERE r.subject = ?", person)}

    def test_what_a_phone_sends_is_stored_with_the_key_that_signed_it(self):
        device = self.member()
        signers = self.signers(device.participant)
        self.assertEqual(len(signers), 1)
        self.assertRegex(signers.pop(), r"\A[A-Za-z0-9_-]{43}\Z")
        pinned = self.study.sql("SELECT key_id, participant FROM device_key WHERE participant = ?", device.participant)
        self.assertEqual(len(pinned), 1)
        key = device.store / "signing-key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        self.assertEqual(len(key.read_bytes()), 32)
        audit = self.study.number("SELECT count(*) FROM audit WHERE reason = 'pinned'")
        self.assertGreaterEqual(audit, 1)

    def test_nothing_unsigned_is_taken_from_who_signs_nor_from_anybody_new(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        before = self.study.number("SELECT count(*) FROM record_history")
        self.assertEqual(client.outcome(client.send(response(device.participant))), ("held", "signature-missing"))
        stranger = SealedClient(self.server, self.study)
        contract = json.loads(self.study.sql(
            "SELECT content FROM record_history WHERE type = 'Contract' AND id NOT LIKE 'published-%' LIMIT 1")[0][0])
        forged = json.loads(json.dumps(contract).replace(device.participant, new_id()))
        self.assertEqual(stranger.outcome(stranger.send({**forged, "id": new_id()})), ("held", "signature-missing"))
        self.assertEqual(self.study.number("SELECT count(*) FROM record_history"), before)

    def test_another_phone_comes_by_the_teams_code_alone(self):
        old = self.member()
        new = self.study.device(self.server)
        code = tributary("enrolment", "move", self.study.dir, "--participant", old.participant, "--json").json["code"]
        done = new.run(
            "consent", "--contract", contract_file(), "--answers", CONSENT_ANSWERS, "--name", "N", "--code", code)
        self.assertEqual(done.json["participant"], old.participant)
        new.send()
        self.assertEqual({row["status"] for row in new.settled().values()}, {"stored"})
        keys = self.study.sql("SELECT ended_at IS NULL FROM device_key WHERE participant = ? ORDER BY number", old.participant)
        self.assertEqual(keys, [(0,), (1,)])

    def test_what_the_server_never_got_is_sent_again_and_shown_meanwhile(self):
        device = self.member()
        lost = self.answer(device)
        later = self.answer(device)
        # Somebody on the way says that the study has it: the phone believes them.
        (device.store / "outbox" / lost).rename(device.store / "sent" / lost)
        device.send()
        until(lambda: device.deliveries()[later.split(".")[2]]["status"] == "stored", "what followed is stored")
        [row] = [row for row in tributary("study", "status", self.study.dir, "--json").json["devices"]
                 if row["participant"] == device.participant]
        number = int(lost.split(".")[0])
        self.assertEqual([(hole["from"], hole["to"]) for hole in row["missing"]], [(number, number)])
        device.send()
        device.send()
        until(lambda: device.deliveries().get(lost.split(".")[2], {}).get("status") == "stored", "it came after all")
        self.assertFalse([row for row in tributary("study", "status", self.study.dir, "--json").json["devices"]
                          if row["participant"] == device.participant])

    def answer(self, device):
        """Queues an answer; returns its file's name."""
        before = set(path.name for path in (device.store / "outbox").glob("*.sealed"))
        device.answer(VISIT, visit())
        [name] = set(path.name for path in (device.store / "outbox").glob("*.sealed")) - before
        return name


class Invited(unittest.TestCase):
    def test_a_participant_begins_with_a_code_that_serves_once(self):
        study = Study(signed=True, change=lambda value: value.update(invitation="required"))
        self.addCleanup(study.close)
        server = study.serve()
        codes = tributary("participant", "invite", study.dir, "--count", "2").json
        self.assertEqual([set(row) for row in codes], [{"code", "expires"}] * 2)

        def begin(*more):
            device = study.device(server)
            device.run("consent", "--contract", contract_file(), "--answers", CONSENT_ANSWERS, "--name", "N", *more)
            device.send()
            study.settled()
            return {(row["status"], row.get("reason")) for row in device.deliveries().values()}

        self.assertIn(("held", "invitation-required"), begin())
        self.assertEqual(begin("--code", codes[0]["code"]), {("stored", None)})
        self.assertIn(("held", "invitation-refused"), begin("--code", codes[0]["code"]))
        self.assertEqual(begin("--code", codes[1]["code"]), {("stored", None)})


class Keys(unittest.TestCase):
    def test_phones_believe_the_root_key_alone_and_learn_of_new_keys(self):
        study = Study(signed=True)
        self.addCleanup(study.close)
        server = study.serve()
        root = tributary("keys", "publish", study.dir)
        [fingerprint] = re.findall(r"[A-Za-z0-9_-]{43}", root.errors)
        self.assertEqual(http("GET", server.url + "/study/keys").body.strip(), root.out.strip())
        self.assertEqual((study.dir / "keys" / "root.pem").stat().st_mode & 0o777, 0o600)
        # Another study's root: nothing is registered.
        wrong = study.device(server, enrol=False)
        receipt = study.root / "receipt.b64"
        receipt.write_text(study.receipt())
        enrol = ["--url", server.url, "--receipt", receipt, "--antispam", ANTISPAM, "--root"]
        refused = wrong.run("enrol", *enrol, "A" * 43, status=1)
        self.assertIn("key-set-invalid", refused.errors)
        # One that begins with a hyphen is no option.
        self.assertIn("key-set-invalid", wrong.run("enrol", *enrol, "-" + "A" * 42, status=1).errors)
        clients = study.queue_number("SELECT count(*) FROM client")
        # The study's own.
        device = study.device(server, enrol=False)
        device.run("enrol", *enrol, fingerprint)
        self.assertEqual(study.queue_number("SELECT count(*) FROM client"), clients + 1)
        device.consent()
        device.send()
        old = set(device.run("renew").json["keys"])
        tributary("keys", "rotate", study.dir)
        new = set(device.run("renew").json["keys"])
        self.assertFalse(old & new)
        # An older set, which is still in force, is not taken back; nor is one that somebody else signed.
        (study.dir / "jwks.jws").write_bytes(root.out.strip())
        self.assertIn("key-set-expired", device.run("renew", status=1).errors)
        (study.dir / "jwks.jws").write_bytes(root.out.strip()[:-3] + b"AAA")
        self.assertIn("key-set-invalid", device.run("renew", status=1).errors)
        self.assertEqual(set(json.loads(device.enrolment["jwks"])["keys"][i]["kid"] for i in range(2)), new)
        device.answer(
            EXAMPLES / "study" / "questionnaires" / "mood-check.json", EXAMPLES / "study" / "answers" / "mood-check-1.json")
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})


if __name__ == "__main__":
    unittest.main()
