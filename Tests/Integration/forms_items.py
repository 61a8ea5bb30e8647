"""The items of a Questionnaire, as the model of `forms_model.py` reads them."""

from forms_answers import CORE, SDC, extension, offered


class Item:
    """An item of the form."""

    def __init__(self, json, parent):
        self.json, self.parent = json, parent
        self.link_id, self.type = json["linkId"], json["type"]
        self.is_question = self.type not in ("group", "display")
        self.conditions = json.get("enableWhen", [])
        self.enablement = expression(json, "enableWhenExpression")
        self.calculation = expression(json, "calculatedExpression")
        self.initial = expression(json, "initialExpression")
        self.variables = {found["name"]: found["expression"] for found in variables(json)}
        self.repeats, self.is_required = json.get("repeats", False), json.get("required", False)
        above = parent
        self.is_hidden = extension(json, CORE + "questionnaire-hidden") is True or bool(parent and parent.is_hidden)
        self.is_fixed = json.get("readOnly", False) or self.is_hidden
        self.above = []
        while above:
            self.above.insert(0, above)
            above = above.parent
        self.children = [Item(child, self) for child in json.get("item", [])]

    def initial_answers(self):
        chosen = [answer for answer, option in zip(offered(self.json), self.json.get("answerOption", []))
                  if option.get("initialSelected")]
        return chosen or list(self.json.get("initial", []))

    def scope(self):
        """The texts of the variables that its expressions can name, with the element that declares each."""
        found = {}
        for item in [*self.above, self]:
            found.update({name: (item, text) for name, text in item.variables.items()})
        return found


def expression(json, name):
    found = extension(json, SDC + name)
    return found and found["expression"]


def variables(json):
    return [found["valueExpression"] for found in json.get("extension", []) if found["url"] == CORE + "variable"]
