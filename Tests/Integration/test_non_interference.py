"""Non-interference from outside: one server has all records, another one only what a grant may see, worked out in Python; both
answer the grant alike, whatever it asks."""

import os
import sys
import time
import unittest

from compared_stores import Copy, Side, prepared, replay, stand_ins, whole_numbers
from grants_at_random import grant as random_grant
from harness import http, needs_conformance, seeded, tributary
from interfering_records import Records
from interfering_requests import Requests, text
from visible_records import Definitions, Grant
from writing import FHIR, FULL

GRANTS = int(os.environ.get("TRIBUTARY_GRANTS", "10"))
REQUESTS = 40
SHOWN = 20


@needs_conformance("fhir-r4.tar.xz")
class NonInterference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.random = seeded()
        cls.definitions = Definitions()
        cls.empty = prepared()
        cls.addClassCleanup(cls.empty.close)
        cls.writer = tributary("token", "create", cls.empty.dir, "--scope", FULL).text.strip()
        cls.records = Records(cls.random)
        cls.whole = Copy(cls.empty.dir)
        cls.addClassCleanup(cls.whole.close)
        side = Side(cls.whole, [], {})
        cls.times = replay(side.server, cls.writer, cls.records, whole_numbers(cls.records))
        side.server.stop()

    def some_grant(self, at_least):
        """A grant that reads at least so many records; a practitioner names a patient who is there, so in the server too that has
        only what the grant shows."""
        while True:
            grant = random_grant(self.random)
            past = self.records.pasts["Patient", grant.context or "p1"]
            if grant.role == "practitioner" and (past.is_deleted or not past.visible(grant, "ruds", self.definitions)):
                continue
            if len(self.readable(grant)) >= at_least:
                return grant

    def readable(self, grant):
        """The keys of the records that a grant reads, in some version."""
        return [key for key, past in self.records.pasts.items() if past.visible(grant, "r", self.definitions)]

    def sides(self, grant):
        """Both servers for a grant."""
        seen = {key: past.visible(grant, "ruds", self.definitions) for key, past in self.records.pasts.items()}
        paths = {"/".join(key): numbers for key, numbers in seen.items()}
        counts = {"/".join(key): len(past.versions) for key, past in self.records.pasts.items()}
        whole, part = Copy(self.whole.dir), Copy(self.empty.dir)
        for copy in (whole, part):
            self.open.append(copy)
        all_side = Side(whole, self.times, {path: (numbers, counts[path]) for path, numbers in paths.items()})
        instead = stand_ins(self.records, grant, seen, self.definitions)
        part_side = Side(part, [], {})
        for key, numbers in seen.items():
            first = 1 + (key in instead)
            part_side.numbers["/".join(key)] = (list(range(first, first + len(numbers))), first + len(numbers) - 1)
        part_side.times = replay(part_side.server, self.writer, self.records, seen, instead)
        for side in (all_side, part_side):
            side.grant(grant)
        return all_side, part_side

    def check_what_is_seen(self, side, grant, sample):
        """Reads, versions and searches of the server with all show what rule 2 shows, and nothing is withheld."""
        wrong, readable, found = [], 0, {}
        for key, past in self.records.pasts.items():
            searched = bool(past.visible(grant, "s", self.definitions)) and not past.is_deleted
            if searched:
                found.setdefault(key[0], set()).add(key[1])
            if key not in sample:
                continue
            numbers = past.visible(grant, "r", self.definitions)
            readable += bool(numbers)
            expected = 403 if not grant.may(key[0], "r") else 404 if not numbers else 410 if past.is_deleted else 200
            for path, status in [("", expected)] + [
                    (f"/_history/{number}", 403 if expected == 403 else 404 if number not in numbers else
                     410 if past.versions[number - 1] is None else 200) for number in range(1, len(past.versions) + 1)]:
                answer = http("GET", f"{side.base}/{'/'.join(key)}{path}", {"Authorization": "Bearer " + side.token})
                if answer.status != status:
                    wrong.append(f"{'/'.join(key)}{path}: {answer.status}, not {status} {past.versions}")
        for kind in {kind for kind, _ in self.records.pasts}:
            answer = http("GET", f"{side.base}/{kind}?_count=500", {"Authorization": "Bearer " + side.token})
            if not grant.may(kind, "s"):
                if answer.status != 403:
                    wrong.append(f"{kind}: {answer.status}, not 403")
                continue
            ids = {entry["resource"]["id"] for entry in answer.json.get("entry", [])}
            if ids != found.get(kind, set()) or answer.json["total"] != len(ids):
                wrong.append(f"{kind}: {sorted(ids ^ found.get(kind, set()))} total {answer.json.get('total')}")
        return wrong, readable

    def test_a_put_tells_that_an_id_is_taken(self):
        """The one thing that differs, as docs/fhir-server.md says: a hidden record's id is not to be had."""
        grant = Grant("patient/*.cruds", {"p1"})
        self.open = []
        try:
            side = self.sides(grant)[0]
            hidden = [name for (kind, name), past in self.records.pasts.items()
                      if kind == "Observation" and not past.visible(grant, "ruds", self.definitions)]
            self.assertGreater(len(hidden), 20)
            for name, status in [(name, 404) for name in hidden] + [("free-1", 201), ("free-2", 201)]:
                made = {**self.records.resource("Observation", name), "subject": {"reference": "Patient/p1"}}
                for other in ("meta", "performer", "contained"):
                    made.pop(other, None)
                answer = http("PUT", f"{side.base}/Observation/{name}", {"Authorization": "Bearer " + side.token,
                                                                        "Content-Type": FHIR}, made)
                self.assertEqual(answer.status, status, answer)
            print(f"  {len(hidden)} ids of hidden records are not to be had", file=sys.stderr)
        finally:
            for copy in self.open:
                copy.close()

    def test_what_is_hidden_changes_no_answer(self):
        began, differing, asked, answered, looked_at, seen_records = time.monotonic(), [], 0, {}, 0, 0
        for number in range(GRANTS):
            # Most grants read next to nothing; every second one reads enough for its answers to tell something.
            grant = self.some_grant(at_least=number % 2 * SHOWN)
            self.open = []
            try:
                all_side, part_side = self.sides(grant)
                shows = self.readable(grant)
                sample = {*self.random.sample(list(self.records.pasts), 50),
                          *self.random.sample(shows, min(len(shows), SHOWN))}
                looked_at += len(sample)
                wrong, readable = self.check_what_is_seen(all_side, grant, sample)
                seen_records += readable
                head = f"grant {number}: {grant.scope} {sorted(grant.patients) if grant.patients else 'all'} {grant.role} {grant.context}"
                differing += [f"{head}\n    {one}" for one in wrong]
                requests = Requests(self.random, self.records, self.definitions, grant)
                for _ in range(REQUESTS):
                    request = requests.make()
                    answers = [side.ask(request) for side in (all_side, part_side)]
                    asked += 1
                    status = answers[0][0][0] if isinstance(answers[0][0], list) and answers[0][0] and isinstance(
                        answers[0][0][0], int) else "export"
                    answered[status] = answered.get(status, 0) + 1
                    if answers[0] != answers[1]:
                        differing.append(f"{head}\n  {text(request)}\n    all:  {shown(answers[0], answers[1])}\n    part: "
                                         f"{shown(answers[1], answers[0])}")
                        # What was written to one alone would tell on all that follows.
                        if request["method"] != "GET":
                            break
            finally:
                for copy in self.open:
                    copy.close()
        took = time.monotonic() - began
        print(f"  {GRANTS} grants, {asked} requests, {took:.0f} s: {dict(sorted(answered.items(), key=str))}; of "
              f"{looked_at} records looked at {seen_records} were read", file=sys.stderr)
        self.assertEqual(differing, [], f"{len(differing)} differ\n" + "\n".join(differing[:12]))
        self.assertEqual([status for status in answered if isinstance(status, int) and status >= 500], [])
        self.assertGreaterEqual(seen_records, GRANTS // 2 * SHOWN)
        self.assertGreater(answered.get(200, 0), asked // 10)


def shown(one, other):
    """Where two answers part, and what stands there."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for mine, theirs in zip(one, other):
            if mine != theirs:
                return shown(mine, theirs)
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one:
            if name not in other:
                return f"{name}: {str(one[name])[:300]}"
            if one[name] != other[name]:
                return f"{name}: {shown(one[name], other[name])}"
    return str(one)[:600]


if __name__ == "__main__":
    unittest.main()
