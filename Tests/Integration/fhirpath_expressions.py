"""Makes FHIRPath expressions that fit a resource: paths that it has, compared and computed with what stands there."""

from decimal import Decimal

KINDS = {
    "boolean": "boolean", "integer": "number", "decimal": "number", "positiveInt": "number", "unsignedInt": "number",
    "date": "date", "dateTime": "date", "instant": "date", "time": "time",
    "string": "text", "code": "text", "id": "text", "uri": "text", "url": "text", "canonical": "text",
    "markdown": "text", "oid": "text", "uuid": "text",
}


# Names of elements that the grammar keeps for operators.
KEYWORDS = {"div", "contains", "as", "is", "in", "mod", "and", "or"}


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r").replace(
        "\t", "\\t") + "'"


class Place:
    """A path of the resource, its type, and the values that stand there."""

    def __init__(self, path, type_):
        self.path, self.type, self.values = path, type_, []

    @property
    def kind(self):
        return KINDS.get(self.type, "element" if self.values and isinstance(self.values[0], dict) else "other")


class Generator:
    by_owner = {}

    def __init__(self, resource, model, source):
        self.model, self.random = model, source
        self.name = resource["resourceType"]
        self.places = {}
        self.walk(resource, self.name, self.name)
        by_kind = {}
        for place in self.places.values():
            by_kind.setdefault(place.kind, []).append(place)
        self.by_kind = by_kind

    # MARK: The resource's paths

    def walk(self, value, path, declared):
        for key, member in value.items():
            if key == "resourceType" or key.startswith("_") or key in ("contained", "resource"):
                continue
            name, type_, next_ = self.member(declared, key)
            if type_ is None:
                continue
            if name in KEYWORDS:
                name = f"`{name}`"
            place = self.places.setdefault(f"{path}.{name}", Place(f"{path}.{name}", type_))
            for item in member if isinstance(member, list) else [member]:
                if item is None:
                    continue
                place.values.append(item)
                if isinstance(item, dict) and path.count(".") < 4:
                    self.walk(item, f"{path}.{name}", next_)

    def member(self, declared, key):
        """The FHIRPath name of a JSON name, its type, and where its own members are declared."""
        for choice, types in self.choices().get(declared, []):
            name = choice.rsplit(".", 1)[1]
            if key.startswith(name) and key[len(name):] in types:
                type_ = self.model["path2Type"].get(f"{choice}{key[len(name):]}", key[len(name):])
                return name, type_, type_
        path = f"{declared}.{key}"
        path = self.model["pathsDefinedElsewhere"].get(path, path)
        if path in self.model["path2Type"]:
            type_ = self.model["path2Type"][path]
            return key, type_, path if type_ in ("BackboneElement", "Element") else type_
        return key, None, None

    def choices(self):
        """The choice elements by the type that declares them."""
        if not Generator.by_owner:
            for choice, types in self.model["choiceTypePaths"].items():
                Generator.by_owner.setdefault(choice.rsplit(".", 1)[0], []).append((choice, types))
        return Generator.by_owner

    # MARK: Choosing

    def pick(self, *options):
        return self.random.choice(options)

    def place(self, *kinds):
        found = [place for kind in kinds for place in self.by_kind.get(kind, [])]
        return self.random.choice(found) if found else None

    def some(self, count):
        makers = [
            self.collection, self.collection, self.boolean, self.boolean, self.number, self.text, self.date_question,
            self.conversion, self.literal_question, self.filtered, self.projection, self.set_question, self.types,
            self.aggregate, self.logic_table, self.quantity_question, self.nested, self.mistake,
        ]
        output = []
        while len(output) < count:
            expression = self.random.choice(makers)()
            if expression:
                output.append(expression)
        return output

    def integer(self):
        return str(self.pick(0, 1, 1, 2, 3, 5, 7, 10, 42))

    def decimal(self):
        return self.pick("0.5", "1.0", "1.50", "2.25", "10.1", "0.001", "3.14159", "100.0")

    def numeral(self):
        return self.pick(self.integer, self.decimal)()

    def word(self):
        place = self.place("text")
        if place and self.random.random() < 0.7:
            value = self.random.choice(place.values)
            if isinstance(value, str) and 0 < len(value) < 40 and value.isascii():
                if self.random.random() < 0.5:
                    start = self.random.randrange(len(value))
                    value = value[start:start + self.random.randint(1, 4)]
                return quoted(value)
        return quoted(self.pick("a", "e", "http", "active", "final", "A", "", "x", " ", "1"))

    # MARK: Collections

    def path(self, *kinds):
        place = self.place(*(kinds or ("text", "number", "date", "boolean", "element")))
        return place.path if place else None

    def one(self, *kinds):
        """A path that yields one item at most."""
        place = self.place(*kinds)
        if not place:
            return None
        if len(place.values) == 1:
            return place.path
        return place.path + self.pick(".first()", ".last()", "[0]", "[1]", ".skip(1).first()", ".take(1)", ".tail().first()")

    def collection(self):
        path = self.path()
        if not path:
            return None
        for _ in range(self.random.randint(0, 2)):
            path += self.pick(
                "", ".first()", ".last()", ".tail()", f".skip({self.integer()})", f".take({self.integer()})",
                f"[{self.integer()}]", ".distinct()", ".where(true)", ".where($index < 2)", ".where($index = 1)",
                ".select($this)", ".trace('x')", ".where(false)", ".ofType(string)", ".select($index)")
        path += self.pick("", "", "", ".count()", ".exists()", ".empty()", ".isDistinct()", ".exists().not()")
        return path

    def child(self, place):
        """The members of an element that have plain values: their FHIRPath names with an example."""
        prefix = place.path + "."
        return [p for p in self.places.values() if p.path.startswith(prefix) and p.path.count(".") == prefix.count(".")]

    def criterion(self, place):
        children = self.child(place)
        if not children:
            return self.pick("$this.exists()", "true", "$index = 0")
        child = self.random.choice(children)
        name = child.path.rsplit(".", 1)[1]
        value = self.random.choice(child.values) if child.values else None
        if child.kind == "text" and isinstance(value, str) and len(value) < 60 and value.isascii():
            return self.pick(
                f"{name} = {quoted(value)}", f"{name} != {quoted(value)}", f"{name}.first() ~ {quoted(value.upper())}",
                f"{name}.exists()", f"{quoted(value)} in {name}", f"{name} contains {quoted(value)}",
                f"{name}.first().startsWith({quoted(value[:2])})", f"{name}.first().length() > {self.integer()}")
        if child.kind == "number" and isinstance(value, (int, Decimal)):
            return self.pick(
                f"{name} > {self.numeral()}", f"{name} <= {value}", f"{name} = {value}", f"{name}.exists()")
        if child.kind == "boolean":
            return self.pick(name, f"{name}.not()", f"{name} = true", f"{name} != false", f"{name}.exists()")
        return self.pick(f"{name}.exists()", f"{name}.empty()", f"{name}.count() > {self.integer()}",
                         f"{name}.exists() and {name}.count() = 1", f"{name}.all($this.exists())")

    def filtered(self):
        place = self.place("element")
        if not place:
            return None
        criterion = self.criterion(place)
        base = self.pick(
            f"{place.path}.where({criterion})", f"{place.path}.exists({criterion})", f"{place.path}.all({criterion})",
            f"{place.path}.where({criterion}).count()", f"{place.path}.where({criterion}).first()",
            f"{place.path}.where(({criterion}).not()).count()", f"{place.path}.select({criterion})")
        children = self.child(place)
        if children and base.endswith(")") and ".where(" in base and "count" not in base:
            base += "." + self.random.choice(children).path.rsplit(".", 1)[1]
        return base

    def projection(self):
        place = self.place("element")
        children = self.child(place) if place else []
        if not children:
            return None
        a, b = (self.random.choice(children).path.rsplit(".", 1)[1] for _ in range(2))
        return self.pick(
            f"{place.path}.select({a})", f"{place.path}.select({a} | {b})", f"{place.path}.select({a}.combine({b})).count()",
            f"{place.path}.{a}.count() = {place.path}.select({a}).count()", f"{place.path}.select({a}.first())",
            f"{place.path}.select(iif({a}.exists(), {a}, {b}))", f"{place.path}.repeat({a}).count()",
            f"{place.path}.children().count()", f"{self.name}.descendants().where($this is Coding).code",
            f"{place.path}.select($this.{a}.exists())", f"{place.path}.select({a}.count() + {b}.count())",
            f"{self.name}.descendants().ofType(Coding).count()", f"{place.path}.{a}.exists() or {place.path}.{b}.exists()",
            f"{place.path}.{a}.combine({place.path}.{b}).count()", f"({place.path}.{a} | {place.path}.{b}).count()")

    def set_question(self):
        a, b = self.path("text"), self.path("text")
        if not a or not b:
            return None
        return self.pick(
            f"{a}.intersect({b})", f"{a}.exclude({b})", f"{a}.subsetOf({a}.combine({b}))", f"{a}.supersetOf({b})",
            f"{a} | {b}", f"{a}.union({b}).count()", f"({a} | {b}).isDistinct()", f"{a}.distinct().count()",
            f"{a} contains {self.word()}", f"{self.word()} in {b}", f"{a}.first() in {a}", f"{a} = {b}", f"{a} != {b}",
            f"{a}.combine({b}).distinct().count()", f"{a}.first() = {b}.first()", f"{a}.combine({a}).isDistinct()",
            f"({self.integer()} | {self.integer()} | {self.integer()}).count()",
            f"{self.integer()} in ({self.integer()} | {self.integer()})")

    def nested(self):
        """Filters inside filters, and what the outer item is inside of them."""
        place = self.place("element")
        children = [child for child in self.child(place) if child.kind == "element"] if place else []
        if not children:
            return None
        child = self.random.choice(children)
        name = child.path.rsplit(".", 1)[1]
        inner = self.criterion(child)
        return self.pick(
            f"{place.path}.where({name}.where({inner}).exists()).count()", f"{place.path}.all({name}.exists({inner}))",
            f"{place.path}.select({name}.where({inner}).count())", f"{place.path}.{name}.where({inner}) | {place.path}.{name}",
            f"{place.path}.exists({name}.all({inner}) and {name}.exists())",
            f"{place.path}.select({name}.select($index)).count()",
            f"{place.path}.select(iif({name}.exists({inner}), {name}.count(), 0 - 1))",
            f"{place.path}.{name}.aggregate(iif({inner}, $total + 1, $total), 0)",
            f"{self.name}.descendants().where($this is {child.type}).count() >= {place.path}.{name}.count()",
            f"{self.name}.repeat({place.path.split('.')[1]}).{name}.exists({inner})")

    def mistake(self):
        """What both sides have to refuse."""
        many = [place for place in self.places.values() if len(place.values) > 1 and place.kind == "text"]
        if not many:
            return self.pick("'a' + 1", "'a' > 1", "1 + 'a'", "(1 | 2) + 3", "('a' | 'b').upper()", "'a'.unknown()",
                             "(1 | 2) > 1", "'a'.substring('b')", "(1 + 2", "1 +", "'a'.startsWith(1)")
        path = self.random.choice(many).path
        return self.pick(f"{path}.upper()", f"{path} + 'a'", f"{path} > 'a'", f"{path}.startsWith('a')", f"{path} is string",
                         f"{path}.length()", f"{path}.unknown()", f"{path}.substring(1)", f"{path} in {path}", f"{path}.where(",
                         f"{path}.matches('a')", f"{path}.replace('a', 'b')", f"{path}.count(1)")

    # MARK: Values

    def number(self, depth=2):
        value = self.number_value(depth)
        if value is None:
            return None
        return value + self.pick("", "", f" > {self.numeral()}", f" = {self.numeral()}", f" <= {self.numeral()}")

    def number_value(self, depth):
        if depth == 0 or self.random.random() < 0.2:
            return self.pick(self.numeral, self.numeral, lambda: self.one("number") or self.numeral(),
                             lambda: f"{self.path()}.count()")()
        a, b = self.number_value(depth - 1), self.number_value(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"({a} div {b})", f"({a} mod {b})",
            f"({a}).abs()", f"({a}).floor()", f"({a}).ceiling()", f"({a}).truncate()", f"({a}).round({self.pick(0, 1, 2)})",
            f"({a}).sqrt()", f"({a}).power(2)", f"iif({a} > {b}, {a}, {b})", f"(-{a})", f"({a}).exp().round(4)",
            f"({a} + 1).ln().round(6)", f"({a} | {b}).first()")

    def text_value(self, depth):
        base = self.one("text") if self.random.random() < 0.7 else self.word()
        base = base or self.word()
        for _ in range(depth):
            base = self.pick(
                f"{base}.upper()", f"{base}.lower()", f"{base}.substring({self.integer()})",
                f"{base}.substring({self.integer()}, {self.integer()})", f"{base}.trim()", f"({base} & {self.word()})",
                f"({base} + {self.word()})", f"{base}.replace('a', 'bb')",
                f"iif({base}.length() > 3, {base}, {self.word()})")
        return base

    def text(self):
        base = self.text_value(self.random.randint(0, 2))
        many = self.path("text")
        return self.pick(
            base, f"{base}.length()", f"{base}.indexOf({self.word()})", f"{base}.startsWith({self.word()})",
            f"{base}.endsWith({self.word()})", f"{base}.contains({self.word()})", f"{base}.toChars().count()",
            f"{base}.matches('[a-z]+')", f"{base}.matches('^[A-Z].*$')", f"{base}.replaceMatches('[0-9]', '#')",
            f"{base}.replaceMatches('([a-z])([a-z])', '$2$1')", f"{base}.split('/').count()", f"{base}.split(' ')",
            f"{base}.encode('base64')", f"{base}.encode('hex').decode('hex')", f"{base} = {self.word()}",
            f"{base} ~ {self.word()}", f"{base} > {self.word()}", f"{base} <= {self.word()}",
            f"{many}.join(',')" if many else base, f"{many}.select(length())" if many else base,
            f"{many}.select(upper()).distinct().count()" if many else base, f"{base}.encode('base64').decode('base64')")

    def date(self):
        return self.pick("@2012", "@2013-06", "@2014-01-25", "@2015-02-07T13:28:17Z", "@1974-12-25", "@2020-02-29",
                         "@2013-01-05T10:30:00+10:00")

    def date_question(self):
        one = self.one("date")
        literal = self.date()
        if one and self.random.random() < 0.6:
            return self.pick(
                f"{one} > {literal}", f"{one} <= {literal}", f"{one} = {literal}", f"{one} < {one}", f"{one} = {one}",
                f"{one}.toString()", f"{one} >= {literal}", f"{one} != {literal}", f"{one}.toDate()", f"{one}")
        amount = self.pick("1 day", "2 months", "1 year", "10 days", "3 weeks", "5 years", "1 month")
        day = self.pick("@2012-01-31", "@2020-02-29", "@2014-01-25", "@1974-12-25", "@2019-03-01")
        return self.pick(
            f"{day} + {amount}", f"{day} - {amount}", f"{literal} > {self.date()}", f"{literal} = {self.date()}",
            f"({day} + {amount}) > {day}", f"{literal} ~ {self.date()}", f"@T10:30 < @T11:00:00", f"{day} + {amount} + {amount}")

    # MARK: Booleans

    def truth(self, depth):
        if depth == 0:
            place = self.place("boolean")
            path = self.path()
            return self.pick("true", "false", "{}", f"{path}.exists()", f"{path}.empty()",
                             place.path + ".first()" if place else "true", f"({path}.count() > {self.integer()})")
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(f"({a} and {b})", f"({a} or {b})", f"({a} xor {b})", f"({a} implies {b})", f"({a}).not()",
                         f"iif({a}, {b}, {a})", f"({a} = {b})", f"({a} | {b}).allTrue()", f"({a} | {b}).anyFalse()",
                         f"({a} | {b}).anyTrue()", f"({a} | {b}).allFalse()")

    def boolean(self):
        return self.truth(self.random.randint(1, 3))

    def logic_table(self):
        a, b = (self.pick("true", "false", "{}") for _ in range(2))
        return f"({a} {self.pick('and', 'or', 'xor', 'implies', '=', '!=', '~', '!~')} {b})" + self.pick("", ".not()", ".empty()")

    # MARK: The rest

    def conversion(self):
        base = self.pick(
            lambda: self.one("text", "number", "boolean", "date") or "'1'", self.numeral,
            lambda: self.pick("'1'", "'0'", "'true'", "'no'", "'1.5'", "'abc'", "'2014-01-25'", "'14:30'", "true", "'-7'",
                              "'2015-02-07T13:28:17Z'", "'4 days'", "'+3'", "'1 \\'mg\\''", "'1e3'", "''"))()
        to = self.pick("Boolean", "Integer", "Decimal", "String", "Date", "DateTime", "Time", "Quantity")
        return f"{base}.{self.pick('to', 'to', 'convertsTo')}{to}()"

    def literal_question(self):
        a, b = self.numeral(), self.numeral()
        sign = self.pick("=", "!=", "~", "!~", "<", ">", "<=", ">=", "+", "-", "*", "/", "div", "mod")
        c = self.numeral()
        return self.pick(f"{a} {sign} {b}", f"{a} {sign} ({b} + {c})", f"({a} {sign} {b}).exists()",
                         f"{a} + {b} * {c}", f"{a} - {b} - {c}", f"({a} + {b}) * {c} > {self.integer()}",
                         f"{a} / {b} * {c}", f"-{a} + {b}", f"{a} * {b} div {c}", f"'a' & {{}} & 'b'", f"'a' + {{}}")

    def types(self):
        place = self.place("text", "number", "date", "boolean", "element")
        if not place:
            return None
        one = self.pick(place.path + ".first()", place.path + "[0]")
        other = self.pick("string", "code", "uri", "boolean", "integer", "decimal", "dateTime", "Quantity", "CodeableConcept",
                          "Coding", "Reference", "Identifier", "HumanName", "Period", "Element", place.type, place.type)
        return self.pick(
            f"{one} is {other}", f"{one}.is({other})", f"({one} as {other})", f"{place.path}.ofType({other})",
            f"{one} is FHIR.{other}", f"{one}.type().name", f"{one}.type().namespace", f"{self.name} is {self.name}",
            f"{self.name}.type().name", f"{self.name} is Patient", f"{place.path}.ofType({other}).count()",
            f"{self.numeral()} is Integer", f"{self.word()} is System.String", f"{self.numeral()}.type().name",
            f"{one}.as({other}).exists()", f"{self.name} is DomainResource", f"true is Boolean")

    def aggregate(self):
        path = self.path("text", "number", "element")
        numbers = f"({self.integer()}).combine({self.integer()}).combine({self.numeral()})"
        many = self.path("number")
        return self.pick(
            f"{path}.aggregate($total + 1, 0)", f"{numbers}.aggregate($this + $total, 0)", f"{numbers}.sum()",
            f"{numbers}.min()", f"{numbers}.max()", f"{numbers}.avg()",
            f"{numbers}.aggregate(iif($total.empty(), $this, iif($this < $total, $this, $total)))",
            f"{many}.sum()" if many else f"{numbers}.sum()", f"{many}.max()" if many else f"{numbers}.max()",
            f"{many}.where($this > 1).count()" if many else f"{numbers}.where($this > 1).count()",
            f"{path}.repeat(children()).count() > 0", f"{path}.coalesce({self.word()}).count()")

    def quantity_question(self):
        one = None
        place = next((p for p in self.by_kind.get("element", []) if p.type in ("Quantity", "Age", "SimpleQuantity")), None)
        if place:
            one = place.path + ".first()"
        a = f"{self.numeral()} '{self.pick('mg', 'g', 'kg', 'cm', 'm', 'mm')}'"
        b = f"{self.numeral()} '{self.pick('mg', 'g', 'kg', 'cm', 'm', 'mm')}'"
        options = [f"{a} = {b}", f"{a} = {a}", f"1 year = 12 months", f"7 days = 1 week", f"{a} ~ {a}", f"{a} != {a}"]
        if one:
            options += [f"{one}.value", f"{one}.value > {self.numeral()}", f"{one}.unit", f"{one}.code = 'mg'",
                        f"{one}.value * 2", f"{one}.exists()", f"{one}.value.round(1)", f"{one} = {one}"]
        return self.pick(*options)
