import FHIRPath
import Testing

@Suite struct TextOrderTests {
    @Test(arguments: [("a", "b", -1), ("b", "a", 1), ("a", "a", 0), ("Z", "a", -1), ("a", "ab", -1), ("", "a", -1)])
    func textsAreOrderedByTheirCharacters(left: String, right: String, order: Int) {
        #expect(TextOrder.compare(left, with: right) == order)
        #expect(Evaluation.text(of: "'\(left)' < '\(right)'") == (order < 0 ? "true" : "false"))
    }

    @Test func canonicallyEquivalentTextsHaveOneRank() {
        #expect(TextOrder.compare("\u{E9}", with: "e\u{301}") == 0)
        // A character outside of the basic plane is greater than all inside of it.
        #expect(TextOrder.compare("\u{FF5E}", with: "\u{1F600}") == -1)
    }
}
