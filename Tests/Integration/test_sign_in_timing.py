"""O09: how long signing in takes says nothing of whether a name is known, by Welch's t-test; and who tries too often is 429."""

import os
import statistics
import sys
import time
import unittest

import smart
from harness import Study, seeded
from smart import Browser, Form, challenge
from test_password_hash import former, replace

# Attempts for each of the names; 1,000 for acceptance, which take some minutes.
SAMPLES = int(os.environ.get("TRIBUTARY_SIGN_IN_SAMPLES", "40"))
# Beyond it two means differ significantly: of chance alone once in some 150,000 runs.
SIGNIFICANT = 4.5
# Medians of a known and an unknown name differ by no more than this part.
MEDIANS = 0.1
FAST = {"perSecond": 1_000_000, "burst": 1_000_000}
BURST = 5


def welch(one, other):
    """Welch's t of two samples."""
    error = (statistics.variance(one) / len(one) + statistics.variance(other) / len(other)) ** 0.5
    return (statistics.mean(one) - statistics.mean(other)) / error


def trimmed(sample):
    """Without the slowest tenth, which the machine's other work made slow."""
    return sorted(sample)[:max(2, len(sample) * 9 // 10)]


class SigningIn(unittest.TestCase):
    def page(self, **rates):
        """A browser at the sign-in page of a study where Anna has an account, and the page's form."""
        named = {name.replace("_", "-"): rate for name, rate in rates.items()}

        def change(value):
            value.setdefault("limits", {})["rates"] = {
                name: FAST for name in ("sign-in-by-account", "sign-in-by-account-overall", "sign-in-by-address", "unauthenticated-by-address",
                                        "read-by-address")} | named

        study = Study(change=change)
        self.addCleanup(study.close)
        server = study.serve()
        smart.person(study, "anna", "participant", "--patient", "anna")
        app = smart.client(study, "patient/*.rs", "--public")["client_id"]
        browser = Browser(server.url)
        page = browser.go(smart.request(server, app, "patient/*.rs", challenge()[1]))
        return study, browser, Form(page.body.decode())

    @staticmethod
    def attempt(browser, form, name):
        return browser.go(form.action, form.hidden + [("username", name), ("password", "wrong horse battery")])

    def test_O09_a_name_that_is_known_takes_as_long_as_one_that_is_not(self):
        _, browser, form = self.page()
        known, unknown = self.times(browser, form, SAMPLES)
        found = welch(known, unknown)
        print(f"  Welch's t {found:.2f}", file=sys.stderr)
        self.assertLess(abs(found), SIGNIFICANT)
        # The test can tell: a name for which nothing is hashed would be answered in a tenth of the time.
        self.assertGreater(welch(known, [each / 10 for each in unknown]), SIGNIFICANT)

    @unittest.skipIf(os.environ.get("TRIBUTARY_TEST_ENGINE") == "postgresql", "the file of the records is changed")
    def test_a_name_with_a_hash_in_the_old_format_takes_as_long_as_one_that_is_not_known(self):
        study, browser, form = self.page()
        replace(study, "anna", former(smart.PASSWORD))
        known, unknown = (statistics.median(each) for each in self.times(browser, form, SAMPLES // 2))
        # The work is the same in two computations instead of one. Without the second: a third.
        self.assertLess(abs(known - unknown), MEDIANS * unknown)

    def times(self, browser, form, samples):
        """How long attempts with Anna's name take, and with one that is not known; none of them succeeds."""
        random = seeded()
        taken, answers = {"anna": [], "nobody": []}, set()
        for name in ("anna", "nobody"):  # the first of each warms up
            self.attempt(browser, form, name)
        for _ in range(samples):
            for name in random.sample(sorted(taken), 2):
                began = time.perf_counter()
                answer = self.attempt(browser, form, name)
                taken[name].append(time.perf_counter() - began)
                answers.add((answer.status, answer.body.replace(name.encode(), b"NAME")))
        self.assertEqual({status for status, _ in answers}, {403})
        known, unknown = trimmed(taken["anna"]), trimmed(taken["nobody"])
        print(f"  {samples} attempts each, {1000 * statistics.mean(known):.2f} and {1000 * statistics.mean(unknown):.2f} ms",
              file=sys.stderr)
        return known, unknown

    def test_O09_who_tries_too_often_is_told_so_whether_the_name_is_known_or_not(self):
        _, browser, form = self.page(sign_in_by_account={"perSecond": 0.001, "burst": BURST})
        for name in ("anna", "nobody"):
            answers = [self.attempt(browser, form, name) for _ in range(BURST + 2)]
            self.assertEqual([answer.status for answer in answers], [403] * BURST + [429] * 2, name)
            self.assertGreater(int(answers[-1].headers["Retry-After"]), 0)
        # The right password does not help before the time is over.
        right = browser.go(form.action, form.hidden + [("username", "anna"), ("password", smart.PASSWORD)])
        self.assertEqual(right.status, 429)


if __name__ == "__main__":
    unittest.main()
