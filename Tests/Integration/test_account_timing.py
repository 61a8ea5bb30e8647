"""The time of a sign-in to an account does not reveal whether the address is known."""

import statistics
import sys
import time
import unittest

import test_account_flood
from harness import seeded

SAMPLES = 40
# Medians of a known and an unknown address differ by no more than this part.
MEDIANS = 0.1


class Timing(unittest.TestCase):
    setUp, attempt = test_account_flood.SigningIn.setUp, test_account_flood.SigningIn.attempt

    def test_a_known_address_takes_as_long_as_an_unknown_one(self):
        taken = {"ann@example.org": [], "nobody@example.org": []}
        for email in taken:
            self.attempt(email)
        answers = set()
        random = seeded()
        for _ in range(SAMPLES):
            for email in random.sample(sorted(taken), 2):
                times = taken[email]
                began = time.monotonic()
                answer = self.attempt(email)
                times.append(time.monotonic() - began)
                answers.add((answer.status, answer.body))
        self.assertEqual(len(answers), 1)
        known, unknown = (statistics.median(times) for times in taken.values())
        print(f"  medians {known * 1000:.1f} ms and {unknown * 1000:.1f} ms", file=sys.stderr)
        self.assertLess(abs(known - unknown), MEDIANS * unknown)


if __name__ == "__main__":
    unittest.main()
