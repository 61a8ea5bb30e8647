"""What researchers work with: six questions in SQL and as commands, cohorts, and tables as CSV, each compared with a count over
the resources by hand."""

import csv
import json
import os
import re
import shlex
import stat
import uuid
from collections import Counter

import test_counts
from forms import new_id, withdrawal
from harness import CONSENT_ANSWERS, ROOT, SpineTest, seeded, tributary
from sealed import SealedClient, published_keys

PARTICIPANTS = int(os.environ.get("TRIBUTARY_RESEARCH_PARTICIPANTS", "10"))
GUIDE = ROOT / "docs" / "guide-researcher.md"
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\ttab", "'quoted'", "a|b\\c", "two\nlines, \"quoted\"", "plain"]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text(cell):
    """A text as FHIR has it: without the apostrophe that protects spreadsheets."""
    return cell[1:] if cell.startswith("'") else cell


def parts(cell):
    """The answers of a cell with several."""
    found, current, escaped = [], "", False
    for character in text(cell):
        if escaped or character not in "\\|":
            current, escaped = current + character, False
        elif character == "\\":
            escaped = True
        else:
            found, current = found + [current], ""
    return found + [current]


class Researcher(SpineTest):
    change = test_counts.Counts.change

    @classmethod
    def prepare(cls):
        cls.study.publish(test_counts.FORM)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        random = seeded()
        device = cls.study.device(cls.server)
        device.consent(answers={**json.loads(CONSENT_ANSWERS.read_text()), "sharing": True})
        device.send()
        device.settled()
        content = cls.study.sql("SELECT content FROM record_history WHERE type = 'Contract' AND id = ?", device.contract)
        cls.first, template = device.participant, content[0][0].decode()
        keys = published_keys(cls.study)
        cls.people = [test_counts.Person(random) for _ in range(PARTICIPANTS)]
        for number, person in enumerate(cls.people):
            person.withdraws = number == 0 or person.withdraws
            for resource in person.resources:
                for item in resource.get("item", []):
                    if item["linkId"] == "note":
                        item["answer"][0]["valueString"] = random.choice(FORMULAS)
            person.contract = json.loads(template.replace(cls.first, person.id))
            person.contract["id"] = new_id()
            client = SealedClient(cls.server, cls.study, receipt=cls.study.receipt())
            batches = [[person.contract], person.resources]
            if person.withdraws:
                batches.append([withdrawal(person.id, person.contract["id"])])
            for seq, batch in enumerate(batches, 1):
                files = []
                for index, payload in enumerate(batch):
                    files.append(cls.study.root / f"payload-{index}.json")
                    files[-1].write_text(json.dumps(payload))
                sealed = tributary("envelope", "seal", "--to", keys, "--seq", seq, "--sid", str(uuid.uuid4()), *files).out
                answer = client.post(sealed)
                assert answer.status == 200, answer
        cls.study.settled(240)
        waiting = tributary("queue", "show", cls.study.dir, "--json").json["submissions"]
        assert not waiting, waiting[:3]
        concepts = tributary("warehouse", "ontology", cls.study.dir, "--json").json
        form = next(row["path"] for row in concepts if row["name"] == "Counts" and row["type"] == "folder")
        cls.paths = {
            "RATE": next(row["path"] for row in concepts if row["path"].startswith("\\Tributary\\Health\\")
                         and row["code"] == "LOINC:8867-4"),
            "FORM": form, "QUESTION": form + "mood\\", "OPTION": form + "mood\\LOINC-LA1-1\\", "NUMBER": form + "pulse\\"}
        cls.taking = [person for person in cls.people if not person.withdraws]

    def counted(self, *arguments):
        return tributary("warehouse", "count", self.study.dir, *arguments, "--json").json

    def people_with(self, test, among=None):
        return {person.id for person in among or self.taking
                if any(test(what, value, when, resource) for what, value, when, resource in person.values())}

    # The six questions

    def named(self, words):
        """The guide's text with the paths of this study."""
        return re.sub(r"'([A-Z]+)(['; ])", lambda found: "'" + self.paths.get(found[1], found[1]) + found[2], words)

    def by_hand(self):
        def rate(what, value, when, resource):
            number = test_counts.number(what, value) if what == ("observation", "8867-4") else None
            return number and 90 <= number[0] and number[1] in (None, ">=", ">") and when.timestamp() < 1782864000

        def has_rate(what, value, when, resource):
            return what == ("observation", "8867-4")

        def answered(what, value, when, resource):
            return what[0] == "answer"

        def mood(what, value, when, resource):
            return what == ("answer", "mood")

        def good(what, value, when, resource):
            return mood(what, value, when, resource) and value["code"] == "LA1-1"

        def pulse(what, value, when, resource):
            return what == ("answer", "pulse") and value > 80

        women = [person for person in self.taking if person.gender == "female"]
        together = {person.id for person in self.taking for one in person.values() for other in person.values()
                    if good(*one) and pulse(*other) and one[3]["id"] == other[3]["id"]}
        months = Counter()
        for person in self.taking:
            months.update({when.astimezone(test_counts.timezone.utc).strftime("%Y-%m")
                           for what, _, when, _ in person.values() if what[0] == "answer"})
        groups = Counter()
        this_year = int(self.study.sql("SELECT max(substr(CAST(load_date AS text), 1, 4)) FROM upload_status")[0][0])
        for person in self.taking:
            if self.people_with(mood, [person]):
                sex = {"female": "F", "male": "M", "other": "O", None: "U"}[person.gender]
                groups[sex, (this_year - person.year) // 10 * 10] += 1
        return [len(self.people_with(rate)), len(self.people_with(good, women) if women else ()),
                len(self.people_with(answered) & self.people_with(has_rate)), len(together), dict(months), dict(groups)]

    def test_six_questions_have_the_same_answer_in_sql_as_commands_and_by_hand(self):
        expected = self.by_hand()
        section = GUIDE.read_text().split("\n## Six questions\n")[1].split("\n## ")[0]
        queries = [self.named(block) for block in re.findall(r"```sql\n(.*?);\n```", section, re.S)]
        commands = [self.named(block) for block in re.findall(r"```sh\n(.*?)\n```", section, re.S)]
        self.assertEqual((len(queries), len(commands)), (6, 6))
        for number, query in enumerate(queries):
            found = [tuple(row) for row in self.study.sql(query)]
            if number < 4:
                self.assertEqual(found, [(expected[number],)], query)
            elif number == 4:
                self.assertEqual(dict(found), expected[4], query)
            else:
                self.assertEqual({row[:2]: row[2] for row in found}, expected[5], query)
        for number, command in enumerate(commands):
            words = shlex.split(command)
            self.assertEqual(words[:4], ["tributary", "warehouse", "count", "STUDY"])
            answer = self.counted(*words[4:])
            if number < 4:
                self.assertEqual(answer["patients"], expected[number], command)
            elif number == 4:
                self.assertEqual({row["month"]: row["patients"] for row in answer["groups"]}, expected[4])
            else:
                self.assertEqual({(row["sex"], int(row["age"].split("-")[0].strip("+"))): row["patients"]
                                  for row in answer["groups"]}, expected[5])

    def test_cohort_is_written_read_and_audited(self):
        path = self.study.root / "cohort.txt"
        answer = self.counted("--path", self.paths["FORM"], "--patients", path)
        ids = path.read_text().split()
        expected = self.people_with(lambda what, *_: what[0] == "answer")
        self.assertEqual((set(ids), len(ids), answer["patients"]), (expected, len(expected), len(expected)))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        refused = tributary("warehouse", "count", self.study.dir, "--path", self.paths["FORM"], "--patients", path, status=None)
        self.assertNotEqual(refused.status, 0)
        self.assertIn("file-exists", refused.errors)
        self.assertEqual(self.counted("--path", self.paths["FORM"], "--among", path)["patients"], len(expected))
        path.write_text(ids[0] + "\n\nsomebody-else\n")
        self.assertEqual(self.counted("--path", self.paths["FORM"], "--among", path)["patients"], 1)
        audited = tributary("audit", "list", self.study.dir, "--json").json
        self.assertTrue(any(row["action"] == "export-records" for row in audited), audited[:3])
        everyone = self.counted("--path", self.paths["FORM"], "--with-withdrawn")["patients"]
        self.assertEqual(everyone, len(self.people_with(lambda what, *_: what[0] == "answer", self.people)))
        for words in (["--by", "size"], ["--by", "sex,sex"], ["--and", "\\None\\; GE 1"], ["--and", "\\None\\"]):
            done = tributary("warehouse", "count", self.study.dir, "--path", self.paths["FORM"], *words, status=None)
            self.assertNotEqual(done.status, 0, words)

    # The tables

    def test_tables_have_the_values_of_the_resources(self):
        folder = self.study.root / "tables"
        counts = tributary("export", self.study.dir, "-o", folder, "--format", "csv", "--json").json
        files = {path.name for path in folder.iterdir()}
        self.assertEqual(files, set(counts))
        self.assertEqual({stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}, {0o600})
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        for name in files:
            self.assertEqual(len(rows(folder / name)), counts[name], name)
        people = {row["participant"]: row for row in rows(folder / "participants.csv")}
        self.assertEqual(set(people) - {self.first}, {person.id for person in self.taking})
        for person in self.taking:
            row = people[person.id]
            self.assertEqual((row["gender"], row["birth_date"], row["state"], row["consent"]),
                             (person.gender or "", str(person.year), person.state, "consented"))
        responses = {row["response"]: row for row in rows(folder / "responses-counts.csv")}
        observations = {row["observation"]: row for row in rows(folder / "observations.csv")}
        self.assert_codebook(folder, files)
        wanted = Counter()
        for person in self.taking:
            for resource in person.resources:
                wanted[resource["resourceType"]] += 1
                if resource["resourceType"] == "QuestionnaireResponse":
                    self.assert_response(resource, responses[resource["id"]])
                elif resource["resourceType"] == "Observation":
                    self.assert_observation(resource, observations[resource["id"]])
        self.assertEqual((len(responses), len(observations)), (wanted["QuestionnaireResponse"], wanted["Observation"]))

    def assert_response(self, resource, row):
        self.assertEqual((row["participant"], row["authored"], row["questionnaire"], row["version"]),
                         (resource["subject"]["reference"][8:], resource["authored"], test_counts.NAME, "1"))
        repeated = [item for item in resource["item"] if item["linkId"] == "drug"]
        for item in resource["item"]:
            if item["linkId"] == "drug":
                continue
            value = next(iter(item["answer"][0].values()))
            cell = row[item["linkId"]]
            if item["linkId"] == "weight":
                self.assertEqual((json.loads(cell), row["weight.unit"]), (value["value"], value["unit"]))
            elif item["linkId"] == "mood":
                self.assertEqual(cell, value["code"])
            elif isinstance(value, str):
                self.assertEqual(text(cell), value)
                self.assertNotIn(cell[:1], tuple("=+-@\t\r\n"))
            else:
                self.assertEqual(json.loads(cell), value)
        asked = {item["linkId"] for item in resource["item"]}
        for name in {"pulse", "weight", "mood", "rested", "since", "story"} - asked:
            self.assertEqual(row[name], "")
        names = [item["item"][0]["answer"][0]["valueCoding"]["code"] for item in repeated]
        doses = [str(item["item"][1]["answer"][0]["valueInteger"]) for item in repeated]
        reasons = [answer["valueString"] for item in repeated for answer in item["item"][2]["answer"]]
        for name, values in (("name", names), ("dose", doses), ("why", reasons)):
            self.assertEqual(parts(row[name]) if values else row[name], values or "")

    def assert_observation(self, resource, row):
        key, value = next((key, value) for key, value in resource.items() if key.startswith("value"))
        self.assertEqual((row["part"], row["start"], row["code"], row["participant"]),
                         ("0", resource["effectiveDateTime"], resource["code"]["coding"][0]["code"],
                          resource["subject"]["reference"][8:]))
        if key == "valueQuantity":
            self.assertEqual((json.loads(row["value"]), row["unit"], row["comparator"], row["text"]),
                             (value["value"], value.get("code", value.get("unit")), value.get("comparator", ""), ""))
        else:
            self.assertEqual((row["value"], row["text"]), ("", value["coding"][0]["code"]))

    def assert_codebook(self, folder, files):
        book = rows(folder / "codebook.csv")
        for name in files - {"codebook.csv"}:
            with open(folder / name, newline="", encoding="utf-8") as file:
                columns = next(csv.reader(file))
            self.assertEqual([row["column"] for row in book if row["file"] == name and not row["option"]], columns)
        moods = {row["option"]: row["option_text"] for row in book if row["column"] == "mood" and row["option"]}
        self.assertEqual(moods, test_counts.MOODS)

    def test_tables_replace_an_earlier_export_only(self):
        folder = self.study.root / "again"
        export = ("export", self.study.dir, "-o", folder, "--format", "csv")
        tributary(*export, "--shared")
        self.assertEqual({row["participant"] for row in rows(folder / "participants.csv")} - {self.first},
                         {person.id for person in self.taking})
        refused = tributary(*export, status=None)
        self.assertIn("file-exists", refused.errors)
        ids = self.study.root / "one.txt"
        ids.write_text(self.taking[0].id + "\n")
        tributary(*export, "--force", "--among", ids)
        self.assertEqual([row["participant"] for row in rows(folder / "participants.csv")], [self.taking[0].id])
        (folder / "thesis.txt").write_text("mine")
        refused = tributary(*export, "--force", status=None)
        self.assertIn("thesis.txt", refused.errors)
        self.assertEqual((folder / "thesis.txt").read_text(), "mine")
        self.assertEqual([path.name for path in folder.parent.iterdir() if path.name.startswith(".again")], [])
        for words in (["--type", "Patient"], ["--since", "2026-01-01"]):
            self.assertNotEqual(tributary(*export, *words, status=None).status, 0)
        self.assertNotEqual(tributary("export", self.study.dir, "-o", folder, "--shared", status=None).status, 0)


