"""Small writes that would cost much: of bytes, of the processor, and of the time that others wait for the store."""

import base64
import json
import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from writing import FHIR, JSON_PATCH, MERGE_PATCH, Writing, bundle, entry

SECONDS = float(os.environ.get("TRIBUTARY_ATTACK_SECONDS", "4"))
MEGABYTES = 1 << 20


class SmallWrites(Writing):
    """What one app with one token does, with requests of some kilobytes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = cls.token("user/Observation.rs")

    def setUp(self):
        self.peak(reset=True)

    def peak(self, reset=False):
        """The most resident bytes of the server since it was asked to forget."""
        folder = f"/proc/{self.server.process.pid}"
        if reset:
            with open(folder + "/clear_refs", "w") as file:
                file.write("5")
        with open(folder + "/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["VmHWM"].split()[0]) * 1024

    def processor(self):
        """Seconds of the processor that the server has used."""
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def note(self, name, length, **more):
        body = {"resourceType": "Basic", "id": name, "code": {"text": "x" * length}, **more}
        self.assertIn(self.ask("PUT", f"Basic/{name}", body).status, (200, 201))

    def test_C1_a_patch_copies_no_more_than_a_resource_may_have(self):
        self.note("copied", 900_000)
        before = self.peak(reset=True)
        copies = [{"op": "copy", "from": "/code/text", "path": f"/e{number}"} for number in range(900)]
        doubling = [{"op": "copy", "from": "", "path": f"/e{number}"} for number in range(60)]
        binary = {"resourceType": "Binary", "contentType": JSON_PATCH, "data": base64.b64encode(json.dumps(copies).encode()).decode()}
        for answer in (
                self.ask("PATCH", "Basic/copied", copies, None, JSON_PATCH), self.ask("PATCH", "Basic/copied", doubling, None, JSON_PATCH),
                self.ask("PATCH", "Basic/copied", copies[:30], None, JSON_PATCH),
                self.ask("POST", "", bundle("transaction", entry("PATCH", "Basic/copied", binary)))):
            self.assertIn((answer.status, answer.code), [(422, "too-costly"), (413, "resource-too-large")], answer)
        batch = self.ask("POST", "", bundle("batch", *[entry("PATCH", "Basic/copied", binary)] * 50))
        self.assertEqual({row["response"]["status"][:3] for row in batch.json["entry"]} - {"422", "413"}, set())
        self.assertEqual(self.ask("GET", "Basic/copied").headers["ETag"], 'W/"1"')
        self.assertLess(self.peak() - before, 150 * MEGABYTES)

    def test_H1_searches_in_long_texts_cost_no_more_than_the_texts(self):
        self.note("long", 1_000_000, extension=[{"url": "urn:x", "valueString": "x" * 500_000 + "y"}])
        parameters = {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": [
            {"name": "type", "valueCode": "delete"},
            {"name": "path", "valueString": "Basic.code.where(text.contains(%resource.extension.value))"}]}]}
        used, begun = self.processor(), time.monotonic()
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: self.ask("PATCH", "Basic/long", parameters, None, FHIR), range(12)))
            self.assertEqual({answer.status for answer in answers} - {200, 400, 422}, set(), answers)
        self.assertLess(self.processor() - used, 30)
        self.assertLess(time.monotonic() - begun, 60)

    def test_H2_members_are_removed_from_a_large_object_in_no_time(self):
        members = {f"n{number}": 1 for number in range(100_000)}
        # What is not R4's is refused, whatever is left of it: that is what the patch costs.
        removals = [{"op": "remove", "path": f"/code/n{number}"} for number in range(900)]
        self.note("wide", 10)
        used = self.processor()
        for body, form in (([{"op": "add", "path": "/code", "value": members}, *removals], JSON_PATCH),
                           ({"code": {**members, **{f"n{number}": None for number in range(50_000)}}}, MERGE_PATCH)):
            self.assertIn(self.ask("PATCH", "Basic/wide", body, None, form).status, (400, 413, 422))
        self.assertLess(self.processor() - used, 10)

    def test_H4_others_do_not_wait_for_the_searches_of_conditional_writes(self):
        for number in range(3):
            rows = [entry("POST", "Basic", {"resourceType": "Basic", "code": {"text": f"{number}-{row}"}, "identifier": [
                {"system": "urn:many", "value": f"{number}-{row}-{part}"} for part in range(20)]}) for row in range(400)]
            self.assertEqual(self.ask("POST", "", bundle("batch", *rows)).status, 200)
        # A search of many values, each of which is looked for by itself.
        values = ",".join(f"urn:many|{number}-{row}-{part}" for number in range(2) for row in range(20) for part in range(20))
        stop, longest = threading.Event(), [0.0]

        def attack(number):
            while not stop.is_set():
                self.ask("PUT", f"Basic?identifier={values}&_has:Provenance:target:agent=x",
                         {"resourceType": "Basic", "code": {"text": "x"}})

        def write():
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                begun = time.monotonic()
                answer = self.ask("PUT", "Location/other", {"resourceType": "Location", "id": "other", "name": str(begun)})
                self.assertIn(answer.status, (200, 201), answer)
                longest[0] = max(longest[0], time.monotonic() - begun)

        with ThreadPoolExecutor(5) as pool:
            attackers = [pool.submit(attack, number) for number in range(4)]
            write()
            stop.set()
            for attacker in attackers:
                attacker.result()
        self.assertLess(longest[0], 3)


if __name__ == "__main__":
    unittest.main()
