import JSONQuery
import Testing

@Suite struct JMESPathFunctionTests {
    static let document = """
        {"numbers":[3,-1.50,2e1],"texts":["b","a","ab"],"mixed":[1,"a"],"object":{"x":1,"y":[2]},
         "people":[{"name":"x","age":30},{"name":"y","age":20},{"name":"z","age":20.0}],"text":"häß\u{1F525}","null":null}
        """

    @Test(arguments: [
        ("abs(`-1.50`)", "1.50"), ("abs(`0`)", "0"), ("abs(`-1e400`)", "1e400"),
        ("ceil(`1.01`)", "2"), ("ceil(`-1.9`)", "-1"), ("ceil(`2.0`)", "2"), ("ceil(`1e3`)", "1000"),
        ("floor(`-1.01`)", "-2"),
        ("floor(`1.99`)", "1"), ("floor(`-2.00`)", "-2"), ("floor(`-0.5`)", "-1"), ("ceil(`-0.5`)", "0"),
        ("avg(numbers)", "7.1666666666666666666666666666666666667"), ("avg(`[1, 2]`)", "1.5"), ("avg(`[]`)", "null"),
        ("sum(`[0.1, 0.2]`)", "0.3"), ("sum(`[]`)", "0"), ("sum(`[9223372036854775807, 1]`)", "9223372036854775808"),
        ("sum(`[1e21, 1]`)", "1000000000000000000001"),
        ("contains('foobar', 'oba')", "true"), ("contains('aab', 'aaa')", "false"),
        ("contains('ababac', 'abac')", "true"),
        ("contains(texts, 'a')", "true"), ("contains(numbers, `3.0`)", "true"), ("contains('a', `1`)", "false"),
        ("contains('', '')", "true"),
        ("contains('é', 'e')", "false"), ("contains('e\u{301}', 'e')", "true"),
        ("starts_with('foobar', 'foo')", "true"), ("starts_with('f', 'foo')", "false"),
        ("ends_with('foobar', 'bar')", "true"),
        ("ends_with('r', 'bar')", "false"), ("ends_with('a', '')", "true"),
        ("join('-', texts)", "\"b-a-ab\""), ("join('', `[]`)", "\"\""),
        ("keys(object)", "[\"x\",\"y\"]"), ("values(object)", "[1,[2]]"), ("length(text)", "4"),
        ("length(object)", "2"),
        ("length(numbers)", "3"), ("map(&age, people)", "[30,20,20.0]"), ("map(&nothing, people)", "[null,null,null]"),
        ("max(numbers)", "2e1"), ("min(numbers)", "-1.50"), ("max(texts)", "\"b\""), ("min(texts)", "\"a\""),
        ("max(`[]`)", "null"),
        ("max_by(people, &age).name", "\"x\""), ("min_by(people, &age).name", "\"y\""),
        ("max_by(people, &name).name", "\"z\""),
        ("min_by(`[]`, &a)", "null"), ("merge(object, `{\"x\": 2, \"z\": 3}`)", "{\"x\":2,\"y\":[2],\"z\":3}"),
        ("merge(`{}`)", "{}"),
        ("not_null(nothing, \"null\", text)", "\"häß\u{1F525}\""), ("not_null(nothing)", "null"),
        ("reverse(numbers)", "[2e1,-1.50,3]"), ("reverse(text)", "\"\u{1F525}ßäh\""),
        ("sort(numbers)", "[-1.50,3,2e1]"),
        ("sort(texts)", "[\"a\",\"ab\",\"b\"]"),
        ("sort(`[\"\u{FF5E}\", \"\u{1F525}\"]`)", "[\"\u{FF5E}\",\"\u{1F525}\"]"),
        ("sort_by(people, &age)[*].name", "[\"y\",\"z\",\"x\"]"), ("sort(`[]`)", "[]"), ("sort_by(`[]`, &a)", "[]"),
        ("to_array(`1`)", "[1]"), ("to_array(texts) | length(@)", "3"), ("to_array(nothing)", "[null]"),
        ("to_number('1.50')", "1.50"), ("to_number('01')", "null"), ("to_number(' 1')", "null"),
        ("to_number('0x1')", "null"),
        ("to_number(`2`)", "2"), ("to_number(`true`)", "null"), ("to_string(`1.50`)", "\"1.50\""),
        ("to_string('a')", "\"a\""),
        ("to_string(object)", "\"{\\\"x\\\":1,\\\"y\\\":[2]}\""), ("to_string(nothing)", "\"null\""),
        (
            "[type('a'), type(`1`), type(`true`), type(`null`), type(`[]`), type(`{}`)]",
            "[\"string\",\"number\",\"boolean\",\"null\",\"array\",\"object\"]"
        ),
    ])
    func aFunctionGivesItsValue(expression: String, value: String) {
        #expect(Asked.jmesPath(expression, Self.document) == value, "\(expression)")
    }

    @Test(arguments: [
        "abs('a')", "avg(texts)", "avg('a')", "ceil(`null`)", "contains(`1`, 'a')", "ends_with(`1`, 'a')",
        "starts_with('a', `1`)",
        "join(`1`, texts)", "join('-', mixed)", "join('-', 'a')", "keys(texts)", "values(`1`)", "length(`1`)",
        "map(age, people)",
        "map(&age, object)", "max(mixed)", "min(`[true]`)", "max_by(people, age)", "max_by(people, &nothing)",
        "min_by('a', &b)", "merge(`1`)",
        "reverse(`1`)", "sort(mixed)", "sort(`[null]`)", "sort_by(people, &@)", "sum(`[\"1\"]`)", "abs(&a)",
        "not_null(&a)", "add('1', `2`)",
        "insertString('a', 'b', 'c')", "insertString('a', 'b', `0.5`)", "fromUnixTimestamp('0')",
        "fromUnixTimestamp(`0.5`)",
    ])
    func wrongArgumentIsAnInvalidType(expression: String) {
        #expect(Asked.jmesPath(expression, Self.document) == "invalid-type", "\(expression)")
    }

    /// <https://github.com/microsoft/iomt-fhir/blob/main/docs/CustomFunctions.md>
    @Test(arguments: [
        ("add(`1.10`, `2`)", "3.1"), ("add(`0.1`, `0.2`)", "0.3"), ("subtract(`1`, `1e-3`)", "0.999"),
        ("multiply(`78`, `0.0254`)", "1.9812"), ("divide(`40`, `50`)", "0.8"),
        ("divide(`-1`, `3`)", "-0.33333333333333333333333333333333333333"),
        ("divide(`1`, `0.0`)", "divide-by-zero"), ("pow(`10`, `10`)", "10000000000"), ("pow(`100`, `0.5`)", "10"),
        ("pow(`2`, `-2`)", "0.25"),
        ("pow(`0`, `0`)", "1"), ("pow(`0`, `-1`)", "divide-by-zero"), ("pow(`-8`, `0.5`)", "invalid-value"),
        ("pow(`40`, `50`)", "overflow"),
        ("pow(`1.5`, `3`)", "3.375"), ("pow(`-2`, `63`)", "-9223372036854775808"), ("pow(`2`, `63`)", "overflow"),
        ("pow(`1`, `99999999999`)", "1"), ("pow(`0.5`, `1e300`)", "0"), ("pow(`10`, `1e300`)", "overflow"),
        ("add(`9223372036854775807`, `1`)", "overflow"), ("add(`9223372036854775807`, `0`)", "9223372036854775807"),
        ("subtract(`-9223372036854775808`, `1`)", "overflow"), ("multiply(`1e200`, `1e-200`)", "1"),
        ("add(`1e999`, `1`)", "out-of-range"),
        ("insertString('mple', 'sa', `0`)", "\"sample\""), ("insertString('suess', 'cc', `2.0`)", "\"success\""),
        ("insertString('a', 'b', `2`)", "out-of-range"), ("insertString('a', 'b', `-1`)", "out-of-range"),
        ("insertString('\u{1F525}', 'b', `1`)", "out-of-range"),
        ("insertString('\u{1F525}', 'b', `2`)", "\"\u{1F525}b\""),
        ("insertString('a', 'b', `1e30`)", "out-of-range"),
        ("fromUnixTimestamp(`1625677200`)", "\"2021-07-07T17:00:00+0\""),
        ("fromUnixTimestamp(`-1`)", "\"1969-12-31T23:59:59+0\""),
        ("fromUnixTimestampMs(`1626799080123`)", "\"2021-07-20T16:38:00.123+0\""),
        ("fromUnixTimestampMs(`0`)", "\"1970-01-01T00:00:00+0\""),
        ("fromUnixTimestamp(`253402300799`)", "\"9999-12-31T23:59:59+0\""),
        ("fromUnixTimestamp(`253402300800`)", "out-of-range"),
        ("fromUnixTimestamp(`-62135596800`)", "\"0001-01-01T00:00:00+0\""),
        ("fromUnixTimestamp(`-62135596801`)", "out-of-range"),
        ("fromUnixTimestampMs(ceil(multiply(`1549061161875000000`, `0.000001`)))", "\"2019-02-01T22:46:01.875+0\""),
    ])
    func aFunctionOfDeviceMappingTemplatesGivesItsValue(expression: String, value: String) {
        #expect(Asked.jmesPath(expression) == value, "\(expression)")
    }
}
