"""Counts that are right: what i2b2's query engine finds is what a count over the resources finds."""

import json
import os
import sqlite3
import unittest
import uuid
from datetime import datetime, timedelta, timezone

import postgresql
from forms import LOINC, RXNORM, new_id, withdrawal
from harness import CONSENT_ANSWERS, SpineTest, Study, seeded, tributary, until
from i2b2 import DATA, I2B2, METADATA
from sealed import SealedClient, published_keys

PARTICIPANTS = int(os.environ.get("TRIBUTARY_COUNT_PARTICIPANTS", "50"))
UCUM = "http://unitsofmeasure.org"
UNIT = "http://hl7.org/fhir/StructureDefinition/questionnaire-unit"
NAME = "https://example.org/forms/counts"
MEDICINES = {"1484911": "Medicine A", "861007": "Medicine B", "197361": "Medicine C"}
MOODS = {"LA1-1": "Good", "LA2-9": "Fair", "LA3-7": "Poor"}
KILOGRAMS = {"kg": 1.0, "g": 0.001, "[lb_av]": 0.45359237}
MICROGRAMS_IN_LITRE = {"mg/dL": 10_000.0, "g/L": 1_000_000.0, "ug/L": 1.0}
WORDS = ["noise", "Noise", "light and noise", "nothing", "pain in 50 % of nights"]
# Longer than i2b2's column for texts, which puts such a one into the blob; and one that is not.
STORIES = ["a light cough " * 30, "no rest at night " * 30, "a cough"]
DAYS = ["2026-03-04", "2026-03-05", "2025-12-31"]
PRODUCTS = {"Apple Watch": "Watch", "iPhone": "Phone", None: "App"}


def coded(system, code, display=None):
    return {"system": system, "code": code, **({"display": display} if display else {})}


def unit(code, extension=UNIT):
    return {"url": extension, "valueCoding": coded(UCUM, code)}


FORM = {
    "resourceType": "Questionnaire", "id": "counts", "url": NAME, "version": "1", "title": "Counts", "status": "active",
    "item": [
        {"linkId": "pulse", "type": "decimal", "text": "Your pulse", "code": [coded(LOINC, "8867-4")],
         "extension": [unit("/min")]},
        {"linkId": "weight", "type": "quantity", "text": "Your weight",
         "extension": [unit("kg", UNIT + "Option"), unit("[lb_av]", UNIT + "Option"), unit("g", UNIT + "Option")]},
        {"linkId": "mood", "type": "choice", "text": "Your mood", "code": [coded(LOINC, "99998-1")],
         "answerOption": [{"valueCoding": coded(LOINC, code, name)} for code, name in MOODS.items()]},
        {"linkId": "drug", "type": "group", "repeats": True, "text": "Each medicine", "item": [
            {"linkId": "name", "type": "choice", "text": "Which?", "answerOption": [
                {"valueCoding": coded(RXNORM, code, name)} for code, name in MEDICINES.items()]},
            {"linkId": "dose", "type": "integer", "text": "How much?", "extension": [unit("mg")]},
            {"linkId": "why", "type": "string", "repeats": True, "text": "What for?"}]},
        {"linkId": "rested", "type": "boolean", "text": "Are you rested?"},
        {"linkId": "since", "type": "date", "text": "Since which day?"},
        {"linkId": "story", "type": "text", "text": "What happened?"},
        {"linkId": "note", "type": "string", "text": "Anything else?"}]}


class Person:
    """A generated participant: the resources, and the values in them as the count over resources reads them."""

    def __init__(self, random):
        self.id = new_id()
        self.gender = random.choice(["female", "male", "other", None])
        self.year = random.randint(1940, 2005)
        self.state, self.area = random.choice([("MA", "021"), ("MA", "011"), ("CA", "941"), ("NY", "100")])
        self.shares = random.random() < 0.5
        self.withdraws = random.random() < 0.15
        self.resources = [self.patient()]
        for _ in range(random.randint(0, 2)):
            self.resources.append(self.response(random))
        for _ in range(random.randint(1, 5)):
            self.resources.append(self.observation(random))

    @staticmethod
    def time(random):
        return datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=random.randrange(300 * 86_400))

    def written(self, random):
        zone = timezone(timedelta(hours=random.choice([-8, -5, 0, 2, 9])))
        return self.time(random).astimezone(zone).isoformat()

    def patient(self):
        return {"resourceType": "Patient", "id": self.id, "birthDate": str(self.year),
                **({"gender": self.gender} if self.gender else {}),
                "address": [{"country": "US", "state": self.state, "postalCode": self.area}]}

    def response(self, random):
        items = []
        if random.random() < 0.7:
            items.append({"linkId": "pulse", "answer": [{"valueDecimal": random.randint(40, 120)}]})
        if random.random() < 0.7:
            items.append({"linkId": "weight", "answer": [{"valueQuantity": self.weight(random)}]})
        if random.random() < 0.8:
            code = random.choice(list(MOODS))
            items.append({"linkId": "mood", "answer": [{"valueCoding": coded(LOINC, code, MOODS[code])}]})
        for _ in range(random.randint(0, 3)):
            code = random.choice(list(MEDICINES))
            items.append({"linkId": "drug", "item": [
                {"linkId": "name", "answer": [{"valueCoding": coded(RXNORM, code, MEDICINES[code])}]},
                {"linkId": "dose", "answer": [{"valueInteger": random.choice([5, 10, 20, 40])}]},
                {"linkId": "why", "answer": [{"valueString": random.choice(WORDS)} for _ in range(random.randint(1, 2))]}]})
        for link, kind, values in (("rested", "Boolean", [True, False]), ("since", "Date", DAYS), ("story", "String", STORIES)):
            if random.random() < 0.6:
                items.append({"linkId": link, "answer": [{"value" + kind: random.choice(values)}]})
        items.append({"linkId": "note", "answer": [{"valueString": random.choice(WORDS)}]})
        return {"resourceType": "QuestionnaireResponse", "id": new_id(), "status": "completed",
                "questionnaire": NAME + "|1", "subject": {"reference": f"Patient/{self.id}"},
                "authored": self.written(random), "item": items}

    @staticmethod
    def weight(random):
        code = random.choice(list(KILOGRAMS))
        value = round(random.uniform(45, 130) / KILOGRAMS[code], 1)
        return {"value": value, "unit": code, "system": UCUM, "code": code}

    def observation(self, random):
        kind = random.choice(["rate", "rate", "weight", "weight", "odd weight", "other", "coded"])
        code = {"rate": "8867-4", "weight": "29463-7", "odd weight": "29463-7", "other": "99999-9", "coded": "99996-5"}[kind]
        if kind == "rate":
            value = {"valueQuantity": {"value": random.randint(40, 120), "unit": "/min", "system": UCUM, "code": "/min"}}
            if random.random() < 0.3:
                value["valueQuantity"]["comparator"] = random.choice(["<", "<=", ">", ">="])
        elif kind == "weight":
            value = {"valueQuantity": self.weight(random)}
        elif kind == "odd weight":
            value = {"valueQuantity": {"value": 7, "unit": "boxes"}}
        elif kind == "other":
            unit_code = random.choice(list(MICROGRAMS_IN_LITRE))
            number = round(random.uniform(50, 200) * 10_000 / MICROGRAMS_IN_LITRE[unit_code], 2)
            value = {"valueQuantity": {"value": number, "unit": unit_code, "system": UCUM, "code": unit_code}}
        else:
            value = {"valueCodeableConcept": {"coding": [coded(LOINC, random.choice(list(MOODS)))]}}
        product = random.choice(list(PRODUCTS))
        return {"resourceType": "Observation", "id": new_id(), "status": "final", "code": {"coding": [coded(LOINC, code)]},
                "subject": {"reference": f"Patient/{self.id}"}, "effectiveDateTime": self.written(random), **value,
                **({"device": {"display": product}} if product else {})}

    def values(self):
        """Each value: what it is of, what it is, when, and of which resource."""
        for resource in self.resources:
            if resource["resourceType"] == "Observation":
                code = resource["code"]["coding"][0]["code"]
                when = datetime.fromisoformat(resource["effectiveDateTime"])
                yield ("observation", code), next(v for k, v in resource.items() if k.startswith("value")), when, resource
            elif resource["resourceType"] == "QuestionnaireResponse":
                for item in resource["item"]:
                    for part in item.get("item", [item]):
                        for answer in part["answer"]:
                            yield (("answer", part["linkId"]), next(iter(answer.values())),
                                   datetime.fromisoformat(resource["authored"]), resource)


def number(what, value):
    """A value in its concept's unit and how it compares; nil for what is no number there."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value, None
    if not isinstance(value, dict) or "value" not in value:
        return None
    factors = {"29463-7": KILOGRAMS, "weight": KILOGRAMS, "99999-9": MICROGRAMS_IN_LITRE}.get(what[1], {"/min": 1.0})
    if value.get("code") not in factors:
        return None
    return round(value["value"] * factors[value["code"]], 5), value.get("comparator")


# As c3pro.md 5 has it: a number counts where it is for certain what is asked.
NUMERIC = {
    "GT": ("((nval_num > {0} AND tval_char IN ('E','GE')) OR (nval_num >= {0} AND tval_char = 'G'))",
           lambda n, c, a, b: n > a and c in (None, ">=") or n >= a and c == ">"),
    "GE": ("nval_num >= {0} AND tval_char IN ('E','GE','G')", lambda n, c, a, b: n >= a and c in (None, ">=", ">")),
    "LT": ("((nval_num < {0} AND tval_char IN ('E','LE')) OR (nval_num <= {0} AND tval_char = 'L'))",
           lambda n, c, a, b: n < a and c in (None, "<=") or n <= a and c == "<"),
    "LE": ("nval_num <= {0} AND tval_char IN ('E','LE','L')", lambda n, c, a, b: n <= a and c in (None, "<=", "<")),
    "EQ": ("nval_num = {0} AND tval_char = 'E'", lambda n, c, a, b: n == a and c is None),
    "BETWEEN": ("nval_num BETWEEN {0} AND {1} AND tval_char = 'E'", lambda n, c, a, b: a <= n <= b and c is None),
}


class Counts(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(FORM)

    @staticmethod
    def change(study):
        study["validation"] = "none"
        rates = ("registration-by-address", "registration-by-receipt", "token-by-address", "unauthenticated-by-address")
        study.setdefault("limits", {})["rates"] = {name: {"perSecond": 1_000_000, "burst": 1_000_000} for name in rates}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = seeded()
        cls.keys = published_keys(cls.study)
        templates = {shares: cls.template(shares) for shares in (True, False)}
        cls.people = [Person(cls.random) for _ in range(PARTICIPANTS)]
        for person in cls.people:
            cls.join(person, templates[person.shares])
        cls.study.settled(240)
        waiting = tributary("queue", "show", cls.study.dir, "--json").json["submissions"]
        assert not waiting, waiting[:3]
        cls.members = {device.participant for device in cls.devices}

    devices = []

    @classmethod
    def template(cls, shares):
        """A Contract as a phone signed it."""
        device = cls.study.device(cls.server)
        device.consent(answers={**json.loads(CONSENT_ANSWERS.read_text()), "sharing": shares})
        device.send()
        device.settled()
        cls.devices.append(device)
        content = cls.study.sql("SELECT content FROM record_history WHERE type = 'Contract' AND id = ?", device.contract)
        return content[0][0].decode(), device.participant

    @classmethod
    def join(cls, person, template):
        text, former = template
        person.contract = json.loads(text.replace(former, person.id))
        person.contract["id"] = new_id()
        client = SealedClient(cls.server, cls.study, receipt=cls.study.receipt())
        payloads = [person.contract, *person.resources]
        if person.withdraws:
            payloads.append(withdrawal(person.id, person.contract["id"]))
        files = []
        for index, payload in enumerate(payloads):
            path = cls.study.root / f"payload-{index}.json"
            path.write_text(json.dumps(payload))
            files.append(path)
        # The contract first, what it permits in one batch, the withdrawal last.
        parts = [files[:1], files[1:1 + len(person.resources)], files[1 + len(person.resources):]]
        for seq, part in enumerate(part for part in parts if part):
            sealed = tributary("envelope", "seal", "--to", cls.keys, "--seq", seq + 1, "--sid", str(uuid.uuid4()), *part).out
            answer = client.post(sealed)
            assert answer.status == 200, answer

    # The two sides

    def rows(self, sql, parameters=()):
        """Rows, where LIKE tells capitals from small letters."""
        with sqlite3.connect(f"file:{self.study.database}?mode=ro", uri=True) as database:
            database.execute("PRAGMA case_sensitive_like = ON")
            return database.execute(sql, parameters).fetchall()

    @staticmethod
    def pattern(text):
        """A path as the engine writes it behind LIKE."""
        return text

    def engine(self, path, condition="", parameters=(), modifier="@"):
        """The participants that i2b2's query engine finds, its SQL made of the ontology's row."""
        row = self.rows(
            "SELECT c_facttablecolumn, c_tablename, c_columnname, c_columndatatype, c_operator, c_dimcode FROM custom_meta "
            "WHERE c_fullname = ? AND m_applied_path = '@' AND c_synonym_cd = 'N'", (path,))
        self.assertEqual(len(row), 1, path)
        column, table, where, kind, operator, code = row[0]
        if operator == "LIKE":
            code = "'" + self.pattern(code if code.endswith("\\") else code + "\\") + "%'"
        elif operator == "IN":
            code = f"({code})"
        elif kind == "T":
            code = "'" + code.replace("'", "''") + "'"
        modifier = self.pattern(modifier)
        sql = (f"SELECT DISTINCT m.patient_ide FROM observation_fact t JOIN patient_mapping m ON m.patient_num = t.patient_num "
               f"AND m.patient_ide_source = 'TRIBUTARY' WHERE t.{column} IN (SELECT {column} FROM {table} WHERE {where} {operator} {code})")
        if condition:
            sql += f" AND t.modifier_cd {modifier if modifier != '@' else chr(61) + ' ' + chr(39) + '@' + chr(39)} AND {condition}"
        return {row[0] for row in self.rows(sql, parameters)} - self.members

    def people_with(self, test):
        """The participants with a value that the test takes."""
        return {person.id for person in self.people
                if any(test(what, value, when, resource) for what, value, when, resource in person.values())}

    def of(self, *whats):
        return self.people_with(lambda what, value, when, resource: what in whats)

    @property
    def ontology(self):
        return tributary("warehouse", "ontology", self.study.dir, "--json").json

    def paths(self):
        """What each leaf of the ontology counts, by the resources alone."""
        concepts = self.ontology
        form = next(row["path"] for row in concepts if row["name"] == "Counts" and row["type"] == "folder")
        rate = next(row["path"] for row in concepts if row["path"].startswith("\\Tributary\\Health\\")
                    and row["code"] == "LOINC:8867-4")
        weight = next(row["path"] for row in concepts if row["path"].startswith("\\Tributary\\Health\\")
                      and row["code"] == "LOINC:29463-7")
        found = {rate: self.of(("observation", "8867-4")), weight: self.of(("observation", "29463-7"))}
        for link in ("pulse", "weight", "rested", "since", "story", "note"):
            found[form + link + "\\"] = self.of(("answer", link))
        for link in ("name", "dose", "why"):
            found[form + "drug\\" + link + "\\"] = self.of(("answer", link))

        def chose(what, code):
            return self.people_with(lambda w, value, when, resource: w == what and (
                value.get("code") == code if what[0] == "answer" else value["coding"][0]["code"] == code))

        moods = {code: chose(("answer", "mood"), code) for code in MOODS}
        for code, people in moods.items():
            found[f"{form}mood\\LOINC-{code}\\"] = people
        for code in MEDICINES:
            found[f"{form}drug\\name\\RXNORM-{code}\\"] = chose(("answer", "name"), code)
        for row in concepts:
            path = row["path"]
            if path.startswith("\\Tributary\\Health\\Other\\LOINC-99999-9"):
                found[path] = self.of(("observation", "99999-9"))
            for code in MOODS:
                if path.startswith("\\Tributary\\Health\\Other\\LOINC-99996-5") and path.endswith(f"\\LOINC-{code}\\"):
                    found[path] = chose(("observation", "99996-5"), code)
        # The folders of the codes have the sensor's and the form's.
        codes = "\\Tributary\\Codes\\LOINC\\"
        for row in concepts:
            path = row["path"]
            if path.startswith(codes + "8867-4\\Survey counts"):
                found[path] = self.of(("answer", "pulse"))
            elif path == codes + "8867-4\\Health HeartRate\\":
                found[path] = self.of(("observation", "8867-4"))
            elif path == codes + "29463-7\\Health BodyMass\\":
                found[path] = self.of(("observation", "29463-7"))
            elif path == codes + "99999-9\\Health Other\\":
                found[path] = self.of(("observation", "99999-9"))
            for code in MOODS:
                if path.startswith(codes + "99998-1\\Survey counts") and path.endswith(f"\\LOINC-{code}\\"):
                    found[path] = moods[code]
                if path.startswith(codes + "99996-5\\Health Other\\") and path.endswith(f"\\LOINC-{code}\\"):
                    found[path] = chose(("observation", "99996-5"), code)
        return concepts, form, rate, weight, found

    # The tests

    def test_each_path_finds_whom_the_resources_name(self):
        concepts, form, rate, _, leaves = self.paths()
        for path in leaves:
            self.assertTrue(any(row["path"] == path for row in concepts), path)
        checked = 0
        for row in concepts:
            if row["type"] == "dimension":
                continue
            expected = set().union(*(people for path, people in leaves.items() if path.startswith(row["path"])))
            if expected or checked % 10 == 0:
                self.assertEqual(self.engine(row["path"]), expected, row["path"])
            checked += 1
        both = self.of(("observation", "8867-4"), ("answer", "pulse"))
        self.assertEqual(self.engine("\\Tributary\\Codes\\LOINC\\8867-4\\"), both)
        # The command counts as the engine does.
        for path in (rate, form, form + "mood\\", "\\Tributary\\Codes\\LOINC\\8867-4\\", "\\Tributary\\Source\\Watch\\"):
            counted = tributary("warehouse", "count", self.study.dir, "--path", path, "--with-withdrawn", "--json").json
            self.assertEqual(counted["patients"], len(self.engine(path)), path)
            self.assertEqual(set(counted), {"patients", "facts"})
        values = sum(1 for person in self.people for what, *_ in person.values() if what == ("observation", "8867-4"))
        self.assertEqual(tributary("warehouse", "count", self.study.dir, "--path", rate, "--with-withdrawn", "--json")
                         .json["facts"], values)

    def test_numbers(self):
        _, form, rate, weight, _ = self.paths()
        other = next(row["path"] for row in self.ontology if row["code"] == "LOINC:99999-9")
        for path, whats, bounds in (
                (rate, [("observation", "8867-4")], (60, 70, 90)), (weight, [("observation", "29463-7")], (60, 75, 100)),
                (form + "weight\\", [("answer", "weight")], (60, 75, 100)), (form + "pulse\\", [("answer", "pulse")], (60, 80)),
                (form + "drug\\dose\\", [("answer", "dose")], (10, 20)), (other, [("observation", "99999-9")], (1_000_000,)),
                ("\\Tributary\\Codes\\LOINC\\8867-4\\", [("observation", "8867-4"), ("answer", "pulse")], (60, 90))):
            for bound in bounds:
                for name, (sql, test) in NUMERIC.items():
                    def matches(what, value, when, resource):
                        read = number(what, value) if what in whats else None
                        return read is not None and test(read[0], read[1], bound, bound * 1.2)

                    condition = "t.valtype_cd = 'N' AND (" + sql.format(bound, bound * 1.2) + ")"
                    self.assertEqual(self.engine(path, condition), self.people_with(matches), (path, name, bound))

    def test_texts(self):
        _, form, _, _, _ = self.paths()
        for path, link in ((form + "note\\", "note"), (form + "drug\\why\\", "why")):
            for sql, operand, test in (("t.tval_char = ?", "noise", lambda text: text == "noise"),
                                       ("t.tval_char LIKE ?", "%oise%", lambda text: "oise" in text),
                                       ("t.tval_char LIKE ?", "no%", lambda text: text.startswith("no")),
                                       ("t.tval_char LIKE ?", "%noise", lambda text: text.endswith("noise"))):
                self.assertEqual(
                    self.engine(path, "t.valtype_cd = 'T' AND " + sql, (operand,)),
                    self.people_with(lambda what, value, when, resource: what == ("answer", link) and test(value)),
                    (path, operand))
        for code in MOODS:
            expected = self.people_with(
                lambda what, value, when, resource: what == ("answer", "mood") and value["code"] == code)
            self.assertEqual(self.engine(form + "mood\\", "t.valtype_cd = 'T' AND t.tval_char IN (?)", (code,)), expected,
                             "the choices that the ontology names for a question find its options' facts")

    def test_yes_no_days_and_long_texts(self):
        _, form, _, _, _ = self.paths()

        def answered(link, test):
            return self.people_with(lambda what, value, when, resource: what == ("answer", link) and test(value))

        for text, truth in (("true", True), ("false", False)):
            self.assertEqual(self.engine(form + "rested\\", "t.valtype_cd = 'T' AND t.tval_char = ?", (text,)),
                             answered("rested", lambda value: value is truth), text)
        for sql, operand, test in (("= ?", DAYS[0], lambda day: day == DAYS[0]), ("LIKE ?", "2026-%", lambda day: day[:4] == "2026")):
            self.assertEqual(self.engine(form + "since\\", "t.valtype_cd = 'T' AND t.tval_char " + sql, (operand,)),
                             answered("since", test), operand)
        for word in ("cough", "night"):
            self.assertEqual(self.engine(form + "story\\", "t.valtype_cd = 'B' AND " + self.in_blob, (self.blob_operand(word),)),
                             answered("story", lambda story: len(story) > 255 and word in story), word)
        self.assertEqual(self.engine(form + "story\\", "t.valtype_cd = 'T' AND t.tval_char = ?", (STORIES[2],)),
                         answered("story", lambda story: story == STORIES[2]))

    # How the engine asks for words in long texts, where it has a search for them and where not.
    in_blob = "t.observation_blob LIKE ?"

    @staticmethod
    def blob_operand(word):
        return f"%{word}%"

    def test_dates(self):
        _, form, rate, _, _ = self.paths()
        for path, what in ((rate, ("observation", "8867-4")), (form + "note\\", ("answer", "note"))):
            for days in (0, 40, 150):
                begin = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=days)
                end = begin + timedelta(days=60)
                stamps = tuple(time.strftime("%Y-%m-%d %H:%M:%S") for time in (begin, end))
                expected = self.people_with(lambda w, value, when, resource: w == what and begin <= when < end)
                self.assertEqual(self.engine(path, "t.start_date >= ? AND t.start_date < ?", stamps), expected, (path, days))

    def test_modifiers(self):
        _, _, rate, weight, _ = self.paths()
        originals = "IN (SELECT modifier_cd FROM modifier_dimension WHERE modifier_path LIKE '\\Tributary value\\ORIGINAL\\%')"
        as_text = "IN (SELECT modifier_cd FROM modifier_dimension WHERE modifier_path LIKE '\\Tributary value\\AS-TEXT\\%')"

        def pounds(what, value, when, resource):
            return what == ("observation", "29463-7") and value["code" if "code" in value else "unit"] == "[lb_av]" \
                and value["value"] >= 150

        self.assertEqual(
            self.engine(weight, "t.valtype_cd = 'N' AND t.nval_num >= 150 AND t.tval_char IN ('E','GE','G') "
                                "AND t.units_cd = '[lb_av]'", modifier=originals), self.people_with(pounds))
        self.assertEqual(self.engine(rate, "t.valtype_cd = 'N'", modifier=originals), set(), "nothing was converted")
        odd = self.people_with(lambda what, value, when, resource: isinstance(value, dict) and value.get("unit") == "boxes")
        self.assertEqual(self.engine(weight, "t.tval_char = 'unit-not-convertible'", modifier=as_text), odd)
        self.assertEqual(self.engine(weight, "t.valtype_cd = 'T' AND t.tval_char = '7 boxes'"), odd)

    def test_answers_of_one_repetition_belong_together(self):
        for code in MEDICINES:
            for dose in (5, 10, 20, 40):
                expected = {person.id for person in self.people for resource in person.resources
                            if resource["resourceType"] == "QuestionnaireResponse" for item in resource["item"]
                            if item["linkId"] == "drug" and item["item"][0]["answer"][0]["valueCoding"]["code"] == code
                            and item["item"][1]["answer"][0]["valueInteger"] == dose}
                found = {row[0] for row in self.study.sql(
                    "SELECT DISTINCT m.patient_ide FROM observation_fact a JOIN observation_fact b ON "
                    "b.encounter_num = a.encounter_num AND b.patient_num = a.patient_num AND b.instance_num = a.instance_num "
                    "AND b.start_date = a.start_date AND b.modifier_cd = '@' AND b.nval_num = ? AND b.units_cd = 'mg' "
                    "JOIN patient_mapping m ON m.patient_num = a.patient_num AND m.patient_ide_source = 'TRIBUTARY' "
                    "WHERE a.concept_cd = ? AND a.modifier_cd = '@'", dose, "RXNORM:" + code)}
                self.assertEqual(found, expected, (code, dose))

    def test_patients_consent_and_source(self):
        def people(test):
            return {person.id for person in self.people if any(True for _ in person.values()) and test(person)}

        demographics, consent = "\\Tributary\\Demographics\\", "\\Tributary\\Consent\\"
        for name, gender in (("Female", "female"), ("Male", "male"), ("Other", "other"), ("Not known", None)):
            self.assertEqual(self.engine(f"{demographics}Sex\\{name}\\"), people(lambda p: p.gender == gender), name)
        for year in {person.year for person in self.people}:
            decade = year // 10 * 10
            path = f"{demographics}Birth year\\{decade}s\\"
            self.assertEqual(self.engine(path), people(lambda p: p.year // 10 * 10 == decade), path)
            self.assertEqual(self.engine(f"{path}{year}\\"), people(lambda p: p.year == year), year)
        for name, state in (("Massachusetts", "MA"), ("California", "CA"), ("New York", "NY")):
            if people(lambda p: p.state == state):
                self.assertEqual(self.engine(f"{demographics}State\\{name}\\"), people(lambda p: p.state == state), name)
        for area in {person.area for person in self.people}:
            self.assertEqual(self.engine(f"{demographics}ZIP code area\\{area}\\"), people(lambda p: p.area == area), area)
        self.assertEqual(self.engine(consent + "Withdrawn\\"), people(lambda p: p.withdraws))
        self.assertEqual(self.engine(consent + "In force\\"), people(lambda p: not p.withdraws))
        self.assertEqual(self.engine(consent + "Sharing\\Permitted\\"), people(lambda p: p.shares and not p.withdraws))
        self.assertEqual(self.engine(consent + "Sharing\\Not permitted\\"), people(lambda p: not p.shares and not p.withdraws))
        versions = [row["path"] for row in self.ontology if row["path"].startswith(consent + "Version\\")]
        self.assertEqual(len(versions), 2, "the folder, and the version that is published")
        self.assertEqual(self.engine(versions[1]), people(lambda p: True))
        for product, name in PRODUCTS.items():
            expected = self.people_with(lambda what, value, when, resource: name == (
                PRODUCTS[resource.get("device", {}).get("display")] if what[0] == "observation" else "App"))
            self.assertEqual(self.engine(f"\\Tributary\\Source\\{name}\\"), expected, name)

    def test_what_is_loaded_again_is_the_same(self):
        facts = ("SELECT encounter_num, patient_num, concept_cd, start_date, modifier_cd, instance_num, valtype_cd, tval_char, "
                 "nval_num, units_cd, end_date, upload_id FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY' ORDER BY 1, 2, 3, 4, 5, 6")
        tree = "SELECT c_fullname, c_basecode, c_dimcode FROM custom_meta ORDER BY 1, 2"
        before = self.study.sql(facts), self.study.sql(tree)
        verified = tributary("warehouse", "verify", self.study.dir, "--json").json
        self.assertEqual(verified["differences"], [])
        self.assertEqual(verified["facts"], sum(1 for row in before[0] if row[4] == "@"))
        loaded = tributary("warehouse", "load", self.study.dir, "--json").json
        for path, total in self.study.sql("SELECT c_fullname, c_totalnum FROM custom_meta WHERE sourcesystem_cd = 'TRIBUTARY'"):
            self.assertIsNotNone(total, path)
        for path in ("\\Tributary\\", "\\Tributary\\Codes\\LOINC\\8867-4\\", "\\Tributary\\Demographics\\Sex\\Male\\"):
            counted = tributary("warehouse", "count", self.study.dir, "--path", path, "--with-withdrawn", "--json").json
            self.assertEqual(self.study.number("SELECT c_totalnum FROM custom_meta WHERE c_fullname = ?", path),
                             counted["patients"], path)
        self.assertEqual(loaded["facts"], verified["facts"])
        self.assertGreater(loaded["warnings"]["unit-not-convertible"], 0)
        self.assertEqual((self.study.sql(facts), self.study.sql(tree)), before)
        upload = self.study.number("SELECT max(upload_id) FROM observation_fact")
        tributary("warehouse", "undo", self.study.dir, upload)
        changed = tributary("warehouse", "verify", self.study.dir, "--json", status=1).json
        self.assertGreater(len(changed["differences"]), 0)
        tributary("warehouse", "load", self.study.dir)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])

    def test_what_is_published_while_serving_is_there_at_once(self):
        self.study.publish({**FORM, "id": "later", "url": "https://example.org/forms/later", "title": "Later"})
        (self.study.dir / "health-types.json").write_text(json.dumps({"types": [{
            "identifier": "ExampleGripStrength", "kind": "quantity", "title": "Grip strength",
            "codings": [coded("http://example.org/codes", "grip", "Grip strength")],
            "unit": {"healthKit": "kg", "ucum": "kg", "display": "kg"}}]}))
        for name in ("Later", "Grip strength"):
            until(lambda: self.study.number("SELECT count(*) FROM custom_meta WHERE c_name = ?", name) > 0, name)


class CountsInHospital(Counts):
    """The same in the tables of an i2b2 that a hospital has, beside its rows."""

    @classmethod
    def make_study(cls):
        cls.hospital = I2B2(postgresql.server())
        study = Study(url=cls.hospital.url, change=cls.change)
        study.change(lambda value: value.update(warehouse={"schema": DATA, "metadataSchema": METADATA}))
        study.schema = f"tributary_records, {DATA}, {METADATA}"
        tributary("warehouse", "init", study.dir)
        return study

    def rows(self, sql, parameters=()):
        return self.study.sql(sql, *parameters)

    in_blob = "t.observation_blob @@ to_tsquery('english', ?)"

    @staticmethod
    def blob_operand(word):
        return word

    @staticmethod
    def pattern(text):
        # The engine doubles each backslash, which PostgreSQL's LIKE takes for one.
        return text.replace("\\", "\\\\")


if __name__ == "__main__":
    unittest.main()
