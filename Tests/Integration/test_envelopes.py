"""JWE against another implementation (jwcrypto), duplicates, conflicts, and keys that change."""

import json
import unittest
import uuid

from forms import VISIT, observation, visit
from harness import SpineTest, Study, tributary, until
from sealed import SealedClient, published_keys, seal

try:
    from jwcrypto import jwe, jwk
except ImportError:
    jwe = jwk = None

needs_jwcrypto = unittest.skipUnless(jwe, "jwcrypto is not installed")
PAYLOAD = b'{"resourceType":"Basic", "n" : 1.50,\n "_n":null}'


def jose(payload, key, algorithm, sid=None, seq=1, version="4.0.1", cty="application/fhir+json", more=None, general=False,
         others=()):
    """Seals with jwcrypto: flattened for one recipient, general for several."""
    protected = {"enc": "A256GCM", "sid": sid or str(uuid.uuid4()), "seq": seq, "fhirVersion": version, "cty": cty,
                 **(more or {})}
    if not others and not general:
        protected["alg"] = algorithm
    envelope = jwe.JWE(payload, protected=json.dumps(protected))
    for recipient, name in [(key, algorithm), *others]:
        header = json.dumps({"alg": name, "kid": recipient.key_id}) if others or general else None
        envelope.add_recipient(recipient, header=header)
    sealed = json.loads(envelope.serialize(compact=False))
    if general and "recipients" not in sealed:
        sealed["recipients"] = [{"header": sealed.pop("header"), "encrypted_key": sealed.pop("encrypted_key")}]
    return json.dumps(sealed).encode()


class Envelopes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study()
        cls.addClassCleanup(cls.study.close)
        cls.file = cls.study.root / "payload.json"
        cls.file.write_bytes(PAYLOAD)
        cls.keys = cls.study.dir / "keys"

    def open(self, envelope, status=0, keys=None):
        return tributary("envelope", "open", "--keys", keys or self.keys, "-", stdin=envelope, status=status)

    def public_keys(self):
        return [jwk.JWK(**key) for key in json.loads(published_keys(self.study).read_text())["keys"]]

    def private_keys(self):
        return [jwk.JWK.from_pem(path.read_bytes()) for path in self.keys.glob("*.private.pem")]

    def test_open_gives_the_payloads_bytes_unchanged(self):
        for form in ("jwks", "pem", "der", "crt"):
            sealed = tributary("envelope", "seal", "--to", published_keys(self.study, form), self.file).out
            self.assertNotIn(b"Basic", sealed)
            self.assertEqual(self.open(sealed).out, PAYLOAD)

    def test_several_files_are_one_batch(self):
        second = self.study.root / "second.json"
        second.write_bytes(b'{"resourceType":"Basic","m":2.0}')
        sealed = tributary("envelope", "seal", "--to", published_keys(self.study), self.file, second).out
        lines = self.open(sealed).out.decode().strip().split("\n")
        self.assertEqual(len(lines), 2)
        self.assertEqual(json.loads(lines[0]), json.loads(PAYLOAD))
        self.assertIn("1.50", lines[0])
        self.assertIn('"m":2.0', lines[1])

    def test_a_key_of_another_study_opens_nothing(self):
        other = Study(forms=False)
        self.addCleanup(other.close)
        sealed = tributary("envelope", "seal", "--to", published_keys(self.study), self.file).out
        done = self.open(sealed, status=1, keys=other.dir / "keys")
        self.assertIn("envelope-unreadable", done.errors)
        self.assertEqual(done.out, b"")

    def test_a_private_key_is_no_recipient(self):
        private = next(self.keys.glob("*.private.pem"))
        done = tributary("envelope", "seal", "--to", private, self.file, status=1)
        self.assertIn("key-is-private", done.errors)

    @needs_jwcrypto
    def test_jwcrypto_opens_what_we_seal(self):
        by_type = {key["kty"]: key for key in self.private_keys()}
        for form, kinds in (("jwks", {"EC", "RSA"}), ("pem", {"RSA"}), ("crt", {"RSA"})):
            sealed = tributary("envelope", "seal", "--to", published_keys(self.study, form), self.file).out
            for kind in kinds:
                envelope = jwe.JWE()
                envelope.deserialize(sealed.decode(), by_type[kind])
                self.assertEqual(envelope.payload, PAYLOAD)
            protected = json.loads(jwe.base64url_decode(json.loads(sealed)["protected"]))
            self.assertEqual(protected["enc"], "A256GCM")
            for name in ("sid", "seq", "fhirVersion", "cty"):
                self.assertIn(name, protected)
            self.assertNotIn("crit", protected)

    @needs_jwcrypto
    def test_we_open_what_jwcrypto_seals(self):
        keys = {key["kty"]: key for key in self.public_keys()}
        rsa, curve = (keys["RSA"], "RSA-OAEP-256"), (keys["EC"], "ECDH-ES+A256KW")
        stranger = (jwk.JWK.generate(kty="EC", crv="P-256", kid="stranger"), "ECDH-ES+A256KW")
        for key, algorithm in (rsa, curve):
            for general in (False, True):
                self.assertEqual(self.open(jose(PAYLOAD, key, algorithm, general=general)).out, PAYLOAD)
            self.assertEqual(self.open(jose(PAYLOAD, key, algorithm, others=[stranger])).out, PAYLOAD)
        self.assertEqual(self.open(jose(PAYLOAD, *rsa, others=[curve])).out, PAYLOAD)
        self.assertEqual(self.open(jose(b"", *curve)).out, b"")

    @needs_jwcrypto
    def test_what_we_do_not_take_is_refused(self):
        key = next(key for key in self.public_keys() if key["kty"] == "EC")
        self.open(jose(PAYLOAD, key, "ECDH-ES+A256KW", more={"zip": "DEF"}), status=1)
        critical = json.loads(jose(PAYLOAD, key, "ECDH-ES+A256KW"))
        sealed = json.loads(jose(PAYLOAD, key, "ECDH-ES+A256KW"))
        for member in ("ciphertext", "tag", "iv", "protected", "encrypted_key"):
            damaged = dict(sealed)
            text = damaged[member]
            damaged[member] = ("B" if text[0] == "A" else "A") + text[1:]
            done = self.open(json.dumps(damaged).encode(), status=1)
            self.assertEqual(done.out, b"")
            self.assertIn("envelope-", done.errors)
            del damaged[member]
            self.open(json.dumps(damaged).encode(), status=1)
        critical["header"] = {**critical.get("header", {}), "crit": ["exp"]}
        self.open(json.dumps(critical).encode(), status=1)


    def test_the_published_forms_are_one_key(self):
        import subprocess
        def key(form, *command):
            return subprocess.run(["openssl", *command], input=published_keys(self.study, form).read_bytes(), check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
        pem = key("pem", "pkey", "-pubin", "-pubout")
        self.assertEqual(pem, key("der", "pkey", "-pubin", "-inform", "DER", "-pubout"))
        self.assertEqual(pem, key("crt", "x509", "-inform", "DER", "-pubkey", "-noout"))
        self.assertIn(b"2048 bit", key("pem", "pkey", "-pubin", "-text", "-noout"))
        jwks = json.loads(published_keys(self.study).read_text())["keys"]
        self.assertEqual(sorted(key["kty"] for key in jwks), ["EC", "RSA"])
        if jwk:
            rsa = next(jwk.JWK(**key) for key in jwks if key["kty"] == "RSA")
            self.assertEqual(rsa.export_to_pem(), pem)


class Sending(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def test_the_same_bytes_again_are_200_and_other_bytes_under_the_same_id_409(self):
        device = self.member()
        client, sid = SealedClient(self.server, self.study, device=device), str(uuid.uuid4())
        body = seal(self.study, observation(device.participant, 64), sid=sid)
        for path in ("/encfhir", "/encfhir/Observation", "/c3pro/fhirenc"):
            answer = client.post(body, path)
            self.assertEqual((answer.status, answer.json), (200, {"submission": sid, "status": "received"}))
        other = client.post(seal(self.study, observation(device.participant, 99), sid=sid))
        self.assertEqual((other.status, other.code), (409, "submission-conflict"))
        self.assertEqual(client.outcome(sid), ("stored", None))
        self.assertEqual(client.post(body).status, 200, "also when it was handled long ago")
        self.assertEqual(client.post(seal(self.study, observation(device.participant, 99), sid=sid)).status, 409)
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation' AND subject = ?",
                                           device.participant), 1)
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM observation_fact WHERE concept_cd = 'LOINC:8867-4' AND modifier_cd = '@' AND nval_num = 64"), 1)

    def test_two_clients_may_use_the_same_id(self):
        sid = str(uuid.uuid4())
        for _ in range(2):
            device = self.member()
            client = SealedClient(self.server, self.study, device=device)
            self.assertEqual(client.outcome(client.send(observation(device.participant), sid=sid)), ("stored", None))

    @needs_jwcrypto
    def test_a_submission_of_another_implementation_is_stored(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        keys = json.loads(client.server.request("GET", "/.well-known/jwks.json").body)["keys"]
        for key in keys:
            self.assertFalse({"d", "p", "q", "dp", "dq", "qi", "k"} & set(key), "no private part is published")
        for key in map(lambda key: jwk.JWK(**key), keys):
            sid = str(uuid.uuid4())
            algorithm = "RSA-OAEP-256" if key["kty"] == "RSA" else "ECDH-ES+A256KW"
            body = jose(json.dumps(observation(device.participant)).encode(), key, algorithm, sid=sid)
            self.assertEqual(client.post(body).status, 200)
            self.assertEqual(client.outcome(sid), ("stored", None))

    @needs_jwcrypto
    def test_algorithms_and_forms_that_are_not_taken_are_refused_at_the_door(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        keys = {key["kty"]: jwk.JWK(**key) for key in client.server.request("GET", "/.well-known/jwks.json").json["keys"]}
        payload = json.dumps(observation(device.participant)).encode()
        for body in (jose(payload, keys["RSA"], "RSA-OAEP"), jose(payload, keys["EC"], "ECDH-ES+A128KW")):
            answer = client.post(body)
            self.assertIn(answer.status, (400, 422), answer)
            self.assertTrue(answer.code.startswith("envelope-"))
        compact = jwe.JWE(payload, protected=json.dumps({"alg": "ECDH-ES+A256KW", "enc": "A256GCM"}), recipient=keys["EC"])
        self.assertEqual(client.post(compact.serialize(compact=True).encode()).status, 400)
        zipped = client.post(b"\x1f\x8b", **{"Content-Encoding": "gzip"})
        self.assertIn(zipped.status, (400, 415))

    def test_an_older_fhir_version_in_a_jwe_is_converted(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        old = {"resourceType": "Observation", "status": "final", "code": {"coding": [
            {"system": "http://loinc.org", "code": "8302-2"}]}, "subject": {"reference": f"Patient/{device.participant}"},
            "effectiveDateTime": "2015-02-03", "valueQuantity": {"value": 170, "unit": "cm"},
            "comments": "kept"}
        self.assertEqual(client.outcome(client.send(old, version="1.0.2")), ("stored", None))
        content = json.loads(self.study.sql("SELECT content FROM record_history WHERE type = 'Observation' AND "
                                            "original_fhir_version IS NOT NULL")[0][0])
        self.assertEqual(content["note"], [{"text": "kept"}])
        self.assertNotIn("comments", content)

    def test_what_was_quarantined_for_want_of_its_key_is_stored_after_a_retry(self):
        study = Study()
        self.addCleanup(study.close)
        away = study.root / "away"
        away.mkdir()
        server = study.serve("--roles", "receiver")
        device = study.device(server)
        device.consent()
        device.send()
        names = [path for path in (study.dir / "keys").glob("*.private.pem")]
        self.assertEqual(len(names), 2)
        for path in names:
            path.rename(away / path.name)
        self.assertEqual(server.stop(), 0)
        tributary("keys", "rotate", study.dir)
        server = study.serve()
        study.settled()
        # What names a key that is away waits for it, and goes on by itself when the key is there again.
        waiting = len(study.queue_sql("SELECT 1 FROM submission"))
        self.assertEqual(study.queue_sql("SELECT count(*) FROM submission WHERE reason_code = 'key-unknown'"), [(waiting,)])
        for path in names:
            (away / path.name).rename(path)
        until(lambda: study.queue_number("SELECT count(*) FROM submission WHERE status = 'stored'") == waiting,
              "what waited for the key is stored")
        self.assertEqual(study.queue_sql("SELECT DISTINCT status FROM submission"), [("stored",)])

    def test_old_keys_still_open_old_messages_after_a_rotation(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()
        before = device.answer(VISIT, visit()).json["submissions"]
        old = json.loads(published_keys(study).read_text())["keys"]
        tributary("keys", "rotate", study.dir)
        new = json.loads(published_keys(study).read_text())["keys"]
        self.assertFalse({key["kid"] for key in old} & {key["kid"] for key in new})
        listed = tributary("keys", "list", study.dir, "--json").json["keys"]
        self.assertEqual(len(listed), 4)
        self.assertEqual(server.request("GET", "/.well-known/jwks.json").json["keys"], new,
                         "a running server publishes the new keys")
        # A running server knows the new key too: a second device enrols after the rotation.
        second = study.device(server)
        second.consent()
        second.send()
        self.assertEqual({row["status"] for row in second.settled().values()}, {"stored"})
        device.send()
        deliveries = device.settled()
        self.assertEqual({deliveries[sid]["status"] for sid in before}, {"stored"})
        self.assertEqual(server.stop(), 0)

    def test_the_receiver_runs_without_any_private_key(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        receipt = study.receipt()
        (study.dir / "keys").rename(study.root / "keys-elsewhere")
        server = study.serve("--roles", "receiver")
        device = study.device(server, enrol=False)
        device.enrol(server, receipt=receipt)
        device.consent()
        sids = device.answer(VISIT, visit()).json["submissions"]
        device.send()
        deliveries = device.deliveries()
        self.assertEqual({row["status"] for row in deliveries.values()}, {"received"})
        self.assertGreaterEqual(len(deliveries), 2)
        self.assertEqual(study.queue_status()["depth"], len(deliveries))
        self.assertIn(http_status(server, study, "/fhir/metadata"), (404, 405))
        self.assertEqual(server.stop(), 0)
        (study.root / "keys-elsewhere").rename(study.dir / "keys")
        later = study.serve("--roles", "consumer")
        study.settled()
        self.assertEqual(later.stop(), 0)
        server = study.serve("--roles", "receiver,records")
        answer = SealedClient(server, study, device=device).deliveries()
        self.assertEqual({answer[sid]["status"] for sid in sids}, {"stored"})


def http_status(server, study, path):
    return server.request("GET", path, {"Authorization": "Bearer " + study.staff_token()}).status


if __name__ == "__main__":
    unittest.main()
