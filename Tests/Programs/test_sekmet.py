"""sekmet-fhir (PyPI) plays a hospital: it registers, admits, orders, bills, schedules and exports by FHIR, as a client of SMART
Backend Services. Each of its scenarios runs, but those for what is not served here, which are named."""

import contextlib
import json
import sqlite3
import unittest

from programs import Program, needs, run, say, tool

# What its steps ask of a peer that is no FHIR server's work: to fill orders, to pay.
ROLES = ("does not play role 'lab-filler'", "does not play role 'payer'")


def library():
    """Its scenarios by name, each with why it is not for this server, or nothing."""
    import yaml
    from sekmet.scenarios.runner import LIBRARY
    found = {}
    for file in sorted(LIBRARY.glob("*.yaml")):
        needed = yaml.safe_load(file.read_text()).get("requires") or {}
        found[file.stem] = ("messaging is not served" if needed.get("messaging")
                            else "Subscription is not served" if needed.get("resource") == "Subscription" else None)
    return found


@needs("sekmet-fhir")
class Sekmet(Program):
    packages = ("sekmet-fhir",)

    def scenarios(self, algorithm, kind):
        """All scenarios with one key in one format."""
        folder = self.study.root / f"{algorithm}-{kind}"
        folder.mkdir()
        key = folder / "key.pem"
        made = run(tool("sekmet"), "keys", "generate", "--out", key, "--alg", algorithm, cwd=folder)
        self.assertEqual(made.returncode, 0, made.stdout)
        client = self.registered(key.with_suffix(".jwks.json"), "system/*.cruds")
        settings = folder / "settings.json"
        settings.write_text(json.dumps({
            "data_dir": str(folder / "data"),
            "peers": {"tributary": {"base_url": self.base, "format": kind, "auth": {
                "type": "smart", "client_id": client, "private_key_path": str(key), "alg": algorithm}}}}))
        scenarios = library()
        names = [name for name, reason in scenarios.items() if not reason]
        done = run(tool("sekmet"), "scenario", "run", *names, "--peer", "tributary", "--no-serve", "--config", settings,
                   "--report-dir", folder / "reports", cwd=folder)
        found = list((folder / "reports").glob("*/results.json"))
        self.assertEqual(len(found), 1, done.stdout)
        results = json.loads(found[0].read_text())
        steps = [(row["name"], step) for row in results for step in row["steps"]]
        sent, asked, answered = self.formats(folder / "data" / "sekmet.db")
        self.assertEqual(answered, asked, "each answer is in the format that was asked for")
        # A body that no XML can express is sent as JSON, and XML asked for once in the run in JSON.
        for formats in (sent, answered):
            self.assertGreater(formats.count(f"application/fhir+{kind}"), 0.95 * len(formats))
        counts = {}
        for _, step in steps:
            counts[step["status"]] = counts.get(step["status"], 0) + 1
        say(f"{algorithm}, {kind}: {len(results)} scenarios; steps: "
            + ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
            + f"; {len(sent)} bodies sent, {len(answered)} answered")
        skipped = {name: reason for name, reason in scenarios.items() if reason}
        why = {}
        for row, step in steps:
            if step["status"] == "skipped":
                self.assertTrue(any(role in step["message"] for role in ROLES), (row, step))
                why.setdefault((row, step["message"].split(" (")[0]), []).append(str(step["index"]))
        skipped.update({f"{row}, steps {', '.join(numbers)}": reason for (row, reason), numbers in why.items()})
        say("\n".join(f"skipped: {name}: {reason}" for name, reason in skipped.items()))
        troubles = [f"{row}: {step['name']}: {step['message']}" for row, step in steps
                    if step["status"] in ("failed", "error", "warning")]
        self.assertEqual(troubles, [], done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(results), len(names))
        self.assertGreaterEqual(counts["passed"], 100)

    @staticmethod
    def formats(log):
        """The media types of the FHIR bodies that it sent, of those that it asked for where an answer had a body, and of
        these; of exports none, whose answers are JSON in any case."""
        with contextlib.closing(sqlite3.connect(log)) as database:
            rows = database.execute("SELECT req_headers, resp_headers FROM traffic WHERE direction = 'outbound' AND "
                                    "url NOT LIKE '%export%' AND url NOT LIKE '%/oauth2/%' AND url NOT LIKE '%.well-known%'")
            pairs = [[{name.lower(): value.split(";")[0] for name, value in json.loads(text).items()} for text in row]
                     for row in rows]
        with_body = [(request, answer) for request, answer in pairs if "content-type" in answer]
        return ([request["content-type"] for request, _ in pairs if "content-type" in request],
                [request["accept"] for request, _ in with_body], [answer["content-type"] for _, answer in with_body])

    def test_json_with_rs384(self):
        self.scenarios("RS384", "json")

    def test_json_with_es384(self):
        self.scenarios("ES384", "json")

    def test_xml_with_rs384(self):
        self.scenarios("RS384", "xml")

    def test_xml_with_es384(self):
        self.scenarios("ES384", "xml")


if __name__ == "__main__":
    unittest.main()
