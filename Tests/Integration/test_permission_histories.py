"""Seeded histories of permissions against the model: two wallets, five apps, two processes on one store. With new and old tokens,
each app's search finds exactly the records of the model.

TRIBUTARY_PERMISSION_HISTORIES is the number of histories (6)."""

import collections
import datetime
import os
import sys
import unittest

from fhirblocks import Csi, get, now, permission, put, settings, wallet, writer_token
from forms import observation
from harness import Study, seeded, tributary, until
from permission_model import Holder, Model, Record, Scope, Terms, Token

HISTORIES = int(os.environ.get("TRIBUTARY_PERMISSION_HISTORIES", "6"))
STEPS = 14
TOKENS = 3  # of an app, from earlier
KINDS = ("Patient", "Observation", "Condition")
CONFIDENTIALITY = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
SENSITIVITY = {"SOC": "urn:tributary:sensitivity"}
ACT_CODE = "http://terminology.hl7.org/CodeSystem/v3-ActCode"


def resource(record):
    """The resource of a record of the model."""
    labels = [{"system": SENSITIVITY.get(code, ACT_CODE), "code": code} for code in record.sensitivities]
    if record.confidentiality != "N":
        labels.append({"system": CONFIDENTIALITY, "code": record.confidentiality})
    made = {"meta": {"security": labels}} if labels else {}
    subject = {"reference": f"Patient/{record.patient}"}
    if record.kind == "Patient":
        made |= {"resourceType": "Patient"}
    elif record.kind == "Condition":
        made |= {"resourceType": "Condition", "subject": subject, "code": {"text": "a condition"}}
    else:
        made |= observation(record.patient)
    return made | {"id": record.name}


class Histories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(change=settings())
        cls.addClassCleanup(cls.study.close)
        cls.servers = [cls.study.serve(), cls.study.serve("--roles", "records,authorization")]

    def test_each_app_sees_what_the_model_says(self):
        self.random = seeded()
        self.counts = collections.Counter()
        for self.history in range(HISTORIES):
            # A token lasts an hour, which many histories exceed.
            if self.history % 40 == 0:
                type(self).writer = writer_token(self.study)
            self.begin()
            for self.step in range(STEPS):
                self.act()
                self.check(self.random.sample(sorted(self.apps), 2))
            self.reach_the_ends()
            self.check(sorted(self.apps))
            for name in sorted(self.csis):
                self.csis[name].revoke()
        print(f"  {HISTORIES} histories: " + ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items())),
              file=sys.stderr)

    # The people and their apps

    def begin(self):
        self.model, self.csis, self.holders, self.tokens, self.numbers = Model(), {}, {}, {}, 0
        self.apps, self.step, self.note = {}, 0, "begin"
        for patient in ("a", "b"):
            name = f"h{self.history}{patient}-{self.study.root.name[-4:].replace('_', '-')}"
            self.record("Patient", name, plain=True)
            for kind in ("Observation", "Condition", "Observation"):
                self.record(kind, name)
            self.add_wallet(patient, name)
        for app, device, role in (("one", "a", None), ("two", "a", None), ("three", "b", None), ("four", None, "provider"),
                                  ("five", None, "caregiver")):
            self.add_app(app, device and self.holders[f"wallet-{device}"].device, role)

    @property
    def server(self):
        return self.random.choice(self.servers)

    def record(self, kind, patient, plain=False):
        self.numbers += 1
        name = patient if kind == "Patient" else f"r{self.numbers}-{patient}"
        labels = [] if plain or self.random.random() < 0.4 else self.random.sample(["SUD", "OPIOIDUD", "HIV", "PSY", "SOC"],
                                                                                 self.random.choice([0, 1, 1, 2]))
        confidentiality = "N" if plain else self.random.choice("LNNNRV")
        record = Record(kind, name, patient, confidentiality, labels)
        put(self.server, self.writer, resource(record))
        self.model.records.append(record)

    def add(self, name, csi, holder):
        self.csis[name], self.holders[name], self.tokens[name] = csi, holder, []
        self.model.holders.append(holder)

    def add_wallet(self, person, patient):
        """A wallet on a new device; it replaces a former one."""
        name = f"wallet-{person}"
        if name in self.holders:
            self.model.end_holder(self.holders[name])
        csi = wallet(self.study, self.server, patient)
        self.assertEqual(csi.patient, patient)
        self.add(name, csi, Holder(name, csi.device, patient))

    def add_app(self, name, device, role):
        csi = Csi(self.server, name, device=device).register()
        if role:
            tributary("csi", "role", self.study.dir, csi.guid, "--role", role)
        self.apps[name] = (device, role)
        self.add(name, csi, Holder(name, csi.device, role=role))

    # Steps

    def act(self):
        acts = {self.grant: 6, self.pass_on: 5, self.end: 4, self.take_token: 5, self.rotate: 1, self.replace_wallet: 1,
                self.replace_app: 1, self.add_record: 1, self.write: 2}
        act = self.random.choices(list(acts), list(acts.values()))[0]
        self.note = act.__name__
        for csi in self.csis.values():
            csi.server = self.server
        act()
        self.counts[act.__name__] += 1

    def terms(self, within=None):
        """Random terms, often with an end within seconds; or terms that are mostly within others."""
        pick, time = self.random, now().replace(microsecond=0)
        narrow = within is not None and pick.random() < 0.85
        types = pick.choice([None, None, ["Observation"], ["Observation", "Condition"], ["Patient", "Condition"]])
        confidentiality = pick.choice("LNNRV")
        sensitivities = pick.sample(["ETH", "SUD", "HIV", "SPI", "SOC"], pick.choice([0, 0, 1, 2]))
        start = time + datetime.timedelta(seconds=pick.choice([-600, -5, -5, 0, 0, 0, 2, 3_600]))
        end = max(start, time) + datetime.timedelta(seconds=pick.choice([2, 3, 5, 3_600, 3_600, 86_400]))
        access = pick.choice(["read", "write", "write"])
        if narrow:
            parent = within.terms
            types = parent.types and pick.sample(parent.types, pick.randint(1, len(parent.types)))
            confidentiality = pick.choice([one for one in "LNRV" if "ULMNRV".index(one) <= "ULMNRV".index(parent.confidentiality)])
            sensitivities = [pick.choice({"ETH": ["ETH", "SUD"], "SPI": ["SPI", "PSY"]}.get(one, [one]))
                             for one in parent.sensitivities if pick.random() < 0.7]
            sensitivities = list(dict.fromkeys(sensitivities))
            start = max(parent.start, time - datetime.timedelta(seconds=pick.choice([0, 0, 5])))
            end = min(parent.end, start + datetime.timedelta(seconds=pick.choice([5, 3_600])))
        return Terms(types, access, confidentiality, sensitivities, start, end)

    def body(self, grantees, terms, parent=None):
        return permission([self.csis[name] for name in grantees], ",".join(terms.types) if terms.types else "*", terms.access,
                          terms.confidentiality, terms.sensitivities, terms.start, terms.end, parent and parent.name)

    def grant(self):
        giver = self.random.choice(["wallet-a", "wallet-b"])
        grantees = self.random.sample(sorted(self.apps), self.random.choice([1, 1, 2]))
        terms = self.terms()
        answer = self.csis[giver].write(self.body(grantees, terms))
        self.assertEqual(answer.status, 200, self.where(answer))
        for name, grantee in zip(answer.json["permissionIds"], grantees):
            self.model.add(name, self.holders[giver], self.holders[grantee], terms)

    def pass_on(self):
        time = now()
        writing = [one for one in self.model.permissions if one.is_active(time) and one.terms.access == "write"
                   and one.grantee in self.model.holders and not one.grantee.is_ended]
        if not writing:
            return self.grant()
        # Mostly one that may be passed on.
        right = [one for one in writing if one.parent is None and one.is_in_force(time)]
        parent = self.random.choice(right if right and self.random.random() < 0.8 else writing)
        giver = parent.grantee.name
        grantee = self.random.choice(["four", "five"] * 5 + ["two", giver])
        terms = self.terms(parent)
        if terms.end <= terms.start:
            return None
        before = now()
        answer = self.csis[giver].write(self.body([grantee], terms, parent))
        after = now()
        expected = {self.model.may_pass_on(self.holders[giver], self.holders[grantee], terms, parent, time)
                    for time in (before, after)}
        self.assertIn(answer.status == 200, expected, self.where(answer))
        if answer.status == 200:
            self.model.add(answer.json["permissionIds"][0], self.holders[giver], self.holders[grantee], terms, parent)
            self.counts["passed on"] += 1
        else:
            self.assertEqual(answer.status, 403, self.where(answer))
        return None

    def end(self):
        time = now()
        active = [one for one in self.model.permissions if one.is_active(time) and not one.grantee.is_ended]
        if not active:
            return self.grant()
        one = self.random.choice(active)
        person = next(name for name in ("wallet-a", "wallet-b") if self.holders[name].patient == one.patient)
        callers = [person] + ([one.grantor.name] if one.parent else [])
        caller = self.random.choice([*callers, "two"])
        name = one.name if self.random.random() < 0.5 else None
        before = now()
        answer = self.csis[caller].end(self.csis[one.grantee.name], name)
        after = now()
        found = [self.model.to_end(self.holders[caller], one.grantee, time, name) for time in (before, after)]
        self.assertEqual(answer.status, 200, self.where(answer))
        numbers = {len(each) for each in found}
        active = [one for one in self.model.permissions if one.is_active(before)]
        self.model.end(found[0])
        # Those that were passed on may be counted too.
        numbers.add(len([one for one in active if one.is_ended]))
        self.assertIn(answer.json["revoked"], numbers, self.where(answer))
        return None

    def take_token(self):
        name = self.random.choice(sorted(self.apps))
        scope = self.random.choice([
            None, None, Scope("user"), Scope("patient"), Scope("user", ["Observation"]), Scope("user", None, "V", ["ETH", "SOC"]),
            Scope("patient", ["Condition", "Patient"], "R", ["SPI"])])
        token = self.token(name, scope)
        if token:
            self.tokens[name] = (self.tokens[name] + [token])[-TOKENS:]

    def token(self, name, scope=None):
        """A new token and what it carries; None if the app has no access. A boundary of a period may be near."""
        holder = self.holders[name]
        while True:
            before = now()
            answer = self.csis[name].token_answer(scope and scope.text)
            after = now()
            carried = self.model.carried(holder, before, scope)
            if carried == self.model.carried(holder, after, scope):
                break
        if not carried:
            self.assertEqual((answer.status, answer.code), (400, "invalid_scope"), self.where(answer))
            return None
        self.assertEqual(answer.status, 200, self.where(answer))
        self.counts["tokens"] += 1
        return answer.json["access_token"], Token(holder, carried, scope, before)

    def rotate(self):
        self.csis[self.random.choice(sorted(name for name in self.csis))].rotate()

    def replace_wallet(self):
        person = self.random.choice("ab")
        self.add_wallet(person, self.holders[f"wallet-{person}"].patient)

    def replace_app(self):
        name = self.random.choice(sorted(self.apps))
        self.assertEqual(self.csis[name].revoke().status, 200)
        self.model.end_holder(self.holders[name])
        for token, _ in self.tokens[name]:
            self.assertEqual(self.csis[name].read("Observation", token).status, 401)
        self.add_app(name, *self.apps[name])

    def add_record(self):
        patient = self.holders[self.random.choice(["wallet-a", "wallet-b"])].patient
        self.record(self.random.choice(["Observation", "Condition"]), patient)

    def write(self):
        """An app writes for a patient, or is refused."""
        name = self.random.choice(sorted(self.apps))
        token = self.token(name)
        if not token:
            return
        patient = self.holders[self.random.choice(["wallet-a", "wallet-b"])].patient
        record = Record("Observation", "new", patient)
        before = now()
        answer = self.csis[name].read("Observation", token[0], "POST", observation(patient))
        after = now()
        expected = {self.model.writable(token[1], patient, "Observation", time) for time in (before, after)}
        self.assertIn(answer.status == 201, expected, self.where(answer))
        if answer.status == 201:
            record.name = answer.headers["Location"].split("/fhir/")[1].split("/")[1]
            self.model.records.append(record)
            self.counts["written"] += 1

    # Checks

    def check(self, names):
        for name in names:
            csi, holder = self.csis[name], self.holders[name]
            csi.server = self.server
            new = self.token(name)
            # A token is valid for five minutes.
            self.tokens[name] = [one for one in self.tokens[name] if now() - one[1].issued < datetime.timedelta(seconds=200)]
            for text, token in [*self.tokens[name], *([new] if new else [])]:
                self.check_token(csi, text, token)
            before = now()
            found = {row["permissionId"] for row in csi.received()}
            self.assertIn(found, [self.model.received(holder, time) for time in (before, now())], self.where(name))
        person = self.random.choice(["wallet-a", "wallet-b"])
        before = now()
        found = {row["permissionId"] for row in self.csis[person].given()}
        self.assertIn(found, [self.model.given(self.holders[person], time) for time in (before, now())], self.where(person))

    def check_token(self, csi, text, token):
        for kind in KINDS:
            before = now()
            answer = csi.read(f"{kind}?_count=500", text)
            after = now()
            if answer.status == 200:
                found = frozenset((row["resource"]["resourceType"], row["resource"]["id"]) for row in answer.json.get("entry", [])
                                  if row["search"]["mode"] == "match")
            else:
                self.assertIn(answer.status, (401, 403), self.where(answer))
                found = frozenset()
            times = [before, *self.model.edges(before, after), after]
            expected = [frozenset(one for one in self.model.visible(token, time) if one[0] == kind) for time in times]
            self.assertIn(found, expected, self.where(f"{csi.name} {kind} {token.scope and token.scope.text}"))
            self.counts["searches"] += 1
            self.counts["records seen"] += len(found)

    def reach_the_ends(self):
        """Lets the periods end that end within seconds, by the time of the server."""
        time = now()
        near = self.model.edges(time, time + datetime.timedelta(seconds=10))
        if near:
            limit = near[-1].strftime("%Y-%m-%dT%H:%M:%S")
            until(lambda: get(self.server, "/util/getTime").json["currentTime"] > limit, "the ends")

    def where(self, what):
        permissions = "\n".join(
            f"  {one.name} {one.grantor.name}->{one.grantee.name} {one.patient} {one.terms.__dict__} ended={one.is_ended} "
            f"parent={one.parent and one.parent.name}" for one in self.model.permissions)
        return f"history {self.history}, step {self.step}, {self.note}: {what}\n{permissions}"


if __name__ == "__main__":
    unittest.main()
