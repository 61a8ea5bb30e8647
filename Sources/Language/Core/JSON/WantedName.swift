/// A member's name that is looked up in many objects. Precomputed facts make each comparison short.
///
/// Names are compared by their code points, as in ``ExactName``.
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
        // Nearly all names differ in length. A non-ASCII name that looks like ASCII has more bytes.
        other.utf8.count == text.utf8.count
            && (isASCII ? other == text : other.utf8.elementsEqual(text.utf8))
    }
}
