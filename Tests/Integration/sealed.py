"""A client that sends sealed submissions over plain HTTP, resource by resource, under whatever name it likes."""

import json
import uuid

from harness import ANTISPAM, access_token, http, register, tributary


def published_keys(study, form="jwks"):
    path = study.root / f"published.{form}"
    path.write_bytes(tributary("keys", "publish", study.dir, "--format", form).out)
    return path


def seal(study, *payloads, sid=None, seq=1, version=None):
    """Seals to the study's keys with the command line."""
    files = []
    for index, payload in enumerate(payloads):
        path = study.root / f"payload-{uuid.uuid4()}-{index}.json"
        path.write_bytes(payload if isinstance(payload, bytes) else json.dumps(payload).encode())
        files.append(path)
    more = ["--sid", sid] if sid else []
    more += ["--fhir-version", version] if version else []
    return tributary("envelope", "seal", "--to", published_keys(study), "--seq", seq, *more, *files).out


class SealedClient:
    """Its own registration, or that of a device."""

    def __init__(self, server, study, device=None, receipt=None):
        self.server, self.study, self.seq = server, study, 0
        if device:
            enrolment = device.enrolment
            self.client, self.secret = enrolment["clientID"], enrolment["clientSecret"]
            self.seq = 1000
        else:
            self.receipt = receipt or study.receipt()
            answer = register(server, self.receipt)
            assert answer.status == 201, answer
            self.client, self.secret = answer.json["client_id"], answer.json["client_secret"]
        self.renew()

    def renew(self):
        self.token = access_token(self.server, self.client, self.secret)

    @property
    def headers(self):
        return {"Authorization": "Bearer " + self.token, "Antispam": ANTISPAM, "Content-Type": "application/jose+json"}

    def post(self, body, path="/encfhir", **headers):
        return http("POST", self.server.url + path, {**self.headers, **headers}, body)

    def send(self, *payloads, sid=None, version=None):
        """Seals and posts; returns the submission's id. The server must take it."""
        sid = sid or str(uuid.uuid4())
        self.seq += 1
        answer = self.post(seal(self.study, *payloads, sid=sid, seq=self.seq, version=version))
        assert answer.status == 200 and answer.json == {"submission": sid, "status": "received"}, answer
        return sid

    def deliveries(self):
        found, after = {}, ""
        while True:
            answer = http("GET", self.server.url + "/deliveries?after=" + after, self.headers)
            assert answer.status == 200, answer
            if not answer.json["deliveries"]:
                return found
            for row in answer.json["deliveries"]:
                found[row["submission"]] = row
            after = answer.json["next"]

    def outcome(self, sid):
        """What became of a submission: (status, reason)."""
        from harness import until

        def settled():
            row = self.deliveries().get(sid)
            return row if row and row["status"] != "received" else None

        row = until(settled, f"submission {sid} is handled")
        return row["status"], row.get("reason")
