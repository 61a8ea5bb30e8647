import JSONQuery
import Testing

/// The language as Json.NET 12 reads it, by feature; the recorded results are compared if they are present.
@Suite struct JSONPathTests {
    static let document = """
        {"a":{"b":[1,2.50,3,4,5],"c":{"b":"deep"}},"$v":"dollar","x y":"space","e":[],"o":{"p":null,"q":"1,5"},
         "list":[{"n":1,"t":"ab"},{"n":2.0,"t":"B"},{"n":"3"},{"m":{"n":9}},null,7,"text"],"it's":1,"*":"star"}
        """

    @Test(arguments: [
        // Names.
        ("$.a.c.b", "[\"deep\"]"), ("a.c.b", "[\"deep\"]"), (".a.c.b", "[\"deep\"]"), ("$['a']['c'].b", "[\"deep\"]"),
        ("['a'].c.b", "[\"deep\"]"),
        ("$v", "[\"dollar\"]"), ("$['x y']", "[\"space\"]"), ("$['a','$v','nothing','e'].c.b", "[\"deep\"]"),
        ("$['it\\'s']", "[1]"),
        ("$['*']", "[\"star\"]"), ("$.a.c.*", "[\"deep\"]"), ("$.nothing.b", "[]"), ("$.a('c').b", "[\"deep\"]"),
        ("$.a.c.b ", "[\"deep\"]"),
        ("$.*.c.b", "[\"deep\"]"), ("$.a . ", "syntax"), ("$.a.c.b\u{A0}", "[\"deep\"]"),
        // Indexes, lists and slices.
        ("$.a.b[0]", "[1]"), ("$.a.b[ 1 ]", "[2.50]"), ("$.a.b[9]", "[]"), ("$.a.b[-1]", "negative-index"),
        ("$.a[-1]", "[]"),
        ("$.a.b[2,0,9]", "[3,1]"), ("$.a.b[1:3]", "[2.50,3]"), ("$.a.b[::2]", "[1,3,5]"), ("$.a.b[-2:]", "[4,5]"),
        ("$.a.b[:-3]", "[1,2.50]"),
        ("$.a.b[::-1]", "[5,4,3,2.50,1]"), ("$.a.b[3:0:-2]", "[4,2.50]"), ("$.a.b[-99:99]", "[1,2.50,3,4,5]"),
        ("$.a.b[99::-2]", "[5,3,1]"),
        ("$.a.b[3:1]", "[]"), ("$.nothing[::0]", "zero-step"), ("$.a.b[0:4:2:3]", "[1,4]"),
        ("$.a.b[*]", "[1,2.50,3,4,5]"), ("$.a[*]", "[]"),
        ("$.a.b[1:2,3]", "[3,4]"), ("$.a.b(0)", "[1]"), ("$.a.b[2147483647]", "[]"),
        // Descents; an index does not end them.
        ("$..b", "[[1,2.50,3,4,5],\"deep\"]"), ("$...b", "[[1,2.50,3,4,5],\"deep\"]"),
        ("$..['b','p']", "[[1,2.50,3,4,5],\"deep\",null]"),
        ("$.list..n", "[1,2.0,\"3\",9]"), ("$.a.c..*", "[{\"b\":\"deep\"},\"deep\"]"), ("$.e..*", "[[]]"),
        ("$.list..[3].n", "[9]"),
        ("$.list..[3]['n']", "[9]"), ("$..a..b..c", "[]"),
        // Filters: existence and comparisons.
        ("$.list[?(@.n)].n", "[1,2.0,\"3\"]"), ("$.list[?(@n)].n", "[1,2.0,\"3\"]"),
        ("$.list[?(@.m.n == 9)].m.n", "[9]"),
        ("$.list[?(@.n == 2)].n", "[2.0]"), ("$.list[?(@.n === 2)].n", "[2.0]"), ("$.list[?(@.n == '3')].n", "[\"3\"]"),
        ("$.list[?(@.n == 3)].n", "[]"),
        ("$.list[?(@.n != 1)].n", "[2.0,\"3\"]"), ("$.list[?(@.n <> 1)].n", "[2.0,\"3\"]"),
        ("$.list[?(@.m != 1)].m.n", "[9]"),
        ("$.list[?(@.m !== 1)].m.n", "[]"), ("$.list[?(@.n !== '1')].n", "[1,2.0,\"3\"]"),
        ("$.list[?(@.n >= 2)].n", "[2.0,\"3\"]"),
        ("$.list[?(2 < @.n)].n", "[\"3\"]"), ("$.list[?(@.n > 'a')].n", "not-comparable"),
        ("$.list[?(@.n > '0')].n", "[1,2.0,\"3\"]"),
        ("$.list[?(@.n > 0.5)].n", "[1,2.0,\"3\"]"), ("$.list[?(@.t < 'a')].t", "[\"B\"]"),
        ("$.list[?(@.t > 1)]", "not-comparable"),
        ("$.list[?(@.n > null)].n", "[1,2.0,\"3\"]"), ("$.list[?(@.n == $.list[0].n)].n", "[1]"),
        ("$.list[?($.list[1].n == 2)] ", "@list"),
        ("$.list[?(@ == null)]", "[null]"), ("$.list[?(@ == 7)]", "[7]"), ("$.list[?(@ == 'text')]", "[\"text\"]"),
        ("$.list[?(@.n == 1 || @.n == 2)].n", "[1,2.0]"), ("$.list[?(@.n && @.t)].n", "[1,2.0]"),
        ("$.list[?(@.n == 1 && @.t == 'x' || @.n == 2)].n", "[]"),
        ("$.list[?(@.n == 1 || @.t == 'B' && @.n == 2)].n", "[1,2.0]"),
        ("$.list[?(@.n == 2 || @.n == 1 && @.t == 'x')].n", "[2.0]"), ("$.list[?(@.n == 9 @.n == 1)].n", "[1]"),
        ("$.list[?(true == true)]", "@list"), ("$.list[?(@['n'] == 1)].t", "[\"ab\"]"),
        ("$.list[?(@.m[?(@ == 9)])].m.n", "[]"),
        ("$.list[?(@..n == 9)].m.n", "[9]"), ("$.list[?( @.n==1 )].n", "[1]"), ("$.list[?(@.n==1&&@.t)].n", "syntax"),
        // A filter on an object tests its members, which are all not values.
        ("$.a[?(@.b)]", "[]"), ("$.a[?(@)]", "member-found"), ("$.a[?(@ != 1)]", "member-found"), ("$.a[?(@)].b", "[]"),
        ("$.a[?(@)][?(@.b)].b", "[\"deep\"]"), ("$.o[?(@ == null)]", "[]"), ("$.a[?(@..b)]..b", "[\"deep\"]"),
        // After a descent it tests everything, the value itself included.
        ("$..[?(@.b)].b", "[[1,2.50,3,4,5],\"deep\",\"deep\"]"), ("$..[?(@ == 'deep')]", "[\"deep\"]"),
        ("$..[?(@.a)].$v", "[\"dollar\"]"),
        ("$.a..[?(@ > 4)]", "not-comparable"), ("$.a.b..[?(@ > 4)]", "[5]"),
        ("$.a.c..[?(@.b)][?(@.b)].b", "[\"deep\"]"),
        // Texts as .NET reads numbers.
        ("$.o[?(@ > 1)]", "[]"), ("$..[?(@.q > 14.5)].q", "[\"1,5\"]"), ("$..[?(@.q > 14)].q", "not-comparable"),
    ])
    func aPathFinds(path: String, found: String) throws {
        let document = Asked.json(Self.document)
        let expected = found == "@list" ? document["list"]?.text() ?? "" : found
        #expect(Asked.jsonPath(path, Self.document) == expected, "\(path)")
    }

    @Test func emptyPathFindsTheDocument() {
        for path in ["$", "", "  ", "$. "] { #expect(Asked.jsonPath(path, "[1]") == "[[1]]", "\(path)") }
        for path in ["$ ", "$$"] { #expect(Asked.jsonPath(path, "{\"$\":1,\"$$\":2}") != "[]", "\(path)") }
    }

    @Test(arguments: [
        "$[", "$]", "$.a[", "$.a]", "$.a[]", "$.a[ ]", "$.a[0", "$.a[0,]", "$.a[,0]", "$.a[0 1]", "$.a[1-2]", "$.a[-]",
        "$.a[x]", "$.a[99999999999]",
        "$.a['b]", "$.a['b'", "$.a['b',]", "$.a['b' 'c']", "$.a['\\x']", "$.a[\"b\"]", "$.a[*", "$.a[*0]", "$.a.",
        "$.a..", "$..", "$.a b", " $", "$.a[0]b",
        "$.a)", "$.a[?", "$.a[?(", "$.a[?(@", "$.a[?(@.b", "$.a[?(@.b)", "$.a[?(@.b]", "$.a[?@.b]", "$.a[?()]",
        "$.a[?(@.b &)]", "$.a[?(@.b & @.c)]",
        "$.a[?(@.b &&)]", "$.a[?(@.b && )]", "$.a[?(@.b == )]", "$.a[?(@.b = 1)]", "$.a[?(@.b == x)]",
        "$.a[?(@.b == 1x)]", "$.a[?(@.b == 1,5)]",
        "$.a[?(@.b == 99999999999999999999)]", "$.a[?((@.b))]", "$.a[?(@.)]", "$.a[?(@.b =~ /x)]", "$.a[?(@.b == 'x)]",
        "$.a[?(@.b == tru)]",
        "$.a[?(@.b == --1)]", "$.a[?(@.b == 1.2.3)]",
    ])
    func invalidPathIsASyntaxErrorWithItsOffset(path: String) throws {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(path) }
        #expect(error?.code == "syntax", "\(path)")
        #expect((0...path.unicodeScalars.count).contains(try #require(error?.offset)), "\(path)")
    }

    @Test func numbersAreComparedExactlyWithAnyNumberOfDigits() {
        let numbers = "[0.1, 0.10000000000000000000000000000000000001, 1e400, -1E+400, 12345678901234567890123, 100e-2]"
        #expect(Asked.jsonPath("$[?(@ == 0.1)]", numbers) == "[0.1]")
        #expect(Asked.jsonPath("$[?(@ > 1e399)]", numbers) == "[1e400]")
        #expect(Asked.jsonPath("$[?(@ < -1)]", numbers) == "[-1E+400]")
        #expect(Asked.jsonPath("$[?(@ == 1)]", numbers) == "[100e-2]")
        #expect(Asked.jsonPath("$[?(@ > 12345678901234567890122.5)]", numbers) == "[1e400,12345678901234567890123]")
        #expect(Asked.jsonPath("$[?(@ > true)]", "[2, 1]") == "[2]")
        #expect(Asked.jsonPath("$[?(@ == 1)]", "[true]") == "[]")
        #expect(Asked.jsonPath("$[?(@ > 1)]", "[true]") == "not-comparable")
        #expect(Asked.jsonPath("$[?(@ < true)]", "[\" False \"]") == "[\" False \"]")
    }

    /// Nearly all filters compare a member with a number; the result is that of the same comparison in a condition.
    @Test(arguments: ["==", "===", "!=", "!==", "<>", "<", "<=", ">", ">="])
    func comparisonWithANumberIsTheSameAloneAndInACondition(comparison: String) {
        for value in ["1", "2", "2.0", "20e-1", "-3", "\"2\"", "\"x\"", "true", "null", "[2]", "{\"a\":2}"] {
            for number in ["2", "2.0", "-1"] {
                let document = "[{\"n\":\(value)},{\"m\":2},2,null]"
                let condition = "@.n \(comparison) \(number)"
                #expect(
                    Asked.jsonPath("$[?(\(condition))]", document)
                        == Asked.jsonPath("$[?(\(condition) && 1 == 1)]", document), "\(condition) of \(value)")
            }
        }
    }

    @Test func existenceTestStopsAtTheFirstMatch() {
        // The second element is not comparable.
        #expect(Asked.jsonPath("$[?(@[?(@ > 1)])]", "[[2, \"x\"]]") == "[[2,\"x\"]]")
        #expect(Asked.jsonPath("$[?(@[?(@ > 1)])]", "[[\"x\", 2]]") == "not-comparable")
    }

    @Test func anErrorQuotesNothingOfTheDocument() {
        let error = #expect(throws: JSONPathError.self) {
            try JSONPath("$[?(@ > 1)]").evaluate(on: ["Secret"])
        }
        #expect(error?.message.contains("Secret") == false)
    }
}
