"""A client such as C3-PRO's apps were, made of `openssl` calls alone: nothing of ours is used to seal."""

import base64
import json
import os
import subprocess
import tempfile
from pathlib import Path

from harness import ANTISPAM, access_token, register

ZERO_IV = "0" * 32


def openssl(*arguments, stdin=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True).stdout


def seal(payload, certificate, key_id="", version="1.0.2", key=None, line_breaks=False, key_bytes=32):
    """The four-item JSON. `certificate`: a DER file as the apps bundle it."""
    key = key or os.urandom(key_bytes)
    message = openssl("enc", f"-aes-{len(key) * 8}-cbc", "-K", key.hex(), "-iv", ZERO_IV, stdin=payload)
    with tempfile.TemporaryDirectory() as folder:
        pem = Path(folder) / "cert.pem"
        pem.write_bytes(openssl("x509", "-inform", "DER", "-in", certificate))
        wrapped = openssl("pkeyutl", "-encrypt", "-certin", "-inkey", pem, "-pkeyopt", "rsa_padding_mode:oaep",
                          "-pkeyopt", "rsa_oaep_md:sha1", "-pkeyopt", "rsa_mgf1_md:sha1", stdin=key)
    encode = base64.encodebytes if line_breaks else base64.b64encode
    return json.dumps({"key_id": key_id, "symmetric_key": encode(wrapped).decode(), "message": encode(message).decode(),
                       "version": version}).encode()


def open_sealed(envelope, private_key):
    """Opens what we sealed, by `openssl` and a PEM private key."""
    fields = json.loads(envelope)
    key = openssl("pkeyutl", "-decrypt", "-inkey", private_key, "-pkeyopt", "rsa_padding_mode:oaep",
                  "-pkeyopt", "rsa_oaep_md:sha1", "-pkeyopt", "rsa_mgf1_md:sha1",
                  stdin=base64.b64decode(fields["symmetric_key"]))
    return fields, key, openssl("enc", "-d", f"-aes-{len(key) * 8}-cbc", "-K", key.hex(), "-iv", ZERO_IV,
                                stdin=base64.b64decode(fields["message"]))


class C3PROClient:
    """Registers, takes tokens and sends as the original app did."""

    # Whether the study gets the Contract that is signed here.
    publishes_consent = True

    def __init__(self, server, study, certificate, prefix="/c3pro", receipt=None):
        self.server, self.certificate, self.prefix = server, certificate, prefix
        template = study.dir / "consent" / "c3pro.json"
        if self.publishes_consent and not template.exists():
            template.write_text(json.dumps({name: value for name, value in dstu2_contract("p").items()
                                            if name not in ("signer", "applies")}))
        self.receipt = receipt or study.receipt()
        answer = register(server, self.receipt, prefix=prefix)
        assert answer.status == 201, answer
        self.client, self.secret = answer.json["client_id"], answer.json["client_secret"]
        self.renew()

    def renew(self):
        self.token = access_token(self.server, self.client, self.secret, self.prefix + "/oauth")

    @property
    def headers(self):
        return {"Authorization": "Bearer " + self.token, "Antispam": ANTISPAM,
                "Content-Type": "application/json+fhir; charset=utf-8", "Accept": "application/json+fhir"}

    def send(self, resource, path="/encfhir", method=None, **sealing):
        """POSTs what has no id and PUTs what has one, as the original's queue did."""
        payload = resource if isinstance(resource, bytes) else json.dumps(resource).encode()
        value = json.loads(payload)
        method = method or ("PUT" if "id" in value else "POST")
        url = f"{self.prefix}{path}/{value['resourceType']}" + (f"/{value['id']}" if method == "PUT" else "")
        return self.raw(method, url, seal(payload, self.certificate, **sealing))

    def raw(self, method, url, body):
        return self.server.request(method, url, self.headers, body)

    def deliveries(self):
        answer = self.server.request("GET", self.prefix + "/deliveries", self.headers)
        assert answer.status == 200, answer
        return answer.json["deliveries"]


def dstu2_contract(participant, signer="object", when="2015-09-08T10:40:12.484-04:00"):
    """As C3-PRO's apps of FHIR DSTU2 signed it: one term and who signed; `signer.type` in both shapes seen."""
    coding = {"system": "http://hl7.org/fhir/vs/contract-signer-type", "code": "1.2.840.10065.1.12.1.7",
              "display": "Consent"}
    return {
        "resourceType": "Contract", "issued": "2015-09-01", "applies": {"start": when},
        "type": {"coding": [{"system": "http://hl7.org/fhir/contracttypecodes", "code": "consent"}]},
        "contained": [
            {"resourceType": "Group", "id": "eligibility", "type": "person", "actual": False, "characteristic": [
                {"code": {"text": "Are you 18 years of age or older?"}, "valueBoolean": True, "exclude": False}]},
            {"resourceType": "Organization", "id": "team", "name": "Sleep Study Team"}],
        "authority": [{"reference": "#team"}], "subject": [{"reference": "#eligibility"}],
        "term": [{"type": {"coding": [{
            "system": "http://researchkit.org/docs/Constants/ORKConsentSectionType", "code": "Overview"}]},
            "text": "What this study is about."}],
        "signer": [{"type": [coding] if signer == "array" else coding,
                    "party": {"reference": f"Patient/{participant}"}, "signature": participant}]}


def dstu2_response(participant, answers=(("sleep.hours", "decimal", 7.25), ("sleep.tired", "boolean", True)),
                   type_name="QuestionnaireResponse"):
    """One anonymous group a step, the questions inside, as the original's queue sent it."""
    def value(kind, content):
        return {"value" + kind[0].upper() + kind[1:]: content}
    return {
        "resourceType": type_name, "status": "completed", "questionnaire": {"reference": "c3pro-sleep"},
        "subject": {"reference": f"Patient/{participant}"},
        "group": {"group": [{"question": [{"linkId": link, "answer": [value(kind, content)]}]}
                            for link, kind, content in answers]}}


SLEEP = {"resourceType": "Questionnaire", "id": "c3pro-sleep", "status": "active", "item": [
    {"linkId": "sleep.hours", "text": "Hours of sleep", "type": "decimal"},
    {"linkId": "sleep.tired", "text": "Tired", "type": "boolean"}, {"linkId": "n", "type": "integer"}]}


def dstu2_activity(participant):
    """The activity report: its time stands in a contained Encounter alone."""
    return {
        "resourceType": "QuestionnaireResponse", "status": "completed",
        "questionnaire": {"reference": "org.chip.c3-pro.activity"}, "subject": {"reference": f"Patient/{participant}"},
        "contained": [{"resourceType": "Encounter", "id": "period", "status": "finished",
                       "period": {"start": "2015-09-01T00:00:00-04:00", "end": "2015-09-02T00:00:00-04:00"}}],
        "encounter": {"reference": "#period"},
        "group": {"linkId": "org.chip.c3-pro.activity", "question": [
            {"linkId": "motion-coprocessor.walking", "answer": [
                {"valueQuantity": {"value": 42, "unit": "minute"}}]},
            {"linkId": "healthkit.HKQuantityTypeIdentifierStepCount", "answer": [
                {"valueQuantity": {"value": 6123, "unit": "count"}}]}]}}


def dstu2_patient(participant):
    return {"resourceType": "Patient", "id": participant, "gender": "female", "birthDate": "1971",
            "address": [{"country": "US", "state": "MA", "postalCode": "021"}]}
