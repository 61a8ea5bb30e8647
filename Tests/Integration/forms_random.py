"""Random Questionnaires, and random steps of a person who answers them."""

from forms_answers import CORE, SDC, TYPES, UCUM, Digits, kind, offered, order

SYSTEM = "https://example.org/answers"
QUESTIONS = ["boolean", "decimal", "integer", "integer", "date", "dateTime", "time", "string", "text", "url", "choice",
             "choice", "open-choice", "attachment", "reference", "quantity"]
CALCULATED = ["integer", "integer", "decimal", "boolean", "string", "choice", "date"]
ORDERED = ("<", ">", "<=", ">=")


def digits(*texts):
    return [Digits(text) for text in texts]


def quantity(number, code=None):
    found = {"value": Digits(number)}
    return {**found, "unit": code, "system": UCUM, "code": code} if code else found


# Few values, so that conditions and options are often met.
VALUES = {
    "Boolean": [True, False],
    "Integer": digits("0", "1", "2", "3", "-1", "7"),
    "Decimal": digits("0", "1", "1.0", "1.50", "2.25", "-0.5", "3", "2.125"),
    "Date": ["2026-01-31", "2026-02-01", "2025-12-31", "2026-02-28", "2026-02", "2026"],
    "DateTime": ["2026-02-01T10:00:00Z", "2026-02-01T12:00:00+02:00", "2026-02-01T10:00:00.500Z", "2026-01-31T23:30:00-05:00",
                 "2026-03-01T00:00:00+01:00", "2026-02-01", "2026-02"],
    "Time": ["00:00:00", "08:30:00", "08:30:15", "23:59:59"],
    "String": ["a", "b", "ab", "A", "two words", "two\nlines", "äöü", "longer than twelve", "e\u0301", "\U0001F469\u200D\U0001F467"],
    "Uri": ["https://example.org/a", "https://example.org/b", "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"],
    "Coding": [{"system": SYSTEM, "code": "x"}, {"system": SYSTEM, "code": "y", "display": "Y"}, {"system": SYSTEM, "code": "z"},
               {"code": "x"}, {"system": "https://example.org/other", "code": "x"}],
    "Reference": [{"reference": "Patient/1"}, {"reference": "Practitioner/2"}, {"reference": "https://example.org/fhir/Patient/1"}],
    "Attachment": [{"contentType": "image/png", "data": "AAAA"}, {"contentType": "text/plain", "data": "AAAAAAAA"},
                   {"contentType": "image/png", "url": "https://example.org/p.png", "size": Digits("5")},
                   {"contentType": "image/png", "data": "AAAA", "size": Digits("4")}],
    "Quantity": [quantity("1", "kg"), quantity("1000", "g"), quantity("500.0", "g"), quantity("2", "kg"), quantity("3", "cm"),
                 quantity("2")],
}
MALFORMED = {"Integer": digits("1.5", "2147483648"), "Date": ["2026-02-30", "yesterday"], "DateTime": ["2026-02-01T25:00:00Z"],
             "Time": ["25:00:00", "8:30"], "Boolean": ["true"], "Decimal": ["1.5"]}


def extension(url, name, content):
    return {"url": url, "value" + name: content}


class RandomForm:
    """A form without circles: what an item depends on is before it in a random order of the items."""

    def __init__(self, source, has_expressions):
        self.source, self.has_expressions = source, has_expressions
        self.count = source.randrange(3, 22)
        self.made = []
        self.parents = {}
        items = self.items(None, 0)
        self.json = {"resourceType": "Questionnaire", "url": "https://example.org/form", "version": "1", "status": "active",
                     "item": items}
        self.depend()

    def chance(self, percent):
        return self.source.random() * 100 < percent

    # MARK: Items

    def items(self, parent, depth):
        found = []
        while len(self.made) < self.count and (not found or self.chance(82 if depth == 0 else 62)):
            found.append(self.item(parent, depth))
        return found

    def item(self, parent, depth):
        item = {"linkId": f"i{len(self.made)}"}
        self.made.append(item)
        self.parents[item["linkId"]] = parent
        extensions = item["extension"] = []
        is_last = len(self.made) >= self.count
        if depth < 4 and not is_last and self.chance(28):
            item["type"] = "group"
            item["item"] = self.items(item, depth + 1)
        elif self.chance(6):
            item["type"] = "display"
            item["text"] = "Read this."
        else:
            item["type"] = self.source.choice(CALCULATED if self.has_expressions and self.chance(60) else QUESTIONS)
            self.question(item)
            if depth < 4 and not is_last and self.chance(14):
                item["item"] = self.items(item, depth + 1)
        if item["type"] != "display":
            self.counts(item)
            if self.chance(6):
                item["readOnly"] = item["type"] != "group"
        if self.chance(6):
            extensions.append(extension(CORE + "questionnaire-hidden", "Boolean", True))
        return item

    def counts(self, item):
        item["required"] = self.chance(30)
        item["repeats"] = self.chance(30)
        if item["repeats"] and self.chance(30):
            if self.chance(50):
                item["extension"].append(extension(CORE + "questionnaire-minOccurs", "Integer", 2))
            if self.chance(50):
                item["extension"].append(extension(CORE + "questionnaire-maxOccurs", "Integer", 2))

    def question(self, item):
        kind, extensions = TYPES[item["type"]][0], item["extension"]
        if item["type"] in ("choice", "open-choice"):
            if self.chance(85):
                self.options(item)
        elif kind in ("Integer", "Date", "Time", "String") and item["type"] != "text" and self.chance(8):
            item["answerOption"] = [{"value" + kind: value} for value in self.source.sample(VALUES[kind], 3)]
        elif kind in ("Integer", "Decimal", "Date", "DateTime", "Time") and self.chance(35):
            ends = [{"value" + kind: value} for value in self.source.sample(VALUES[kind], 2)]
            if order(*ends) == 1:
                ends.reverse()
            for end, side in zip(ends, ("minValue", "maxValue")):
                if self.chance(70):
                    extensions.append({"url": CORE + side, **end})
        if kind == "Decimal" and self.chance(30):
            extensions.append(extension(CORE + "maxDecimalPlaces", "Integer", self.source.randrange(3)))
        if kind in ("String", "Uri") and "answerOption" not in item:
            if self.chance(30):
                item["maxLength"] = self.source.choice([1, 3, 12])
            if self.chance(15):
                extensions.append(extension(CORE + "minLength", "Integer", self.source.choice([1, 2])))
        if kind == "Quantity":
            if self.chance(30):
                extensions.append(extension(SDC + "minQuantity", "Quantity", quantity("0.6", "kg")))
            if self.chance(30):
                extensions.append(extension(SDC + "maxQuantity", "Quantity", quantity("1500", "g")))
            if self.chance(30):
                for code in self.source.sample(["kg", "g", "cm"], 2):
                    extensions.append(extension(CORE + "questionnaire-unitOption", "Coding", {"system": UCUM, "code": code}))
        if kind == "Reference" and self.chance(40):
            extensions.append(extension(CORE + "questionnaire-referenceResource", "Code", "Patient"))
        if kind == "Attachment":
            if self.chance(40):
                extensions.append(extension(CORE + "mimeType", "Code", "image/png"))
            if self.chance(40):
                extensions.append(extension(CORE + "maxSize", "Decimal", 4))
        if "answerOption" not in item and kind != "Attachment" and self.chance(15):
            item["initial"] = [{"value" + kind: self.source.choice(VALUES[kind])}]

    def options(self, item):
        kinds = ["Coding"] if self.chance(80) else self.source.choice([["Coding", "String"], ["Integer"], ["Date"]])
        values = [{"value" + kind: value} for kind in kinds for value in VALUES[kind]]
        item["answerOption"] = [dict(value) for value in self.source.sample(values, self.source.randrange(2, 5))]
        for option in item["answerOption"]:
            if self.chance(12):
                option["extension"] = [extension(CORE + "questionnaire-optionExclusive", "Boolean", True)]
        if self.chance(15):
            self.source.choice(item["answerOption"])["initialSelected"] = True

    # MARK: Dependencies

    def depend(self):
        """Gives items conditions and expressions on those before them in a random order; an item is after the one above it."""
        before, waiting = [], list(self.json["item"])
        while waiting:
            item = waiting.pop(self.source.randrange(len(waiting)))
            waiting += item.get("item", [])
            questions = [other for other in before if other["type"] not in ("group", "display")]
            if questions:
                expressions = self.has_expressions and self.chance(60)
                if expressions:
                    Expressions(self, item, questions).give()
                elif self.chance(45):
                    self.conditions(item, questions)
            before.append(item)

    def conditions(self, item, questions):
        count = self.source.choice([1, 1, 1, 2, 2, 3])
        item["enableWhen"] = [self.condition(self.source.choice(questions)) for _ in range(count)]
        if count > 1:
            item["enableBehavior"] = self.source.choice(["any", "all"])

    def condition(self, question):
        answer = self.source.choice(offered(question) or [
            {"value" + TYPES[question["type"]][0]: self.source.choice(VALUES[TYPES[question["type"]][0]])}])
        if question["type"] == "integer" and self.chance(20):
            answer = {"valueDecimal": self.source.choice(VALUES["Decimal"])}
        if kind(answer) in ("Uri", "Attachment") or self.chance(20):
            return {"question": question["linkId"], "operator": "exists", "answerBoolean": self.chance(65)}
        operators = ("=", "=", "!=")
        if kind(answer) not in ("Boolean", "Coding", "Reference"):
            operators += ORDERED
        return {"question": question["linkId"], "operator": self.source.choice(operators),
                "answer" + kind(answer): answer["value" + kind(answer)]}

    def above(self, item):
        found = []
        while item := self.parents[item["linkId"]]:
            found.insert(0, item)
        return found


class Expressions:
    """The expressions of one item, on the answers of questions before it."""

    NUMBERS = ("integer", "decimal")

    def __init__(self, form, item, questions):
        self.form, self.item, self.questions, self.source = form, item, questions, form.source

    def give(self):
        text = self.of_type(self.item["type"])
        use = self.source.random()
        if text is None or use < 0.25:
            # The context is not available, so that the first is undecided.
            self.add("enableWhenExpression", "%patient.active" if self.form.chance(4) else self.truth(2))
        elif use < 0.8:
            self.add("calculatedExpression", text)
            self.item["readOnly"] = self.form.chance(30)
            # The specification does not say how many digits a calculated number has.
            self.item["extension"] = [found for found in self.item["extension"] if found["url"] != CORE + "maxDecimalPlaces"]
        else:
            self.add("initialExpression", text)
        if text is not None and use >= 0.25:
            self.item.pop("initial", None)
            for option in self.item.get("answerOption", []):
                option.pop("initialSelected", None)

    def add(self, name, text, url=None):
        self.item["extension"].append(
            {"url": url or SDC + name, "valueExpression": {"language": "text/fhirpath", "expression": text}})

    def of_type(self, type):
        if type in ("integer", "decimal"):
            text = self.number(2, type == "integer")
        elif type == "boolean":
            text = self.truth(2)
        elif type in ("string", "text"):
            text = self.text()
        elif type in ("choice", "open-choice"):
            others = [other for other in self.questions if other["type"] == "choice"
                      and {*map(kind, offered(other))} <= {"Coding"}]
            text = others and self.values(self.source.choice(others)) or None
        else:
            others = [other for other in self.questions if other["type"] == type and type in ("date", "dateTime", "time")]
            text = others and self.values(self.source.choice(others)) or None
        if text and text.endswith(".value") and not (self.item.get("repeats") and self.form.chance(70)) and self.form.chance(90):
            text += ".first()"
        return text

    # MARK: Texts

    def values(self, question):
        """The answers of a question: in the whole response, or in the repetition that the item shares with it."""
        chain = [*self.form.above(question), question]
        shared = [item for item in self.form.above(self.item) if item in chain and item["type"] == "group"]
        if shared and self.form.chance(70):
            group = self.source.choice(shared)
            text = "%context" + self.steps(chain[chain.index(group) + 1:], False)
            return self.variable(group, text)
        text = "%resource" + self.steps(chain, False)
        return self.variable(self.form.json, text) if self.form.chance(20) else text

    @staticmethod
    def steps(chain, is_below_answer):
        text = ""
        for item in chain:
            text += f"{'.answer' if is_below_answer else ''}.item.where(linkId = '{item['linkId']}')"
            is_below_answer = item["type"] != "group"
        return text + ".answer.value"

    def variable(self, element, text):
        """The name of a variable of an element with an expression."""
        extensions = element.setdefault("extension", [])
        for found in extensions:
            if found["url"] == CORE + "variable" and found["valueExpression"]["expression"] == text:
                return "%" + found["valueExpression"]["name"]
        name = "v" + str(sum(found["url"] == CORE + "variable" for found in extensions)) + element.get("linkId", "root")
        extensions.append({"url": CORE + "variable", "valueExpression": {
            "name": name, "language": "text/fhirpath", "expression": text}})
        return "%" + name

    def number(self, depth, is_integer):
        kinds = ("integer",) if is_integer else self.NUMBERS
        if depth and self.form.chance(60):
            operator = self.source.choice(["+", "-", "*"] + ([] if is_integer else ["/"]))
            return f"({self.number(depth - 1, is_integer)} {operator} {self.number(depth - 1, is_integer)})"
        others = [other for other in self.questions if other["type"] in kinds]
        if not others or self.form.chance(20):
            if self.form.chance(40):
                return f"{self.values(self.source.choice(self.questions))}.count()"
            return self.source.choice(["1", "2", "3"] if is_integer else ["2", "0.5", "1.25"])
        text = self.values(self.source.choice(others))
        # Several items are an error, and none are none; the specification does not decide about several and none.
        return self.source.choice([
            f"{text}.first()", f"{text}.last()", text if depth == 2 else f"{text}.first()", f"({text} + 2)", f"iif({text}.exists(), {text}.first(), 0)",
            f"iif({text}.exists(), {text}.select($this * 1).sum())"])

    def truth(self, depth):
        if depth and self.form.chance(35):
            operator = self.source.choice(["and", "or", "xor", "implies"])
            return f"({self.truth(depth - 1)} {operator} {self.truth(depth - 1)})"
        if depth and self.form.chance(12):
            return f"({self.truth(depth - 1)}).not()"
        question = self.source.choice(self.questions)
        text, kind = self.values(question), question["type"]
        if kind in self.NUMBERS and self.form.chance(75):
            return f"{text}.first() {self.source.choice(['=', '!=', *ORDERED])} {self.number(1, kind == 'integer')}"
        if kind in ("string", "text") and self.form.chance(75):
            return self.source.choice([f"{text} = 'a'", f"{text}.first().length() > 1", f"{text}.where($this != 'b').exists()"])
        if kind == "boolean" and self.form.chance(75):
            # Several booleans alone are an error. fhirpathpy finds nothing for not() of them, against
            # http://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections.
            return self.source.choice([text if depth == 2 else f"{text}.first()", f"{text}.first()", f"{text} = true", f"{text}.first().not()"])
        if kind == "date" and self.form.chance(75):
            return f"{text}.first() {self.source.choice(['=', *ORDERED])} @2026-02-01"
        if kind == "choice" and self.form.chance(75):
            return f"{text}.where(code = 'x').exists()"
        return self.source.choice([f"{text}.exists()", f"{text}.empty()", f"{text}.count() > 1"])

    def text(self):
        texts = [other for other in self.questions if other["type"] in ("string", "text")]
        codes = [other for other in self.questions if other["type"] == "choice"]
        if codes and self.form.chance(30):
            return f"'c' & {self.values(self.source.choice(codes))}.code.first()"
        if not texts:
            return "'fixed'"
        text = self.values(self.source.choice(texts))
        return self.source.choice([text, f"{text}.first() & '!'", f"'a' + {text}.first()", f"{text}.first().upper()",
                                   f"{text}.first().substring(0, 1)"])


# MARK: Steps

def random_step(model, source):
    """A step on an item of the session: an answer that the question takes, one that it does not, a repetition."""
    nodes, open_ = [], [model.root]
    while open_:
        for node in open_.pop().nodes.values():
            nodes.append(node)
            open_ += node.blocks
    chosen = source.random()
    groups = [node for node in nodes if node.item.type == "group"]
    if groups and chosen < 0.2:
        node = source.choice(groups)
        if source.random() < 0.6:
            return {"add": node.path(len(node.blocks) if source.random() < 0.9 else len(node.blocks) + 1)}
        return {"remove": node.path(source.randrange(len(node.blocks) + 1))}
    questions = [node for node in nodes if node.item.is_question]
    if not questions or chosen > 0.94:
        return source.choice([
            {"set": "nothing", "value": []}, {"add": source.choice(nodes).path()}, {"remove": "i0[7]"}, {"other": "i0"},
            {"set": f"{source.choice(nodes).item.link_id}/i0", "value": []}, {"set": "i0", "value": [{"value": True}]},
            {"set": source.choice(nodes).item.link_id, "value": []}, {"set": source.choice(nodes).path(9), "value": []},
            {"set": source.choice(nodes).path(5) + "/i1", "value": []}, {"remove": source.choice(nodes).item.link_id}])
    node = source.choice(questions)
    count = source.choice([0, 1, 1, 1, 1, 1, 2, 3]) if node.item.repeats else source.choice([0, 1, 1, 1, 1, 1, 1, 2])
    return {"set": node.path(), "value": [random_answer(node.item.json, source) for _ in range(count)]}


def random_answer(question, source):
    options = offered(question)
    if options and source.random() < 0.75:
        return source.choice(options)
    name = source.choice(TYPES[question["type"]])
    if source.random() < 0.04:
        name = source.choice(list(VALUES))
    if source.random() < 0.03 and name in MALFORMED:
        return {"value" + name: source.choice(MALFORMED[name])}
    return {"value" + name: source.choice(VALUES[name])}
