"""One message costs what it weighs: dear ones of one device do not stand in the way of the others'."""

import os
import time
import unittest

from forms import VISIT, new_id, observation
from harness import Study, until
from hostile import all_kinds
from sealed import SealedClient

# `make attack` takes a thousand.
GOOD = int(os.environ.get("TRIBUTARY_HOSTILE_GOOD", "60"))


class Hostile(unittest.TestCase):
    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)
        # Several devices send as fast as they can: what is measured is the consumer.
        unlimited = {"submission-by-client": {"perSecond": 1_000_000, "burst": 1_000_000}}
        self.study.change(lambda value: value.setdefault("limits", {}).update(rates=unlimited))
        server = self.study.serve()
        self.members = []
        for _ in range(4):
            device = self.study.device(server)
            device.consent()
            device.send()
            self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
            self.members.append(device)
        server.stop()

    def stored(self, hostile):
        """Lets good messages of three devices and hostile ones of the fourth come in while nobody handles them, the hostile
        ones spread among the good.

        Gives the seconds from the server's start until the good ones are stored, and the hostile ones' ids by name."""
        server = self.study.serve("--roles", "receiver")
        clients = [(SealedClient(server, self.study, device=member), member.participant) for member in self.members[:3]]
        enemy = SealedClient(server, self.study, device=self.members[3])
        places = {GOOD * (place + 1) // (len(hostile) + 1): name for place, name in enumerate(hostile)}
        good, theirs = [], {}
        for number in range(GOOD):
            if number in places:
                payload, version = hostile[places[number]]
                theirs[places[number]] = enemy.send(payload, version=version)
            client, person = clients[number % len(clients)]
            good.append(client.send(observation(person, number)))
        server.stop()
        before = self.study.queue_number("SELECT max(number) FROM submission WHERE status != 'received'")
        self.server = self.study.serve()
        begun = time.monotonic()
        lanes = self.study.queue_sql(
            "SELECT DISTINCT lane FROM submission WHERE submission_id IN (?, ?, ?)", *good[:3])
        counted = ("SELECT count(*) FROM submission WHERE number > ? AND status = 'stored' AND lane IN (?, ?, ?)",
                   before, *(row[0] for row in lanes))
        self.assertEqual(len(lanes), 3)
        until(lambda: self.study.queue_number(*counted) == GOOD, f"{GOOD} good ones are stored", 600)
        return time.monotonic() - begun, theirs

    def test_good_messages_of_others_are_stored_while_hostile_ones_are_handled(self):
        alone, _ = self.stored({})
        self.server.stop()
        beside, theirs = self.stored(all_kinds(self.members[3].participant))
        enemy = SealedClient(self.server, self.study, device=self.members[3])
        outcomes = {name: enemy.outcome(sid) for name, sid in theirs.items()}
        print(f"\n  {GOOD} good ones: {alone:.1f} s alone, {beside:.1f} s beside hostile ones: {outcomes}")
        for name, (status, _) in outcomes.items():
            self.assertIn(status, ("stored", "held", "refused"), name)
        # A time is only asserted where it is long enough to be one.
        if alone > 5:
            self.assertLess(beside, 2 * alone)
        # The team sees why; no text of theirs is in the ontology that all researchers see.
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM custom_meta WHERE c_name LIKE '%made-up%' OR c_fullname LIKE '%made-up%'"), 0)
        # The next good one goes through.
        client = SealedClient(self.server, self.study, device=self.members[0])
        sid = client.send(observation(self.members[0].participant, 1, id=new_id()))
        self.assertEqual(client.outcome(sid), ("stored", None))


if __name__ == "__main__":
    unittest.main()
