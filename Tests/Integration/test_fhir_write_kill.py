"""kill -9 of a server while programs send it transactions: each of them is there whole, with its versions, facts and rows of the
audit, or nothing of it is; and what was acknowledged is there."""

import os
import sys
import threading
import time
import unittest
import uuid

import postgresql
from forms import observation
from harness import ON_POSTGRESQL, Study, http, seeded, tributary, until
from writing import FHIR, FULL, Writing, bundle, entry, identified

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
MADE, STEADY, SHORT = 100_000, 200_000, 300_000  # more than any reading


class Program:
    """Sends one transaction after the other; each takes away what the one before put there for a while."""

    def __init__(self, test, first):
        self.test, self.number, self.before = test, first, None

    def transaction(self, number):
        test, mark, address = self.test, identified(f"t-{number}"), uuid.uuid4().urn
        encounter = {"resourceType": "Encounter", "status": "finished", "subject": {"reference": f"Patient/{test.participant}"},
                     "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"}, **mark}
        made = observation(test.participant, MADE + number, encounter={"reference": address}, **mark)
        entries = [entry("POST", "Observation", made), entry("POST", "Encounter", encounter, address),
                   entry("PUT", "Observation/steady", observation(test.participant, STEADY + number, id="steady", **mark)),
                   entry("PUT", f"Observation/short-{number}",
                         observation(test.participant, SHORT + number, id=f"short-{number}", **mark)),
                   entry("POST", "Organization", {"resourceType": "Organization", "name": "Lab", **mark},
                         ifNoneExist=f"identifier=urn:example:lab|t-{number}")]
        if self.before is not None:
            entries.append(entry("DELETE", f"Observation/short-{self.before}"))
        return entries

    def run(self):
        while True:
            self.number += 1
            entries = self.transaction(self.number)
            self.test.sent[self.number] = (len(entries), self.before)
            try:
                answer = http("POST", self.test.server.url + "/fhir", {
                    "Authorization": "Bearer " + self.test.token, "Content-Type": FHIR, "Prefer": "return=minimal"},
                    bundle("transaction", *entries))
            except (OSError, ValueError):
                return
            if answer.code == "overtaken":
                # The other program wrote at the same time: nothing is done, and the next may go through.
                self.test.overtaken.add(self.number)
                continue
            if answer.status != 200:
                self.test.refused.append(answer)
                return
            self.test.acknowledged[self.number] = [row["response"].get("location") for row in answer.json["entry"]]
            self.before = self.number


class Rounds:
    def setUp(self):
        self.random = seeded()
        self.study = Study(change=Writing.change, url=self.database())
        self.addCleanup(self.study.close)
        self.server = self.study.serve()
        device = self.study.device(self.server)
        device.consent()
        device.send()
        device.settled()
        self.participant = device.participant
        self.token = tributary("token", "create", self.study.dir, "--scope", FULL).text.strip()
        self.sent, self.acknowledged, self.refused = {}, {}, []
        self.overtaken = set()

    def history(self):
        """All versions by the numbers that they are marked with, and the ids of what was deleted."""
        marked, deleted = {}, []
        url = self.server.url + "/fhir/_history?_count=500&_type=Observation,Encounter,Organization"
        while url:
            answer = http("GET", url, {"Authorization": "Bearer " + self.token})
            self.assertEqual(answer.status, 200, answer)
            for row in answer.json.get("entry", []):
                if "resource" not in row:
                    deleted.append(row["request"]["url"])
                    continue
                mark = int(row["resource"]["identifier"][0]["value"].removeprefix("t-"))
                marked.setdefault(mark, []).append(row["resource"])
            url = next((link["url"] for link in answer.json["link"] if link["relation"] == "next"), None)
        return marked, deleted

    def check(self):
        """Everything so far; returns the transactions that are there."""
        marked, deleted = self.history()
        self.assertLessEqual(set(self.acknowledged), set(marked), "what was acknowledged is there")
        self.assertLessEqual(set(marked), set(self.sent) - self.overtaken)
        expected = [f"Observation/short-{before}" for number in marked if (before := self.sent[number][1]) is not None]
        self.assertEqual(sorted(deleted), sorted(expected), "what each takes away")
        for number, resources in marked.items():
            names = sorted((one["resourceType"], "made" if len(one["id"]) == 36 else one["id"]) for one in resources)
            self.assertEqual(names, [("Encounter", "made"), ("Observation", "made"), ("Observation", f"short-{number}"),
                                     ("Observation", "steady"), ("Organization", "made")], f"transaction {number} is whole")
            by = {one["resourceType"]: one for one in resources if len(one["id"]) == 36}
            self.assertEqual(by["Observation"]["encounter"]["reference"], f"Encounter/{by['Encounter']['id']}")
            for location in filter(None, self.acknowledged.get(number, [])):
                kind, name = location.split("/")[:2]
                self.assertIn((kind, name), [(one["resourceType"], one["id"]) for one in resources])
        self.check_facts(marked, {name.removeprefix("Observation/short-") for name in deleted})
        rows = self.study.number("SELECT count(*) FROM audit WHERE action = 'write-record' AND role = 'service' AND allowed = 1")
        self.assertEqual(rows, sum(self.sent[number][0] for number in marked), "the audit's rows are of what is there")
        return set(marked)

    def check_facts(self, marked, deleted):
        steady = http("GET", self.server.url + "/fhir/Observation/steady", {"Authorization": "Bearer " + self.token})
        expected = [MADE + number for number in marked] + [SHORT + number for number in marked if str(number) not in deleted]
        if steady.status == 200:
            expected.append(steady.json["valueQuantity"]["value"])
        found = self.study.sql("SELECT CAST(nval_num AS bigint) FROM observation_fact WHERE nval_num >= 100000 AND modifier_cd = '@'")
        self.assertEqual(sorted(value for (value,) in found), sorted(expected), "the facts are those of what is there")

    def test_each_transaction_is_there_whole_or_not_at_all(self):
        programs = [Program(self, 0), Program(self, 50_000)]
        midway = kept = 0
        for number in range(ROUNDS):
            before = len(self.acknowledged)
            threads = [threading.Thread(target=program.run) for program in programs]
            for thread in threads:
                thread.start()
            if number % 2 == 0:
                until(lambda: len(self.acknowledged) > before or self.refused, "a transaction is acknowledged")
            time.sleep(self.random.uniform(0.0, 0.25))
            self.server.kill()
            for thread in threads:
                thread.join(60)
            self.assertEqual(self.refused, [])
            self.server = self.study.serve()
            there = self.check()
            for program in programs:
                if program.number not in self.acknowledged and program.number not in self.overtaken:
                    midway += 1
                    kept += program.number in there
                    program.before = program.number if program.number in there else program.before
        verified = tributary("warehouse", "verify", self.study.dir, "--json").json
        self.assertEqual(verified["differences"], [])
        self.assertTrue(self.study.is_sound())
        self.assertGreaterEqual(len(self.acknowledged), (ROUNDS + 1) // 2)
        print(f"  {ROUNDS} rounds: {len(self.acknowledged)} transactions were acknowledged, {len(self.overtaken)} overtaken; of {midway} that were under way when "
              f"the server was killed {kept} were there", file=sys.stderr)


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class InFiles(Rounds, unittest.TestCase):
    def database(self):
        return ""


@unittest.skipIf(ON_POSTGRESQL, "the engines are the tests' own choice")
class OnServer(Rounds, unittest.TestCase):
    def database(self):
        return postgresql.server().database()


if __name__ == "__main__":
    unittest.main()
