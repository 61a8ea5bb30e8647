"""A person's answers to a Questionnaire, by the text of FHIR R4 and SDC: the oracle of `forms_differential.py`.

It is slow and direct: after each step it determines every item again, each after the items that it depends on.
"""

import re

from forms_answers import CORE, accepts, converted, extension, holds, is_well_formed, kind, offered, problems
from forms_items import Item, variables

# The launch contexts that forms name and that are never supplied.
CONTEXTS = ("patient",)


class Refused(Exception):
    """A step without effect, with its code."""


class Failed(Exception):
    """An expression that fails."""


class Undecided(Exception):
    """An expression that reads a context that is not available."""


class Node:
    """An item in an instance of the item above."""

    def __init__(self, item, block):
        self.item, self.block = item, block
        self.answers = []
        # An instance of a group, or the items below an answer.
        self.blocks = []
        # The items below the answer of a question that has none now.
        self.detached = None
        # Whether it has not been enabled yet, in an instance that was not emptied.
        self.is_new = block.has_initial
        self.is_edited = False
        self.is_enabled = False
        self.is_open = False
        self.failures = []
        if item.type == "group":
            self.blocks = [Block(item.children, self, block.has_initial)]
        elif item.is_question and block.has_initial and item.initial_answers():
            self.is_new = False
            self.answer(item.initial_answers())

    def answer(self, values):
        """Relocations the answers. Items below an answer that is still there stay, and those of a corrected single one."""
        old, blocks = self.answers, self.blocks
        self.answers = values
        if not self.item.repeats and len(values) <= 1:
            kept = blocks[0] if blocks else self.detached
            self.detached = None if values else kept
            self.blocks = [kept or Block(self.item.children, self, True)] if values else []
            return
        self.detached = None
        unused = list(zip(old, blocks))
        self.blocks = []
        for value in values:
            same = next((pair for pair in unused if pair[0] == value), None)
            if same:
                unused.remove(same)
            self.blocks.append(same[1] if same else Block(self.item.children, self, True))

    @property
    def has_content(self):
        return self.is_enabled and (bool(self.answers) or any(block.has_content for block in self.blocks))

    def path(self, instance=0):
        above = self.block.parent.path(self.block.index) + "/" if self.block.parent else ""
        return above + self.item.link_id + (f"[{instance}]" if instance else "")


class Block:
    """The items of the form, of an instance of a group, or below an answer."""

    def __init__(self, items, parent, has_initial):
        self.parent, self.has_initial = parent, has_initial
        self.nodes = {item.link_id: Node(item, self) for item in items}

    @property
    def index(self):
        return next(index for index, block in enumerate(self.parent.blocks) if block is self)

    @property
    def has_content(self):
        return any(node.has_content for node in self.nodes.values())


class Model:
    """A session with a form; `evaluate(text, response)` returns the values of an expression, or raises `Failed`."""

    def __init__(self, form, evaluate=None):
        self.form, self.evaluate = form, evaluate
        self.top = [Item(json, None) for json in form["item"]]
        self.items = {}
        open_ = list(self.top)
        while open_:
            item = open_.pop()
            self.items[item.link_id] = item
            open_ += item.children
        self.variables = {found["name"]: found["expression"] for found in variables(form)}
        self.order = self.in_order()
        self.root = Block(self.top, None, True)
        self.settle()

    # MARK: Order

    def in_order(self):
        """The items, each after those that it depends on: the item above, its conditions, and what its expressions read."""
        ordered, state = [], {}

        def visit(item):
            if state.get(item.link_id) == "done":
                return
            assert item.link_id not in state, "the form has a circle"
            state[item.link_id] = "open"
            for other in sorted(self.sources(item)):
                visit(self.items[other])
            state[item.link_id] = "done"
            ordered.append(item)

        for item in self.items.values():
            visit(item)
        return ordered

    def sources(self, item):
        found = {item.parent.link_id} if item.parent else set()
        found |= {condition["question"] for condition in item.conditions}
        for text in (item.enablement, item.calculation, item.initial):
            found |= self.read_by(text or "", item)
        return found - {item.link_id}

    def read_by(self, text, item):
        found = set(re.findall(r"linkId = '(\w+)'", text))
        for name in re.findall(r"%(\w+)", text):
            if name in item.scope():
                declaring, inner = item.scope()[name]
                found |= self.read_by(inner, declaring)
            elif name in self.variables:
                found |= set(re.findall(r"linkId = '(\w+)'", self.variables[name]))
        return found

    # MARK: Evaluation

    def settle(self):
        for item in self.order:
            for node in self.nodes(item):
                self.determine(node)

    def nodes(self, item, block=None):
        """The nodes of an item below a block, in the order of the form."""
        blocks = [block or self.root]
        above = item.above[item.above.index(block.parent.item) + 1:] if block and block.parent else item.above
        for group in above:
            blocks = [inner for outer in blocks for inner in outer.nodes[group.link_id].blocks]
        return [block.nodes[item.link_id] for block in blocks]

    def determine(self, node):
        item = node.item
        node.failures = []
        above = node.block.parent
        node.is_open = bool(above and above.is_open)
        node.is_enabled = not above or above.is_enabled
        if node.is_enabled and item.conditions:
            found = [holds(condition, self.answers_for(node, condition["question"])) for condition in item.conditions]
            node.is_enabled = any(found) if item.json.get("enableBehavior") == "any" else all(found)
        if node.is_enabled and item.enablement:
            try:
                found = self.values(item.enablement, node)
                if len(found) > 1:
                    raise Failed("several values")
                node.is_enabled = found == [True]
            except Undecided:
                node.is_open = True
            except Failed:
                node.is_open = True
                node.failures.append("expression-failed")
        if not node.is_enabled:
            return
        if node.is_new and item.initial:
            node.is_new = False
            self.fill(node, item.initial, offered(item.json))
        if item.calculation and not node.is_edited:
            self.fill(node, item.calculation)

    def fill(self, node, text, options=()):
        """Enters the values of an expression; of codings, those that are offered if the question has options."""
        try:
            values = self.values(text, node)
            if len(values) > 1 and not node.item.repeats:
                raise Failed("several values")
            answers = [converted(value, node.item.json) for value in values]
            # An option is chosen once.
            answers = [answer for index, answer in enumerate(answers) if kind(answer) != "Coding"
                       or answer not in answers[:index] and (not options or answer in options)]
        except Undecided:
            return
        except Failed:
            answers = []
            # The check of a response calculates only answers that a person cannot enter.
            if node.item.is_fixed and text == node.item.calculation:
                node.failures.append("expression-failed")
        if answers != node.answers:
            node.answer(answers)

    def answers_for(self, node, link_id):
        """The answers of a question in the nearest instance that it has in common with an item; none if it is disabled."""
        source = self.items[link_id]
        if source in node.item.above:
            while node.item is not source:
                node = node.block.parent
            return node.answers if node.is_enabled else []
        block = node.block
        while block.parent and block.parent.item not in source.above:
            block = block.parent.block
        return [answer for other in self.nodes(source, block) if other.is_enabled for answer in other.answers]

    def values(self, text, node):
        """The values of an expression at an item, with its variables instead of their names."""
        response, locations = self.response()

        def location(node, block):
            return locations.get(id(block) if block and node.item.type == "group" else id(node), "{}")

        def filled(text, node, block):
            def replaced(name):
                if name == "resource":
                    return "%resource"
                if name == "context":
                    return location(node, block)
                below, inside = node, block
                while below:
                    if name in below.item.variables:
                        return "(" + filled(below.item.variables[name], below, inside) + ")"
                    below, inside = below.block.parent, below.block
                if name in self.variables:
                    return "(" + self.variables[name] + ")"
                if name not in CONTEXTS:
                    raise KeyError(name)
                raise Undecided(name)
            return re.sub(r"%(\w+)", lambda match: replaced(match[1]), text)

        return self.evaluate(filled(text, node, None), response)

    def response(self):
        """The response as it is now, and the FHIRPath of each of its elements by the node or block."""
        locations = {}

        def items(block, above):
            found = []
            for node in block.nodes.values():
                if not node.has_content:
                    continue
                if node.item.type == "group":
                    for inner in node.blocks:
                        if inner.has_content:
                            locations[id(inner)] = f"{above}.item[{len(found)}]"
                            found.append({"linkId": node.item.link_id, "item": items(inner, locations[id(inner)])})
                    continue
                locations[id(node)] = here = f"{above}.item[{len(found)}]"
                answers = []
                for index, (answer, inner) in enumerate(zip(node.answers, node.blocks)):
                    below = items(inner, f"{here}.answer[{index}]")
                    answers.append({**answer, "item": below} if below else answer)
                found.append({"linkId": node.item.link_id, "answer": answers})
            return found

        content = items(self.root, "%resource")
        return {"resourceType": "QuestionnaireResponse", **({"item": content} if content else {})}, locations

    # MARK: State

    def state(self):
        """The paths of the enabled items, their answers, and the errors of the response."""
        enabled, answers, found = [], {}, []

        def visit(block, is_present):
            for node in block.nodes.values():
                # The check of a response does not see the items of a group that the response does not contain.
                if is_present:
                    found.extend((code, node.path()) for code in node.failures)
                if not node.is_enabled:
                    continue
                if node.item.type == "group":
                    for index, inner in enumerate(node.blocks):
                        enabled.append(node.path(index))
                        visit(inner, inner.has_content)
                else:
                    enabled.append(node.path())
                    if node.answers:
                        answers[node.path()] = node.answers
                    for inner in node.blocks:
                        visit(inner, True)
                found.extend((code, node.path()) for code in self.errors(node, is_present))

        visit(self.root, True)
        return {"enabled": enabled, "answers": answers, "problems": sorted(found)}

    @staticmethod
    def errors(node, is_present):
        """The errors of an item of a response that contains the item above, or does not."""
        item, codes = node.item, []
        if item.type == "display":
            return codes
        is_group = item.type == "group"
        count = sum(block.has_content for block in node.blocks) if is_group else len(node.answers)
        if item.is_required and not count and is_present and not node.is_open:
            codes.append("required")
        least = extension(item.json, CORE + "questionnaire-minOccurs")
        if least is not None and count < int(least) and (count or item.is_required and is_present) and not node.is_open:
            codes.append("min-occurs")
        if is_group:
            greatest = extension(item.json, CORE + "questionnaire-maxOccurs")
            return codes + (["max-occurs"] if greatest is not None and count > int(greatest) else [])
        return codes + problems(item.json, node.answers)

    # MARK: Steps

    def perform(self, step):
        """Performs a step and returns the code of its refusal, or None."""
        try:
            if "set" in step:
                self.set(step["set"], step["value"])
            elif "add" in step:
                node, index = self.group(step["add"])
                if index != len(node.blocks) or not node.item.repeats:
                    raise Refused("repetition-missing")
                node.blocks.append(Block(node.item.children, node, True))
            elif "remove" in step:
                node, index = self.group(step["remove"])
                if index >= len(node.blocks):
                    raise Refused("repetition-missing")
                if len(node.blocks) == 1:
                    node.blocks = [Block(node.item.children, node, False)]
                else:
                    del node.blocks[index]
            else:
                raise Refused("step-malformed")
        except Refused as refusal:
            return str(refusal)
        self.settle()
        return None

    def set(self, path, values):
        if any(kind(value) is None for value in values):
            raise Refused("answer-malformed")
        steps, item = self.resolved(path)
        if not item.is_question:
            raise Refused("group-answered" if item.type == "group" else "display-answered")
        node = self.at(steps, item)
        for value in values:
            if not accepts(item.json, value):
                raise Refused("answer-type")
            if not is_well_formed(value):
                raise Refused("answer-malformed")
        node.is_new = False
        node.is_edited = not item.is_fixed
        node.answer(list(values))

    def group(self, path):
        steps, item = self.resolved(path)
        if item.type != "group":
            raise Refused("group-expected")
        return self.at(steps, item), steps.get(item.link_id, 0)

    def resolved(self, path):
        """The item of a path, and the numbers of the items on it. Items above can be left out."""
        steps = {}
        for step in path.split("/"):
            link_id, number = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", step).groups()
            if link_id not in self.items:
                raise Refused("link-id-unknown")
            item = self.items[link_id]
            steps[link_id] = int(number or 0)
        above = [other.link_id for other in item.above if other.link_id in steps]
        if above + [item.link_id] != list(steps) or len(steps) != len(path.split("/")):
            raise Refused("item-misplaced")
        return steps, item

    def at(self, steps, item):
        block = self.root
        for above in item.above:
            blocks = block.nodes[above.link_id].blocks
            index = steps.get(above.link_id, 0)
            if index >= len(blocks):
                raise Refused("repetition-missing")
            block = blocks[index]
        return block.nodes[item.link_id]
