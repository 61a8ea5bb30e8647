"""One message costs what it weighs: dear ones of one device do not stand in the way of the others'."""

import time
import unittest

from forms import new_id, observation
from harness import SpineTest
from hostile import all_kinds
from sealed import SealedClient

GOOD = 60


class Hostile(SpineTest):
    def good(self, clients):
        """Sends good messages of several devices and gives the seconds until all are stored."""
        begun = time.monotonic()
        sids = []
        for number in range(GOOD):
            client, person = clients[number % len(clients)]
            sids.append((client, client.send(observation(person, number))))
        for client, sid in sids:
            self.assertEqual(client.outcome(sid), ("stored", None))
        return time.monotonic() - begun

    def test_good_messages_of_others_are_stored_while_hostile_ones_are_handled(self):
        members = [self.member() for _ in range(4)]
        clients = [(SealedClient(self.server, self.study, device=member), member.participant) for member in members[:3]]
        enemy = members[3]
        hostile = SealedClient(self.server, self.study, device=enemy)
        alone = self.good(clients)
        sids = {name: hostile.send(payload, version=version)
                for name, (payload, version) in all_kinds(enemy.participant).items()}
        beside = self.good(clients)
        outcomes = {name: hostile.outcome(sid) for name, sid in sids.items()}
        print(f"\n  {GOOD} good ones: {alone:.1f} s alone, {beside:.1f} s beside hostile ones: {outcomes}")
        for name, (status, _) in outcomes.items():
            self.assertIn(status, ("stored", "held", "refused"), name)
        # The team sees why; no text of theirs is in the ontology that all researchers see.
        self.assertEqual(self.study.number(
            "SELECT count(*) FROM custom_meta WHERE c_name LIKE '%made-up%' OR c_fullname LIKE '%made-up%'"), 0)
        # The next good one goes through.
        client, person = clients[0]
        self.assertEqual(client.outcome(client.send(observation(person, 1, id=new_id()))), ("stored", None))


if __name__ == "__main__":
    unittest.main()
