"""Devices of others send events to a hub: each reading is recorded once, grouped, with a fact at its own time."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import threading
import time
import unittest
import urllib.parse
import uuid

from harness import Server, SpineTest, http, seeded, tributary, until

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
HISTORIES = int(os.environ.get("TRIBUTARY_GATEWAY_HISTORIES", "20"))
BATCH = "application/vnd.microsoft.servicebus.json"
SYSTEM = "https://azure.microsoft.com/en-us/services/iomt-fhir-connector/"


def content(kind, match, values):
    return {"templateType": "JsonPathContent", "template": {
        "typeName": kind, "typeMatchExpression": match, "deviceIdExpression": "$.device", "timestampExpression": "$.at",
        "patientIdExpression": "$.patient", "correlationIdExpression": "$.set",
        "values": [{"required": True, "valueName": name, "valueExpression": f"$.{name}"} for name in values]}}


def mapping(kind, code, interval, **value):
    return {"templateType": "CodeValueFhir", "template": {
        "typeName": kind, "periodInterval": interval,
        "codes": [{"code": code, "system": "http://loinc.org", "display": kind}], **value}}


DEVICE = {"templateType": "CollectionContent", "template": [
    content("heartrate", "$..[?(@hr)]", ["hr"]),
    content("weight", "$..[?(@kg)]", ["kg"]),
    content("spo2", "$..[?(@spo2)]", ["spo2"]),
    content("bloodpressure", "$..[?(@systolic && @diastolic)]", ["systolic", "diastolic"])]}
UCUM = {"system": "http://unitsofmeasure.org"}
FHIR = {"templateType": "CollectionFhir", "template": [
    mapping("heartrate", "8867-4", 60,
            value={"valueType": "SampledData", "valueName": "hr", "defaultPeriod": 60_000, "unit": "/min"}),
    mapping("weight", "29463-7", 0,
            value={"valueType": "Quantity", "valueName": "kg", "unit": "kg", "code": "kg", **UCUM}),
    mapping("spo2", "59408-5", 1440,
            value={"valueType": "Quantity", "valueName": "spo2", "unit": "%", "code": "%", **UCUM}),
    mapping("bloodpressure", "85354-9", -1, components=[
        {"codes": [{"code": code, "system": "http://loinc.org"}],
         "value": {"valueType": "Quantity", "valueName": name, "unit": "mmHg", "code": "mm[Hg]", **UCUM}}
        for name, code in (("systolic", "8480-6"), ("diastolic", "8462-4"))])]}


def signature(connection, resource=None, key=None, name=None, expires=3600):
    """A shared access signature, made as Azure's documentation has it."""
    parts = dict(part.split("=", 1) for part in connection.split(";"))
    if resource is None:
        endpoint = parts["Endpoint"].split("://", 1)[1]
        resource = endpoint + parts["EntityPath"]
    encoded = urllib.parse.quote_plus(resource)
    end = int(time.time()) + expires
    key = parts["SharedAccessKey"] if key is None else key
    digest = hmac.new(key.encode(), f"{encoded}\n{end}".encode(), hashlib.sha256).digest()
    code = urllib.parse.quote_plus(base64.b64encode(digest).decode())
    return f"SharedAccessSignature sr={encoded}&sig={code}&se={end}&skn={name or parts['SharedAccessKeyName']}"


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def observation_name(participant, device, kind, start, end=None, correlation=None):
    def compact(seconds):
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y%m%d%H%M%SZ")

    name = correlation or f"{participant}.{device}.{kind}.{compact(start)}.{compact(start if end is None else end)}"
    return name


class GatewayTest(SpineTest):
    @classmethod
    def prepare(cls):
        folder = cls.study.dir / "devices"
        folder.mkdir()
        (folder / "devicecontent.json").write_text(json.dumps(DEVICE))
        (folder / "fhirmapping.json").write_text(json.dumps(FHIR))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hub = "pumps"
        cls.connection = cls.key(cls.hub)
        cls.token = cls.study.staff_token()

    def observation_id(self, *of, **correlation):
        """The id that the gateway gives: a digest with the secret of the study as its key."""
        secret = self.study.sql("SELECT secret FROM gateway_secret")[0][0]
        if isinstance(secret, str):
            secret = bytes.fromhex(secret.removeprefix("\\x"))
        name = observation_name(*of, **correlation)
        return hmac.new(bytes(secret), f"Observation\n{name}".encode(), hashlib.sha256).hexdigest()

    @classmethod
    def devices(cls, command, *arguments, status=0):
        return tributary("devices", command, cls.study.dir, *arguments, "--json", status=status).json \
            if status == 0 else tributary("devices", command, cls.study.dir, *arguments, status=status)

    @classmethod
    def key(cls, hub):
        return cls.devices("key", "--hub", hub, "--url", cls.server.url)["connection"]

    def post(self, events, status=201, signed=None, hub=None, batch=True, server=None):
        body = json.dumps([{"Body": event if isinstance(event, str) else json.dumps(event)} for event in events]) \
            if batch else events
        headers = {"Content-Type": BATCH if batch else "application/json"}
        if signed != "":
            headers["Authorization"] = signed or signature(self.connection)
        answer = http("POST", f"{(server or self.server).url}/{hub or self.hub}/messages", headers, body.encode())
        self.assertEqual(answer.status, status, answer)
        return answer

    def status(self):
        return self.devices("status")

    def done(self):
        """Waits until nothing is pending."""
        until(lambda: self.status()["pending"] == 0, "the events are worked on", 90)
        return self.status()

    def observations(self, participant):
        found, url = [], f"/fhir/Observation?subject=Patient/{participant}&_count=1000"
        while url:
            bundle = self.server.request("GET", url, {"Authorization": f"Bearer {self.token}"}).json
            found += [entry["resource"] for entry in bundle.get("entry", [])]
            url = next((link["url"] for link in bundle["link"] if link["relation"] == "next"), None)
            url = url and url[url.index("/fhir"):]
        return {item["id"]: item for item in found
                if any(name.get("system") == SYSTEM for name in item.get("identifier", []))}

    def facts(self, participant):
        rows = self.study.sql(
            "SELECT f.concept_cd, f.start_date, f.nval_num FROM observation_fact f"
            " JOIN patient_mapping m ON m.patient_num = f.patient_num AND m.patient_ide = ?"
            " WHERE f.modifier_cd = '@' AND f.concept_cd LIKE 'LOINC:%' ORDER BY 1, 2, 3", participant)
        return [(concept, str(start)[:19], float(value)) for concept, start, value in rows]


class Gateway(GatewayTest):
    def test_a_series_is_one_observation_and_a_fact_for_each_value(self):
        member, device = self.member(), f"watch-{uuid.uuid4()}"
        self.devices("register", "--device", device, "--participant", member.participant)
        start = 1_770_000_000 - 1_770_000_000 % 3600
        self.post([{"device": device, "at": instant(start + 60 * minute), "hr": 60 + minute} for minute in (3, 0, 1)])
        self.done()
        found = self.observations(member.participant)
        name = self.observation_id(member.participant, device, "heartrate", start, start + 3599)
        self.assertEqual(list(found), [name])
        self.assertEqual(found[name]["valueSampledData"]["data"].split()[:5], ["60", "61", "E", "63", "E"])
        self.assertEqual(found[name]["subject"]["reference"], f"Patient/{member.participant}")
        moments = [datetime.datetime.fromtimestamp(start + 60 * minute, datetime.timezone.utc) for minute in (0, 1, 3)]
        self.assertEqual(self.facts(member.participant), [
            ("LOINC:8867-4", moment.strftime("%Y-%m-%d %H:%M:%S"), 60 + minute)
            for moment, minute in zip(moments, (0, 1, 3))])
        # What comes late has its place; what comes again changes nothing.
        self.post([{"device": device, "at": instant(start + 120), "hr": 99}])
        self.post([{"device": device, "at": instant(start + 60), "hr": 61}])
        status = self.done()
        late = self.observations(member.participant)[name]
        self.assertEqual(late["valueSampledData"]["data"].split()[:5], ["60", "61", "99", "63", "E"])
        self.assertEqual(late["status"], "amended")
        self.assertEqual(len(self.facts(member.participant)), 4)
        self.assertFalse([item for item in status["quarantined"] if item["device"] == device])
        rows = self.study.sql("SELECT actor_id FROM audit WHERE resource_id = ? AND action = 'write-record'", name)
        self.assertEqual({actor for actor, in rows}, {f"device-hub:{self.hub}"})

    def test_what_an_unknown_device_sends_waits_for_its_registration(self):
        member, device = self.member(), f"scale-{uuid.uuid4()}"
        self.post([{"device": device, "at": "2026-05-01T07:00:00Z", "kg": 71.5}])
        self.done()
        waiting = [item for item in self.status()["waiting"] if item["device"] == device]
        self.assertEqual([item["code"] for item in waiting], ["device-unknown"])
        self.devices("register", "--device", device, "--participant", member.participant)
        until(lambda: self.observations(member.participant), "what waited is recorded")
        weight, = self.observations(member.participant).values()
        self.assertEqual((weight["valueQuantity"]["value"], weight["status"]), (71.5, "final"))
        self.assertFalse([item for item in self.status()["waiting"] if item["device"] == device])

    def test_consent_decides(self):
        stranger, device = self.study.device(self.server), f"scale-{uuid.uuid4()}"
        stranger.consent()
        # Nothing is on file of whom nobody knows.
        self.devices("register", "--device", device, "--participant", stranger.participant, status=1)
        stranger.send()
        stranger.settled()
        self.devices("register", "--device", device, "--participant", stranger.participant)
        self.post([{"device": device, "at": "2026-05-01T07:00:00Z", "kg": 70}])
        self.done()
        self.assertEqual(len(self.observations(stranger.participant)), 1)
        stranger.withdraw()
        stranger.send()
        stranger.settled()
        before = self.status()["refused"]
        self.post([{"device": device, "at": "2026-05-02T07:00:00Z", "kg": 69}])
        status = self.done()
        if not [item for item in status["waiting"] if item["device"] == device]:
            self.assertEqual(status["refused"], before + 1)
        self.assertEqual(len(self.observations(stranger.participant)), 1)

    def test_who_is_deleted_is_nowhere_and_their_device_brings_nothing_back(self):
        member, device = self.member(), f"scale-{uuid.uuid4()}"
        self.devices("register", "--device", device, "--participant", member.participant)
        self.post([{"device": device, "at": "2026-05-01T07:00:00Z", "kg": 70}, {"device": device, "at": "never", "kg": 1}])
        self.done()
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM gateway_observation o JOIN record r ON r.number = o.number WHERE r.subject = ?",
            member.participant), 1)
        tributary("participant", "delete", self.study.dir, member.participant, "--reason", "as asked", "--yes")
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM gateway_device WHERE participant = ?", member.participant), 0)
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM gateway_observation WHERE number NOT IN (SELECT number FROM record)"), 0)
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM gateway_measurement WHERE observation NOT IN (SELECT number FROM gateway_observation)"), 0)
        self.post([{"device": device, "at": "2026-05-03T07:00:00Z", "kg": 70}])
        status = self.done()
        self.assertFalse([item for item in status["waiting"] + status["quarantined"] if item["device"] == device])
        self.assertEqual(self.observations(member.participant), {})

    def test_what_fails_is_set_aside_alone(self):
        member, device = self.member(), f"thing-{uuid.uuid4()}"
        self.devices("register", "--device", device, "--participant", member.participant)
        good = {"device": device, "at": "2026-05-01T07:00:00Z", "kg": 70}
        before = {item["id"] for item in self.status()["quarantined"]}
        self.post([
            {"kg": 1, "at": "2026-05-01T07:00:00Z"}, {"device": device, "kg": 2}, {**good, "at": "yesterday"},
            {**good, "kg": "1e309"}, {**good, "kg": "heavy"}, {**good, "patient": "somebody-else"},
            {"device": device, "at": "2026-05-01T07:00:00Z", "other": 5}, "no JSON at all", good])
        status = self.done()
        codes = sorted(item["code"] for item in status["quarantined"] if item["id"] not in before)
        self.assertEqual(codes, sorted([
            "device-missing", "timestamp-missing", "timestamp-invalid", "value-not-a-number", "value-not-a-number",
            "patient-mismatch", "template-unmatched", "template-unmatched"]))
        self.assertEqual([item["valueQuantity"]["value"] for item in self.observations(member.participant).values()], [70])
        log = self.server.log
        for word in ("heavy", "somebody-else", device):
            self.assertNotIn(word, log)
        # Tried again it fails again; with another template it does not.
        self.assertGreaterEqual(self.devices("retry", "--all")["retried"], 8)
        self.assertEqual(len([item for item in self.done()["quarantined"] if item["id"] not in before]), 8)
        self.devices("retry", "999999999", status=1)

    def test_only_a_signature_of_the_hub_opens_it(self):
        other = self.key("other-hub")
        event = [{"device": "d", "at": "2026-05-01T07:00:00Z", "kg": 1}]
        taken = self.status()["messages"]
        for code, signed in {
            "signature-missing": "", "shared-access-signature-invalid": "SharedAccessSignature sr=x",
            "signature-invalid": signature(self.connection, key="guessed"),
            "signature-expired": signature(self.connection, expires=-5),
            "signature-foreign": signature(self.connection, resource="example.org/pumps"),
        }.items():
            answer = self.post(event, 401, signed=signed)
            self.assertEqual(answer.code, code)
            self.assertTrue(answer.headers["content-type"].startswith("application/problem+json"))
        self.assertEqual(self.post(event, 401, signed=signature(other)).code, "signature-invalid")
        self.assertEqual(self.post(event, 401, signed=signature(self.connection, name="key-9")).code, "signature-invalid")
        self.post(event, 404, hub="nothing")
        self.assertEqual(self.status()["messages"], taken)
        # Others name a scheme, a namespace's hub in capitals, and what lies below it.
        host = self.server.url.split("://")[1]
        for resource in (f"sb://{host}/pumps", f"https://{host}/PUMPS/", f"{host}/pumps/messages"):
            self.post([{"device": str(uuid.uuid4()), "at": "2026-05-01T07:00:00Z", "kg": 1}],
                      signed=signature(self.connection, resource=resource))
        for name in ("fhir", "oauth", "study", "UPPER", "../x", ""):
            self.devices("key", "--hub", name, "--url", self.server.url, status=1)
        self.devices("key", "--hub", "far", "--url", "http://example.org", status=1)

    def test_bodies_are_read_strictly_and_bounded(self):
        signed = signature(self.connection)
        url = f"{self.server.url}/{self.hub}/messages"
        for body, media, status in [
            (b"[", BATCH, 400), (b"{}", BATCH, 400), (b'[{"Body":1},{"No":2}]', BATCH, 400), (b"[]", BATCH, 201),
            (b"x" * (1 << 20) + b"y", BATCH, 413), (b"\xff\xfe", "application/octet-stream", 201),
            (json.dumps([{"Body": "{}"}] * 10_001).encode(), BATCH, 400),
        ]:
            answer = http("POST", url, {"Authorization": signed, "Content-Type": media}, body)
            self.assertEqual(answer.status, status, (body[:20], answer))
        self.assertEqual(http("GET", url, {"Authorization": signed}).status, 405)
        self.done()


class GatewayModel(GatewayTest):
    """Histories at random against a model: late, repeated, out of order, the server ended in between."""

    def test_histories_end_as_the_model_says(self):
        random = seeded()
        members = [self.member() for _ in range(3)]
        base = 1_775_001_600
        for number in range(HISTORIES):
            member, device = random.choice(members), f"model-{number}-{uuid.uuid4()}"
            registered = random.random() < 0.5
            if registered:
                self.devices("register", "--device", device, "--participant", member.participant)
            model, sent = {}, []
            for _ in range(random.randrange(3, 15)):
                kind = random.choice(["hr", "kg", "spo2", "pressure"])
                at = base + random.randrange(3) * 3600 + random.randrange(0, 3600, random.choice([1, 7, 60]))
                value = random.randrange(40, 140)
                if kind == "pressure":
                    event = {"device": device, "at": instant(at), "systolic": value, "diastolic": value - 20,
                             "set": f"{device}-{random.randrange(2)}"}
                else:
                    event = {"device": device, "at": instant(at), kind: value}
                if random.random() < 0.2 and sent:
                    event = random.choice(sent)  # comes again
                elif json.dumps(event) not in [json.dumps(item) for item in sent]:
                    model[(kind, event.get("set"), at)] = value
                sent.append(event)
            rest = list(sent)
            while rest:
                size = random.randrange(1, 5)
                self.post(rest[:size])
                if random.random() < 0.3:
                    self.post(rest[:size])
                rest = rest[size:]
                if random.random() < 0.05:
                    self.restart()
            if not registered:
                self.devices("register", "--device", device, "--participant", member.participant)
                until(lambda: not [item for item in self.status()["waiting"] if item["device"] == device], "released", 60)
            self.done()
            self.compare(member.participant, device, model)

    def restart(self):
        self.server.kill()
        type(self).server = self.study.serve("--port", str(self.server.port))

    def compare(self, participant, device, model):
        found = {name: item for name, item in self.observations(participant).items()
                 if f".{device}." in item["identifier"][0]["value"] or item["identifier"][0]["value"].startswith(device)}
        wanted = {}
        for (kind, correlation, at), value in sorted(model.items(), key=lambda item: item[0][2]):
            if kind == "hr":
                start = at - at % 3600
                name = self.observation_id(participant, device, "heartrate", start, start + 3599)
                slots = wanted.setdefault(name, ["E"] * 60)
                slots[(at - start) // 60] = str(value)
            elif kind == "kg":
                wanted[self.observation_id(participant, device, "weight", at)] = value
            elif kind == "spo2":
                day = at - at % 86400
                wanted[self.observation_id(participant, device, "spo2", day, day + 86399)] = value
            else:
                wanted[self.observation_id(participant, device, "bloodpressure", at, correlation=correlation)] = (value, value - 20)
        shown = {}
        for name, item in found.items():
            if "valueSampledData" in item:
                shown[name] = item["valueSampledData"]["data"].split()
            elif "valueQuantity" in item:
                shown[name] = item["valueQuantity"]["value"]
            else:
                shown[name] = tuple(part["valueQuantity"]["value"] for part in item["component"])
        self.assertEqual(shown, wanted)


class GatewayKilled(GatewayTest):
    """kill -9 at random instants: what was answered with 201 is recorded, and everything once."""

    def test_what_was_taken_is_recorded_once(self):
        random = seeded()
        member, device = self.member(), f"killed-{uuid.uuid4()}"
        self.devices("register", "--device", device, "--participant", member.participant)
        base, sent, stop = 1_775_001_600, {}, threading.Event()

        def send():
            number = 0
            while not stop.is_set() or number % 5:
                events = []
                for _ in range(3):
                    at = base + 60 * number
                    events.append({"device": device, "at": instant(at), "hr" if number % 2 else "kg": 50 + number % 90})
                    sent[at] = (number % 2, 50 + number % 90)
                    number += 1
                while True:  # until it is taken, as a device does
                    try:
                        self.post(events)
                        break
                    except (OSError, AssertionError):
                        time.sleep(0.02)

        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(ROUNDS):
            time.sleep(random.random())
            port = self.server.port
            self.server.kill()
            type(self).server = self.study.serve("--port", str(port))
        stop.set()
        sender.join(60)
        self.assertFalse(sender.is_alive())
        self.done()
        weights, rates = {}, {}
        for item in self.observations(member.participant).values():
            start = datetime.datetime.fromisoformat(item["effectivePeriod"]["start"].replace("Z", "+00:00")).timestamp()
            if "valueQuantity" in item:
                weights[int(start)] = item["valueQuantity"]["value"]
            else:
                rates.update({int(start) + 60 * slot: int(value) for slot, value
                              in enumerate(item["valueSampledData"]["data"].split()) if value != "E"})
        self.assertEqual(weights, {at: value for at, (odd, value) in sent.items() if not odd})
        self.assertEqual(rates, {at: value for at, (odd, value) in sent.items() if odd})
        self.assertEqual(len(self.facts(member.participant)), len(sent))
        print(f"\n  {ROUNDS} kills, {len(sent)} readings", flush=True)


class GatewayRoles(unittest.TestCase):
    def test_a_lone_receiver_is_no_gateway(self):
        done = tributary("serve", "nowhere", "--roles", "receiver,gateway", status=64)
        self.assertIn("gateway", done.errors)


if __name__ == "__main__":
    unittest.main()
