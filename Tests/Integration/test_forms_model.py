"""`survey replay` on random forms without expressions: each state is that of an independent model (`forms_model.py`)."""

import os
import unittest
from concurrent.futures import ThreadPoolExecutor

from forms_differential import Case, show
from harness import seeded

FORMS = int(os.environ.get("TRIBUTARY_MODEL_FORMS", "30"))


class FormsModel(unittest.TestCase):
    def test_states_are_those_of_the_model(self):
        seed = seeded().randrange(1 << 32)
        names = [f"{seed}-{number}" for number in range(FORMS)]
        with ThreadPoolExecutor(2) as pool:
            cases = list(pool.map(lambda name: Case.random(name, False, None), names))
            found = list(pool.map(Case.difference, cases))
        for name, case, difference in zip(names, cases, found):
            if difference:
                show(case, name)
        self.assertFalse(any(found), f"seed {seed}")
        self.assertTrue(any(line["problems"] for case in cases for line in case.expected[:-1]))


if __name__ == "__main__":
    unittest.main()
