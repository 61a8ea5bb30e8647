import JSONQuery
import Testing

/// The language, by feature; the published tests run if they are present.
@Suite struct JMESPathTests {
    static let document = """
        {"a":{"b":{"c":1.50},"n":null},"list":[0,1,2,3,4],"mixed":[[1,2],3,[[4]],null],
         "people":[{"name":"x","age":30},{"name":"y","age":20.0,"tags":["p"]},{"name":"z"}],
         "with space":"s","é":"composed","empty":[],"blank":""}
        """

    @Test(arguments: [
        // Names and subexpressions in sequence.
        ("a.b.c", "1.50"), ("a.x.y", "null"), ("\"with space\"", "\"s\""), ("a.n", "null"), ("list.a", "null"),
        ("@.a.b.c", "1.50"),
        ("a | b | c", "1.50"), ("\"\\u00e9\"", "\"composed\""), ("\"e\\u0301\"", "null"),
        // Indexes and slices.
        ("list[0]", "0"), ("list[-1]", "4"), ("list[9]", "null"), ("list[-9]", "null"), ("a[0]", "null"),
        ("list[1:3]", "[1,2]"), ("list[::-2]", "[4,2,0]"), ("list[-2:]", "[3,4]"), ("list[:99]", "[0,1,2,3,4]"),
        ("list[3:1]", "[]"), ("list[::9223372036854775807]", "[0]"), ("list[-9223372036854775808:2]", "[0,1]"),
        ("list[::-9223372036854775808]", "[4]"), ("blank[0:1]", "null"),
        // Projections: they end at a pipe or a parenthesis, and drop null.
        ("people[*].age", "[30,20.0]"), ("people[].tags[]", "[\"p\"]"), ("people[*].tags[0]", "[\"p\"]"),
        ("people[*].name | [0]", "\"x\""), ("(people[*].name)[0]", "\"x\""), ("people[*].name[0]", "[]"),
        ("a.*.c", "[1.50]"), ("a.*", "[{\"c\":1.50}]"), ("mixed[]", "[1,2,3,[4]]"),
        ("mixed[*]", "[[1,2],3,[[4]]]"),
        ("mixed[][]", "[1,2,3,4]"), ("people[:2].name", "[\"x\",\"y\"]"), ("list[*].a", "[]"), ("a[*]", "null"),
        // Filters and truth values.
        ("people[?age > `25`].name", "[\"x\"]"), ("people[?age >= `20`] | length(@)", "2"),
        ("people[?tags].name", "[\"y\"]"),
        ("people[?!age].name", "[\"z\"]"), ("people[?name == 'x' || name == 'z'].name", "[\"x\",\"z\"]"),
        ("empty || blank || `{}` || 'found'", "\"found\""), ("`0` && 'also zero'", "\"also zero\""), ("!blank", "true"),
        ("a && empty", "[]"), ("people[?age == `20`].name", "[\"y\"]"), ("'a' < 'b'", "null"), ("`1` <= `1.0`", "true"),
        ("`1.0` == `1`", "true"), ("`100` == `1e2`", "true"), ("`-0` == `0`", "true"),
        ("`0.1` == `0.10000000000000000001`", "false"),
        ("`{\"a\":1,\"b\":2}` == `{\"b\":2.0,\"a\":1}`", "true"), ("`[1]` != `[1, 2]`", "true"),
        ("'é' == 'e\u{301}'", "false"),
        // New lists and objects.
        ("[a.b.c, list[0]]", "[1.50,0]"), ("{x: a.b.c, \"y z\": blank}", "{\"x\":1.50,\"y z\":\"\"}"),
        ("n.[a]", "null"),
        ("{a: `1`, b: `2`, a: `3`}", "{\"a\":3,\"b\":2}"), ("people[*].{n: name}[0]", "{\"n\":\"x\"}"),
        ("people[0].[name, age]", "[\"x\",30]"),
        // Literals.
        ("`[1, 2.50]`", "[1,2.50]"), ("'it\\'s'", "\"it's\""), ("'\\\\'", "\"\\\\\\\\\""), ("`\"a\\`b\"`", "\"a`b\""),
    ])
    func anExpressionGivesItsValue(expression: String, value: String) {
        #expect(Asked.jmesPath(expression, Self.document) == value, "\(expression)")
    }

    @Test(arguments: [
        "", " ", "a.", ".a", "a..b", "a[", "a]", "a[b]", "a[*", "a[*]b", "a[0, 1]", "[1:2:3:4]", "a[1 2]", "a{b: c}",
        "a.{}",
        "[]]", "[ ]", "a.[0]", "{a}", "{a:}", "{a: b,}", "[a,]", "a b", "=", "a = b", "a =", "!", "(a", "a)", "&a",
        "\"a\"(b)", "(a)(b)",
        "'a", "`a`", "`a", "\"a", "\"\\x\"", "-", "a.-1", "99999999999999999999", "a[99999999999999999999]", "#", "é",
        "abs(", "abs(a,)",
        "a.`1`", "$", "a[ ?b]", "foo.*bar", "@@",
    ])
    func invalidExpressionIsASyntaxErrorWithAnOffset(expression: String) throws {
        let error = #expect(throws: JMESPathError.self) { try JMESPath(expression) }
        #expect(error?.code == "syntax", "\(expression)")
        #expect((0...expression.utf8.count).contains(try #require(error?.offset)), "\(expression)")
    }

    @Test(arguments: [
        ("unheard_of(a)", "unknown-function"), ("empty[?unheard_of(@)]", "unknown-function"),
        ("abs()", "invalid-arity"),
        ("abs(`1`, `2`)", "invalid-arity"), ("not_null()", "invalid-arity"), ("merge()", "invalid-arity"),
        ("list[::0]", "invalid-value"), ("unheard_of(", "syntax"), ("abs(`1`, `2`) |", "syntax"),
    ])
    func errorsIndependentOfTheDocumentAreReportedAtCompilation(expression: String, code: String) {
        let error = #expect(throws: JMESPathError.self) { try JMESPath(expression) }
        #expect(error?.code == code)
    }

    @Test func anErrorQuotesNothingOfTheDocument() {
        let error = #expect(throws: JMESPathError.self) {
            try JMESPath("abs(name)").evaluate(on: ["name": "Secret"])
        }
        #expect(error?.description == "invalid-type: abs() takes a number.")
    }

    @Test func manyMembersAndNamesThatLookAlikeAreKeptApart() throws {
        var object = JSONObject()
        for number in 0..<50 { object["m\(number)"] = .number(JSONNumber(number)) }
        object["K"] = "latin"
        #expect(try JMESPath("m49").evaluate(on: .object(object)) == 49)
        #expect(try JMESPath("\"\u{212A}\"").evaluate(on: .object(object)) == .null)
        #expect(Asked.jmesPath("merge(@, `{\"é\": 2}`) | length(@)", "{\"e\u{301}\": 1}") == "2")
    }
}
