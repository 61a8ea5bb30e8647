import JSONQuery
import TestSupport
import Testing

/// Patterns of `=~` in .NET's syntax.
@Suite struct PatternTests {
    private func answer(_ pattern: String, _ text: String) -> String {
        Asked.jsonPath("$[?(@ =~ \(pattern))]", JSON.array([.string(text)]).text())
    }

    @Test(arguments: [
        ("/in.*/", "main", true), ("/^in/", "main", false), ("/run|walk/", "walking", true), ("/RUN/i", "run", true),
        ("/RUN/", "run", false),
        ("/^a.c$/", "abc", true), ("/^a.c$/", "a\nc", false), ("/^a.c$/s", "a\nc", true), ("/^b$/", "a\nb\nc", false),
        ("/^b$/m", "a\nb\nc", true),
        ("/b$/", "ab\n", true), ("/b\\z/", "ab\n", false), ("/b\\Z/", "ab\n", true), ("/\\Ab/m", "a\nb", false),
        ("/^$/", "", true), ("//", "x", true),
        ("/[a-c]+x/", "bbx", true), ("/[^a-c]/", "abc", false), ("/[]a]/", "]", true), ("/[a-z-[aeiou]]/", "e", false),
        ("/[a-z-[aeiou]]/", "f", true),
        ("/[\\d-]/", "-", true), ("/[A-C]/i", "b", true), ("/\\d{2,3}$/", "a12", true), ("/^\\d{2,3}$/", "1234", false),
        ("/^a{2}$/", "aa", true),
        ("/^a{2,}$/", "aaaa", true), ("/a{x}/", "a{x}", true), ("/^(ab)*$/", "ababab", true),
        ("/^(?:a|ab)(?<n>c)$/", "abc", true),
        ("/^(?i)AB(?-i)c$/", "abc", true), ("/^(?i:A)b$/", "aB", false), ("/a(?#no)b/", "ab", true),
        ("/\\bcat\\b/", "a cat!", true),
        ("/\\bcat\\b/", "concat", false), ("/\\Bcat/", "concat", true), ("/\\x41\\u0042\\t/", "AB\t", true),
        ("/\\p{Lu}/", "é", false), ("/\\P{Lu}/", "é", true),
        ("/^\\w+$/", "häß_1", true), ("/\\W/", "a-b", true), ("/\\s\\S/", " a", true), ("/a\\/b/", "a/b", true),
        ("/É/i", "é", true), ("/^a*?b??$/", "aab", true),
        ("/^(a|)*$/", "aa", true), ("/(())*b/", "b", true), ("/^((a*)*)*$/", "aaaa", true), ("/^(a?){3}$/", "aa", true),
        ("/[\\b]/", "\u{8}", true),
        ("/\\cA\\e\\0/", "\u{1}\u{1B}\u{0}", true), ("/x/qz", "x", true), ("/^..$/", "\u{1F525}", true),
        ("/\u{1F525}+/", "\u{1F525}", true),
        ("'/a/'", "ba", true),
    ])
    func aPatternMatchesAsInNET(pattern: String, text: String, isFound: Bool) {
        let expected = isFound ? JSON.array([.string(text)]).text() : "[]"
        #expect(answer(pattern, text) == expected, "\(pattern) on \(text)")
    }

    @Test(arguments: [
        "/(/", "/a)/", "/*a/", "/a**/", "/a{3,2}/", "/[b-a]/", "/[a/", "/\\q/", "/\\x4/", "/\\p{Lu/", "/(?<n/",
        "/(?z)/", "/(?#/", "'no slash'", "/{2}/",
    ])
    func invalidPatternIsRefusedOnItsFirstUse(pattern: String) {
        #expect(answer(pattern, "x") == "invalid-pattern", "\(pattern)")
        // As Json.NET, which compiles a pattern at the first text.
        #expect(Asked.jsonPath("$[?(@ =~ \(pattern))]", "[1, null]") == "[]")
    }

    @Test(arguments: [
        "/(?=a)/", "/(?!a)/", "/(?<=a)/", "/(?<!a)/", "/(?>a)/", "/(a)\\1/", "/(?<n>a)\\k<n>/", "/(?(a)b)/",
        "/(?<a-b>c)/", "/\\p{IsGreek}/",
        "/(?x) a/", "/(a{50}){50}/", "/a{99999}/", "/(((a{9}){9}){9}){9}/",
    ])
    func patternWithoutLinearTimeIsUnsupported(pattern: String) {
        #expect(answer(pattern, "x") == "unsupported-pattern", "\(pattern)")
    }

    @Test func aPatternOfTheDocumentIsCompiledToo() {
        #expect(Asked.jsonPath("$.v[?(@ =~ $.p)]", #"{"p":"/^a/i","v":["Ab","b"]}"#) == "[\"Ab\"]")
    }

    /// A backtracking matcher needs exponential time for each of them.
    @Test(arguments: ["/(a+)+$/", "/(a|aa)+$/", "/(a*)*b/", "/(.*a){12}b/", "/(a?){30}a{30}b/"])
    func patternsThatMakeBacktrackingHangTakeLinearTime(pattern: String) throws {
        let path = try JSONPath("$[?(@ =~ \(pattern))]")
        let growth = Growth.of(from: 500) { size in
            JSON.array([.string(String(repeating: "a", count: min(size, 20_000)) + "!")])
        } _: { document in
            _ = try? path.evaluate(on: document)
        }
        #expect(growth.factor < 6, "\(growth)")
    }
}
