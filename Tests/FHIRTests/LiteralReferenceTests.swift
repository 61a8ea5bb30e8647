import TestSupport
import Testing

@testable import FHIR

@Suite struct LiteralReferenceTests {
    @Test(arguments: [
        ("Patient/23", "Patient", "23", nil), ("Patient/23/_history/4", "Patient", "23", nil),
        ("https://example.org/fhir/Patient/23", "Patient", "23", "https://example.org/fhir"),
        ("https://example.org/fhir/Patient/23/_history/4", "Patient", "23", "https://example.org/fhir"),
        ("http://a/Patient/1", "Patient", "1", "http://a"),
    ])
    func typeIdAndServerAreRead(text: String, type: String, id: String, base: String?) {
        let literal = LiteralReference(text)
        #expect(literal?.type == type && literal?.id == id && literal?.base == base, "\(text)")
    }

    @Test(arguments: [
        "", "#", "#a", "Patient", "Patient/", "/Patient/1", "/", "//", "urn:uuid:1/2", "patient/1", "http://X/a",
        "Patient/a b",
        "_history/1", "Patient/_history/1", "/_history", "_history", "Patient/1/", "Patient//1",
    ])
    func otherTextsAreNotReferences(text: String) { #expect(LiteralReference(text) == nil, "\(text)") }

    /// Compared with a simple parser that splits the text into its parts.
    @Test func partsAgreeWithASimpleParser() {
        var random = Seeded.fresh()
        let parts = ["Patient", "1", "_history", "", "http:", "a.b", "Group", "é"]
        for _ in 0..<5_000 {
            let chosen = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }
            let text = chosen.joined(separator: "/")
            var left = chosen
            if let history = left.lastIndex(of: "_history") { left.removeSubrange(history...) }
            let isOne =
                left.count >= 2 && Resource.isID(left[left.count - 1]) && Resource.isTypeName(left[left.count - 2])
                && (left.count < 3 || !left[left.count - 3].isEmpty)
            #expect((LiteralReference(text) != nil) == isOne, "\(text)")
            #expect(
                LiteralReference(text)?.base
                    == (isOne && left.count > 2 ? left.dropLast(2).joined(separator: "/") : nil))
        }
    }
}
