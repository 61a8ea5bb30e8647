/// A member's name that is looked for in many objects: what is known of it beforehand makes each comparison short.
///
/// It is found by its code points alone, as ``ExactName`` says.
package struct WantedName: Sendable, Hashable {
    package let text: String
    private let isASCII: Bool

    package init(_ text: String) {
        self.text = text
        isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Whether another name has the same code points.
    @inline(__always)
    package func isSame(as other: String) -> Bool {
        // Most names differ in length. What looks like ASCII and is none takes more bytes.
        other.utf8.count == text.utf8.count
            && (isASCII ? other == text : other.utf8.elementsEqual(text.utf8))
    }
}
