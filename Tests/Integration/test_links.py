"""Links between participants and the records that the site keeps of identified people: made, scanned, handed in sealed,
bound once, and told to registrars alone."""

import base64
import csv
import hashlib
import hmac
import io
import json
import os
import shutil
import subprocess
import time
import uuid

from forms import observation
from harness import SpineTest, Study, read_sql, seeded, tributary
from sealed import SealedClient, published_keys
from test_envelopes import jose, jwk, needs_jwcrypto

try:
    from jwcrypto import jws
except ImportError:
    jws = None

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
RECORD = "planted-record-4711"


def part(text):
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class LinkTest(SpineTest):
    """What both kinds of studies have in common."""

    def make(self, record=RECORD, *more, status=0):
        done = tributary("link", "create", self.study.dir, "--record", record, *more, status=status)
        return done.json if status == 0 else done

    def pairs(self):
        return {row["jti"]: row for row in tributary("link", "list", self.study.dir, "--json").json}

    def hand(self, device, token):
        """What becomes of a link that a phone hands in."""
        [sid] = device.run("link", "--jwt", device.write(token.encode(), ".jwt")).json["submissions"]
        device.send(status=None)
        row = device.settled()[sid]
        return row["status"], row.get("reason")

    def signed(self, claims, key=None, **header):
        """A token that the study's own key signed, or another."""
        key = key or jwk.JWK.from_pem((self.study.dir / "keys" / "links.pem").read_bytes())
        token = jws.JWS(json.dumps(claims).encode())
        token.add_signature(key, alg="ES256", protected=json.dumps(
            {"alg": "ES256", "kid": key.thumbprint(), "typ": "JWT", **header}))
        return token.serialize(compact=True)

    def claims(self, link, **changes):
        return {**part(link["jwt"].split(".")[1]), **changes}

    def everything(self):
        """The bytes of all files of the study but the links', and of the servers' logs."""
        for path in sorted(self.study.dir.rglob("*")):
            if path.is_file() and "links" not in path.relative_to(self.study.dir).parts:
                yield path, path.read_bytes()
        for server in self.study.servers:
            yield server.log_path, server.log_path.read_bytes()


class Linking:
    """The tests of each kind of study; what is no test case of its own."""

    def test_a_link_is_made_scanned_handed_in_and_listed(self):
        device = self.member()
        picture = self.study.root / f"{uuid.uuid4()}.png"
        made = tributary("link", "create", self.study.dir, "--record", RECORD, "--qr", picture)
        link = made.json
        self.assertEqual(set(link), {"jti", "jwt"})
        self.assertEqual(picture.stat().st_mode & 0o777, 0o600)
        scanned = subprocess.run(["zbarimg", "--quiet", "--raw", picture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 check=True).stdout
        self.assertEqual(scanned.decode().strip(), link["jwt"])
        # It names nobody, and not the record.
        header, claims = (part(text) for text in link["jwt"].split(".")[:2])
        self.assertEqual(set(header), {"alg", "kid", "typ"})
        self.assertEqual((header["alg"], set(claims)), ("ES256", {"iss", "aud", "jti", "iat", "exp"}))
        self.assertEqual((claims["jti"], claims["exp"] - claims["iat"]), (link["jti"], 86_400))
        self.assertEqual(claims["iss"], json.loads((self.study.dir / "study.json").read_text())["id"])
        self.assertNotIn(RECORD, made.text + json.dumps(claims))
        self.assertIn("file-exists", self.make(RECORD, "--qr", picture, status=1).errors)
        self.assertEqual(self.pairs()[link["jti"]]["state"], "open")
        self.assertEqual(self.hand(device, scanned.decode()), ("stored", None))
        row = self.pairs()[link["jti"]]
        self.assertEqual((row["record"], row["participant"], row["state"]), (RECORD, device.participant, "linked"))
        self.assertIsNotNone(row["linkedAt"])
        shown = tributary("link", "list", self.study.dir).text
        self.assertIn(RECORD, shown)
        self.assertIn(device.participant, shown)
        for folder, mode in (("links", 0o700), ("links/links.sqlite", 0o600), ("keys/links.pem", 0o600)):
            self.assertEqual((self.study.dir / folder).stat().st_mode & 0o777, mode, folder)
        audit = tributary("audit", "list", self.study.dir, "--json").text
        rows = [row for row in json.loads(audit) if row["resourceId"] == link["jti"]]
        self.assertEqual({row["action"] for row in rows}, {"create-link", "link-participant"})
        self.assertIn("list-links", {row["action"] for row in json.loads(audit)})
        self.assertNotIn(RECORD, audit)
        # Nothing else of the study knows the record or the token.
        signature = link["jwt"].split(".")[2]
        for path, data in self.everything():
            self.assertNotIn(RECORD.encode(), data, path)
            self.assertNotIn(signature.encode(), data, path)
        self.export(device)

    def export(self, device):
        """The participant is told that there is a link, and since when; not to which record."""
        folder = self.study.root / f"export-{uuid.uuid4()}"
        tributary("participant", "export", self.study.dir, device.participant, "-o", folder)
        rows = list(csv.DictReader(io.StringIO((folder / "accesses.csv").read_bytes().decode(), newline="")))
        self.assertEqual(len([row for row in rows if row["action"] == "link-participant"]), 1)
        for path in folder.iterdir():
            self.assertNotIn(RECORD, path.read_text())

    def test_it_is_the_first_ones_who_hands_it_in(self):
        first, second = self.member(), self.member()
        link = self.make()
        self.assertEqual(self.hand(first, link["jwt"]), ("stored", None))
        self.assertEqual(self.hand(second, link["jwt"]), ("held", "link-used"))
        self.assertEqual(self.hand(first, link["jwt"]), ("stored", None))
        self.assertEqual(self.pairs()[link["jti"]]["participant"], first.participant)
        self.assertEqual(self.study.number("SELECT count(*) FROM link_use WHERE jti = ?", link["jti"]), 1)
        # What was set aside holds nobody up.
        self.assertEqual(self.hand(second, self.make("another")["jwt"]), ("stored", None))

    def test_without_consent_nothing_is_queued_and_what_comes_all_the_same_waits(self):
        device = self.study.device(self.server)
        link = self.make()
        refused = device.run("link", "--jwt", device.write(link["jwt"].encode()), status=1)
        self.assertIn("consent-required", refused.errors)
        self.assertEqual(device.queued(), [])
        device.consent()
        self.assertEqual(self.hand(device, link["jwt"]), ("stored", None))
        device.withdraw()
        device.send()
        self.assertEqual(self.hand(device, self.make()["jwt"]), ("refused", "consent-withdrawn"))

    @needs_jwcrypto
    def test_tokens_of_others_and_old_ones_are_set_aside(self):
        device = self.member()
        link = self.make()
        now = int(time.time())
        expired = self.signed(self.claims(link, iat=now - 90_000, exp=now - 3_600))
        self.assertEqual(self.hand(device, expired), ("held", "link-expired"))
        other = jwk.JWK.generate(kty="EC", crv="P-256")
        self.assertEqual(self.hand(device, self.signed(self.claims(link), other)), ("held", "link-invalid"))
        unknown = self.signed(self.claims(link, jti=encoded(bytes(32))))
        self.assertEqual(self.hand(device, unknown), ("held", "link-unknown"))
        damaged = link["jwt"][:-8] + ("AAAAAAAA" if not link["jwt"].endswith("AAAAAAAA") else "BBBBBBBB")
        self.assertEqual(self.hand(device, damaged), ("held", "link-invalid"))
        self.assertEqual(self.pairs()[link["jti"]]["state"], "open")
        # What the phone itself sees, it does not queue.
        hmac_key = hashlib.sha256((self.study.dir / "jwks.json").read_bytes()).digest()
        for header in ({"alg": "none", "typ": "JWT"}, {"alg": "HS256", "typ": "JWT"}):
            text = encoded(header) + "." + link["jwt"].split(".")[1]
            tag = hmac.new(hmac_key, text.encode(), hashlib.sha256).digest()
            for signature in ("", encoded(tag), encoded(tag * 2)):
                file = device.write((text + "." + signature).encode())
                self.assertIn("link-invalid", device.run("link", "--jwt", file, status=1).errors)
        self.assertEqual(device.queued(), [])
        self.assertEqual(self.hand(device, link["jwt"]), ("stored", None))

    def test_there_is_no_endpoint_that_gives_or_takes_one(self):
        link = self.make()
        for method in ("GET", "POST"):
            for path in (f"/link/{link['jti']}/jwt", f"/link/{link['jti']}", "/link", "/establish", "/links",
                         f"/fhir/Link/{link['jti']}"):
                answer = self.server.request(method, path, {"Authorization": "Bearer " + link["jwt"]})
                self.assertIn(answer.status, (401, 403, 404, 405), path)
                self.assertNotIn(link["jwt"].split(".")[2], answer.body.decode(errors="replace"))
        self.assertEqual(self.pairs()[link["jti"]]["state"], "open")

    def test_records_names_are_texts_and_nothing_else(self):
        for name in (".*", "' OR '1'='1", "'; DROP TABLE link; --", "%", "ÄÖ \\ \"x\""):
            link = self.make(name)
            self.assertEqual(self.pairs()[link["jti"]]["record"], name)
        for name in ("", " ", "a\nb", "x" * 201):
            self.assertIn("record-invalid", self.make(name, status=1).errors)

    def test_who_is_deleted_is_linked_no_more(self):
        gone, stays = self.member(), self.member()
        links = [self.make("record of " + name) for name in ("the-one-who-goes", "the-one-who-stays")]
        for device, link in zip((gone, stays), links):
            self.assertEqual(self.hand(device, link["jwt"]), ("stored", None))
        copy = self.study.root / f"links-{uuid.uuid4()}"
        shutil.copytree(self.study.dir / "links", copy)
        done = tributary("participant", "delete", self.study.dir, gone.participant, "--reason", "as asked", "--yes", "--json").json
        self.assertEqual(done["removed"]["links"], 1)
        self.assertNotIn(links[0]["jti"], self.pairs())
        self.assertEqual(self.pairs()[links[1]["jti"]]["participant"], stays.participant)
        for path in (self.study.dir / "links").iterdir():
            self.assertNotIn(b"the-one-who-goes", path.read_bytes())
            self.assertNotIn(gone.participant.encode(), path.read_bytes())
        # A copy that is older than the deletion brings nobody back.
        current = self.study.dir / "links"
        shutil.rmtree(current)
        shutil.copytree(copy, current)
        self.assertNotIn(links[0]["jti"], self.pairs())
        self.assertEqual(read_sql(current / "links.sqlite", "SELECT 1 FROM link WHERE participant = ?", gone.participant), [])

    def test_a_process_that_is_killed_loses_and_doubles_none(self):
        chance = seeded()
        study = Study(signed=self.signs)
        self.addCleanup(study.close)
        server = study.serve()
        port = server.port
        devices = [study.device(server) for _ in range(3)]
        for device in devices:
            device.consent()
            device.send()
            device.settled()
        owners = {}
        for number in range(ROUNDS):
            server.kill()
            receiver = study.serve("--roles", "receiver", "--port", port)
            for device in devices:
                link = tributary("link", "create", study.dir, "--record", f"record-{number}").json
                device.run("link", "--jwt", device.write(link["jwt"].encode()))
                device.send()
                owners[link["jti"]] = device.participant
            receiver.stop()
            # The consumer is killed somewhere on its way through them, and begins again.
            consumer = study.serve("--roles", "receiver,consumer", "--port", port)
            time.sleep(chance.uniform(0, 0.4))
            consumer.kill()
            server = study.serve("--port", port)
            study.settled()
        listed = tributary("link", "list", study.dir, "--json").json
        self.assertEqual({row["jti"]: row["participant"] for row in listed}, owners)
        self.assertEqual(study.number("SELECT count(*) FROM link_use"), len(owners))
        linked = study.number("SELECT count(*) FROM audit WHERE action = 'link-participant'")
        self.assertEqual(linked, len(owners))
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission WHERE status <> 'stored'"), 0)


class Unsigned(Linking, LinkTest):
    @needs_jwcrypto
    def test_what_a_phone_did_not_check_the_study_does(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        key = jwk.JWK(**json.loads(published_keys(self.study).read_text())["keys"][0])
        algorithm = "ECDH-ES+A256KW" if key.get("kty") == "EC" else "RSA-OAEP-256"
        link = self.make()

        def send(payload, sender=client):
            sid = str(uuid.uuid4())
            sender.seq += 1
            answer = sender.post(jose(payload, key, algorithm, sid=sid, seq=sender.seq, cty="application/jwt"))
            self.assertEqual(answer.status, 200, answer)
            return sender.outcome(sid)

        text = encoded({"alg": "none", "typ": "JWT"}) + "." + link["jwt"].split(".")[1] + "."
        for payload in (b"", b"{}", text.encode(), b"A" * 100_000, json.dumps(observation(device.participant)).encode()):
            self.assertEqual(send(payload), ("held", "link-invalid"))
        stranger = SealedClient(self.server, self.study)
        self.assertEqual(send(link["jwt"].encode(), stranger), ("held", "consent-required"))
        self.assertEqual(self.pairs()[link["jti"]]["state"], "open")
        self.assertEqual(send(link["jwt"].encode()), ("stored", None))
        # One that says it is FHIR is no FHIR.
        plain = client.send(link["jwt"].encode())
        self.assertEqual(client.outcome(plain)[0], "held")


class Signed(Linking, LinkTest):
    signs = True

    @needs_jwcrypto
    def test_nobody_hands_a_link_in_for_another(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        key = jwk.JWK(**json.loads(published_keys(self.study).read_text())["keys"][0])
        algorithm = "ECDH-ES+A256KW" if key.get("kty") == "EC" else "RSA-OAEP-256"
        link, sid = self.make(), str(uuid.uuid4())
        client.seq += 1
        client.post(jose(link["jwt"].encode(), key, algorithm, sid=sid, seq=client.seq, cty="application/jwt"))
        self.assertEqual(client.outcome(sid), ("held", "signature-missing"))
        self.assertEqual(self.pairs()[link["jti"]]["state"], "open")
