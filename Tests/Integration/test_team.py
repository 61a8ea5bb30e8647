"""What the study team works with: warehouse counts and undo, the queue, the demonstration, surveys in the terminal."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from forms import VISIT, VISIT_ANSWERS, observation, visit
from harness import BIN, EXAMPLES, ROOT, SpineTest, small_examples, tributary
from own_folder import FolderTest
from sealed import SealedClient


class Warehouse(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.devices = []
        for rate, cups, why in ((50, 1, "noise"), (71.5, 2, "light"), (99, 3, "noisy street")):
            device = cls.study.device(cls.server)
            device.consent()
            device.answer(VISIT, visit(rate=rate, cups=cups, why=why))
            device.send()
            device.settled()
            cls.devices.append(device)
        cls.concepts = tributary("warehouse", "ontology", cls.study.dir, "--json").json

    def path(self, **wanted):
        for concept in self.concepts:
            if all(concept[key] == value for key, value in wanted.items()) and "isit" in concept["path"]:
                return concept["path"]
        raise AssertionError(f"no concept {wanted} among {[row['path'] for row in self.concepts]}")

    def count(self, path, *options):
        return tributary("warehouse", "count", self.study.dir, "--path", path, *options, "--json").json["patients"]

    def test_the_ontology_is_a_tree(self):
        paths = {concept["path"] for concept in self.concepts}
        self.assertEqual(len(paths), len(self.concepts))
        for concept in self.concepts:
            self.assertEqual(set(concept) & {"path", "name", "code", "type"}, {"path", "name", "code", "type"})
            path = concept["path"]
            self.assertTrue(path.startswith("\\") and path.endswith("\\"), path)
            self.assertLessEqual(len(path), 700)
            self.assertNotIn("_", path)
            parent = path.rstrip("\\").rsplit("\\", 1)[0] + "\\"
            self.assertTrue(parent in paths or parent == "\\" or parent.count("\\") <= 2, f"{path} has no parent")
            if concept["code"]:
                self.assertLessEqual(len(concept["code"]), 50)

    def test_value_constraints(self):
        rate = self.path(name="Your pulse")
        for value, patients in (("GE 71.5", 2), ("GT 71.5", 1), ("LE 71.5", 2), ("LT 71.5", 1), ("EQ 71.5", 1),
                                ("NE 71.5", 2), ("BETWEEN 50 71.5", 2), ("GE 1000", 0)):
            self.assertEqual(self.count(rate, "--value", value), patients, value)
        self.assertEqual(self.count(rate), 3)
        why = next(concept["path"] for concept in self.concepts if concept["name"] == "Why not?")
        for value, patients in (("IS noise", 1), ("IS noisy", 0), ("LIKE nois", 2)):
            self.assertEqual(self.count(why, "--value", value), patients, value)
        self.assertEqual(self.count(rate, "--value", "IS x' OR '1'='1"), 0)
        tributary("warehouse", "count", self.study.dir, "--path", "\\x' OR '1'='1\\", status=1)
        for value in ("ABOUT 5", "GE", "GE x", "BETWEEN 5", ""):
            tributary("warehouse", "count", self.study.dir, "--path", rate, "--value", value, status=64)

    def test_from_is_inclusive_and_to_exclusive_in_utc(self):
        device = self.devices[0]
        client = SealedClient(self.server, self.study, device=device)
        sid = client.send(observation(device.participant, 55, when="2020-01-01T00:30:00+01:00"))
        self.assertEqual(client.outcome(sid), ("stored", None))
        found = [concept["path"] for concept in self.concepts if concept["code"] == "LOINC:8867-4"]
        path = found[0]
        for begin, end, patients in (("2019-12-31T23:30:00Z", "2019-12-31T23:30:01Z", 1),
                                     ("2019-12-31T23:30:01Z", "2020-01-02", 0), ("2019-12-31", "2020-01-01", 1),
                                     ("2019-12-31", "2019-12-31T23:30:00Z", 0), ("2020-01-01", "2020-01-02", 0)):
            self.assertEqual(self.count(path, "--from", begin, "--to", end), patients, (begin, end))

    def test_undo_removes_the_facts_of_one_upload_and_a_retry_of_them_is_possible(self):
        device = self.devices[1]
        client = SealedClient(self.server, self.study, device=device)
        sid = client.send(observation(device.participant, 777), observation(device.participant, 778))
        self.assertEqual(client.outcome(sid), ("stored", None))
        facts = "SELECT count(*) FROM observation_fact WHERE nval_num IN (777, 778) AND modifier_cd = '@'"
        self.assertEqual(self.study.number(facts), 2)
        others = "SELECT count(*) FROM observation_fact WHERE upload_id <> ?"
        upload = self.study.number("SELECT DISTINCT upload_id FROM observation_fact WHERE nval_num = 777")
        total = self.study.number(others, upload)
        removed = tributary("warehouse", "undo", self.study.dir, upload, "--json").json["facts"]
        self.assertEqual(removed, 2)
        self.assertEqual(self.study.number("SELECT count(*) FROM observation_fact WHERE upload_id = ?", upload), 0)
        self.assertEqual(self.study.number(facts), 0)
        self.assertEqual(self.study.number(others, upload), total)
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation' AND subject = ?",
                                           device.participant), 2, "the resources stay")
        tributary("warehouse", "undo", self.study.dir, "999999", status=1)

    def test_the_queue_is_shown_retried_and_discarded(self):
        client = SealedClient(self.server, self.study)
        bad, waiting = client.send(b"rubbish"), client.send(observation("nobody-yet"))
        self.assertEqual(client.outcome(bad), ("held", "needs-attention"))
        self.assertEqual(client.outcome(waiting), ("held", "consent-required"))
        status = self.study.queue_status()
        self.assertEqual((status["depth"], status["held"], status["quarantined"]), (0, 1, 1))
        shown = {row["submission"]: row for row in tributary("queue", "show", self.study.dir, "--json").json["submissions"]}
        self.assertEqual({bad, waiting}, set(shown))
        self.assertEqual(shown[bad]["status"], "quarantined")
        self.assertIn(bad, tributary("queue", "show", self.study.dir).text)
        tributary("queue", "show", self.study.dir, "00000000-0000-4000-8000-000000000000", status=1)
        self.assertEqual(tributary("queue", "retry", self.study.dir, "--all", "--json").json, {"retried": 1})
        self.study.settled()
        self.assertEqual(self.study.queue_status()["quarantined"], 1)
        for sid in (bad, waiting):
            tributary("queue", "discard", self.study.dir, sid)
            self.assertEqual(client.outcome(sid), ("refused", "discarded"))
            tributary("queue", "discard", self.study.dir, sid, status=1)
            tributary("queue", "retry", self.study.dir, sid, status=1)
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission_body"), 0, "the sealed bytes are gone")
        status = self.study.queue_status()
        self.assertEqual((status["held"], status["quarantined"]), (0, 0))


class Demonstration(unittest.TestCase):
    def test_the_numbers_add_up(self):
        done = tributary("demo", "--json", "--examples", EXAMPLES, timeout=600)
        summary = json.loads(done.text.strip().splitlines()[-1])
        for member in ("participants", "submissionsSent", "submissionsStored", "submissionsHeld", "submissionsRefused",
                       "resources", "facts"):
            self.assertIn(member, summary)
        self.assertEqual(summary["participants"], 2)
        self.assertEqual(summary["submissionsSent"], summary["submissionsStored"] + summary["submissionsHeld"]
                         + summary["submissionsRefused"])
        self.assertEqual((summary["submissionsRefused"], summary["submissionsHeld"]), (1, 0))
        self.assertEqual((summary["resources"]["Patient"], summary["resources"]["Contract"]), (2, 2))
        self.assertGreater(summary["resources"]["Observation"], 1000)
        self.assertGreaterEqual(summary["facts"], summary["resources"]["Observation"])
        self.assertTrue(done.err, "it shows progress")

    def test_a_kept_one_prints_commands_that_work_and_is_made_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "it's kept"
            for _ in range(2):
                done = tributary("demo", "--json", "--keep", kept, "--examples", small_examples(), timeout=600)
                lines = done.text.strip().splitlines()
                summary = json.loads(lines[-1])
                commands = [line.strip() for line in lines[lines.index("") :] if line.startswith("  ")]
                self.assertEqual(len(commands), 9, done.text)
                said = [
                    subprocess.run(command, shell=True, check=True, capture_output=True, timeout=60).stdout.decode()
                    for command in commands[:4]
                ]
                self.look_at(kept, done.text, summary["results"])
                self.assertIn("withdrawn", said[0])
                self.assertIn("Health", said[1])
                self.assertGreater(int(re.search(r"\d+", said[2])[0]), 0, "somebody has health data")
                self.assertTrue(said[3])
                self.assertEqual(summary["participants"], 2)
            serving = subprocess.Popen(
                shlex.split(commands[4]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.addCleanup(serving.stdout.close)
            self.addCleanup(serving.wait, 30)
            self.addCleanup(serving.terminate)
            said = [next(serving.stdout, b"")]
            while said[-1] and b"listening" not in said[-1]:
                said.append(next(serving.stdout, b""))
            self.assertIn(b"listening", said[-1], said)
            # The rest is for the running server: a token, a read, an answer of the first phone.
            used = subprocess.run(
                "set -e\n" + "\n".join(commands[5:]), shell=True, check=True, capture_output=True, timeout=120).stdout.decode()
            bundle, end = json.JSONDecoder().raw_decode(used)
            self.assertEqual((bundle["resourceType"], len(bundle["entry"])), ("Bundle", 3))
            self.assertIn("sent 1, refused 0, remaining 0", used[end:])
            done = tributary("demo", "--keep", kept, "--examples", EXAMPLES, status=1, timeout=600)
            self.assertIn("demo-folder-in-use", done.errors)
            self.assertTrue((kept / "study" / "study.json").exists())

    def look_at(self, kept, text, results):
        """The results are listed, and are what they should be, readable by their owner alone."""
        begins = {"consent": b"%PDF-", "healthReport": b"<!DOCTYPE html>", "participantPage": b"<!DOCTYPE html>"}
        self.assertEqual(set(results), set(begins))
        for name, begin in begins.items():
            path = Path(results[name])
            self.assertTrue(path.is_relative_to(kept), path)
            self.assertIn(path.name, text)
            self.assertTrue(path.read_bytes().startswith(begin), name)
            self.assertEqual(path.stat().st_mode & 0o077, 0, name)
        page = Path(results["participantPage"]).read_text()
        for heading in ("Consent", "Answers", "Measurements"):
            self.assertIn(f">{heading}<", page)

    def test_a_folder_of_somebody_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / "own"
            own.mkdir()
            (own / "letter.txt").write_text("mine")
            (Path(folder) / "file").write_text("mine")
            for place in (own, Path(folder) / "file"):
                done = tributary("demo", "--keep", place, "--examples", EXAMPLES, status=1, timeout=600)
                self.assertIn("demo-folder-not-ours", done.errors)
            self.assertEqual((own / "letter.txt").read_text(), "mine")
            self.assertEqual((Path(folder) / "file").read_text(), "mine")


class Surveys(FolderTest):
    def setUp(self):
        super().setUp()
        self.form = self.file("form.json", VISIT)

    def answer(self, answers, status=0):
        return tributary("survey", "answer", self.form, "--answers", self.file("a.json", answers), status=status)

    def test_answer_makes_a_response_that_validates(self):
        response = self.answer(VISIT_ANSWERS).json
        self.assertEqual((response["resourceType"], response["status"]), ("QuestionnaireResponse", "completed"))
        self.assertEqual(response["questionnaire"], "https://example.org/forms/visit|1.0")
        about = response["item"][0]
        self.assertEqual([item["linkId"] for item in about["item"]], ["rate", "cups", "rested", "why"])
        self.assertEqual(about["item"][0]["answer"], [{"valueDecimal": 71.5}])
        medicines = next(item for item in response["item"] if item["linkId"] == "medicines")
        self.assertEqual([row["valueCoding"]["code"] for row in medicines["answer"]], ["1484911", "861007"])
        done = tributary("survey", "validate", "--questionnaire", self.form, self.file("r.json", response), "--json")
        self.assertEqual(done.status, 0)

    def test_what_is_not_enabled_is_not_in_the_response(self):
        response = self.answer({"rate": 60, "rested": True}).json
        self.assertNotIn("why", json.dumps([item.get("linkId") for item in response["item"][0]["item"]]))

    def test_validate_finds_each_fault(self):
        good = self.answer(VISIT_ANSWERS).json
        def broken(change):
            copy = json.loads(json.dumps(good))
            change(copy)
            return copy
        about = lambda response: response["item"][0]["item"]
        for name, change in {
            "required": lambda r: about(r).pop(0), "type": lambda r: about(r)[1].update(answer=[{"valueString": "x"}]),
            "unknown": lambda r: r["item"].append({"linkId": "nobody", "answer": [{"valueBoolean": True}]}),
            "option": lambda r: r["item"][1]["answer"][0]["valueCoding"].update(code="nothing"),
            "several": lambda r: about(r)[1]["answer"].append({"valueInteger": 4}),
            "disabled": lambda r: about(r)[2].update(answer=[{"valueBoolean": True}]),
        }.items():
            with self.subTest(name):
                done = tributary("survey", "validate", "--questionnaire", self.form,
                                 self.file("r.json", broken(change)), "--json", status=1)
                self.assertTrue(done.out)

    def test_values_may_be_written_in_every_way_that_the_issue_names(self):
        for medicines in ("1484911", "http://www.nlm.nih.gov/research/umls/rxnorm|1484911", "Medicine A",
                          {"valueCoding": {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "1484911"}},
                          {"value": "1484911"}, ["1484911"]):
            response = self.answer({"rate": 60, "medicines": medicines}).json
            found = next(item for item in response["item"] if item["linkId"] == "medicines")
            self.assertEqual([row["valueCoding"]["code"] for row in found["answer"]], ["1484911"], medicines)

    def test_run_asks_and_can_be_resumed(self):
        done = subprocess.run([str(BIN), "survey", "run", str(self.form)], input=b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 1, "the input ended before the form did")
        self.assertIn(b"pulse", done.stdout + done.stderr)
        answers = b"72.5\n3\nyes\n1,2\n2026-03-04\n\n\n\n"
        done = subprocess.run([str(BIN), "survey", "run", str(self.form)], input=answers, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        self.assertIn(b"72.5", done.stdout)

    def test_ctrl_c_keeps_what_was_answered(self):
        import signal
        import time
        output = self.folder / "response.json"
        process = subprocess.Popen([str(BIN), "survey", "run", str(self.form), "-o", str(output)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        process.stdin.write(b"72.5\n3\n")
        process.stdin.flush()
        end = time.monotonic() + 20
        state = self.folder / "form.json.answers"
        while not (state.exists() and b"3" in state.read_bytes()):
            self.assertLess(time.monotonic(), end, "the answers are kept while it runs")
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse(output.exists())
        self.assertEqual(state.stat().st_mode & 0o077, 0, "nobody else reads it")
        done = subprocess.run([str(BIN), "survey", "run", str(self.form), "-o", str(output)],
                              input=b"yes\n1,2\n2026-03-04\n\n\n\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        self.assertNotIn(b"Your pulse", done.stderr)
        response = json.loads(output.read_text())
        self.assertEqual(response["item"][0]["item"][0]["answer"], [{"valueDecimal": 72.5}])
        self.assertFalse(state.exists(), "the answers go when the form is done")


class Repository(unittest.TestCase):
    def test_the_examples_are_there(self):
        for name in ("study/consent", "study/questionnaires", "study/answers", "apple-health"):
            self.assertTrue((EXAMPLES / name).is_dir(), name)
        self.assertTrue((ROOT / "Package.swift").exists())


if __name__ == "__main__":
    unittest.main()
