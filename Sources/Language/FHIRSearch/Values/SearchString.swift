import Foundation

/// A value of a string parameter (<https://hl7.org/fhir/R4/search.html#string>).
package struct SearchString: Sendable, Hashable {
    /// The unfolded text, in the form of ``SearchIndex/indexed(_:)``, for `:exact`.
    package let exact: String
    /// The text without case, accents, punctuation and redundant spaces, for searches by a prefix or a part.
    package let folded: String

    /// Maximum number of bytes of a folded text: less than a key of PostgreSQL's index may have.
    package static let longest = 2_000

    /// Creates a string; nil where the text is empty, or cannot be stored in a column.
    package init?(_ text: String) {
        guard !text.isEmpty, !SearchToken.hasZero(text) else { return nil }
        exact = SearchIndex.indexed(text)
        folded = SearchString.shortened(SearchString.fold(text), to: SearchString.longest)
    }

    /// Returns the longest prefix of whole scalars, of up to `count` bytes.
    package static func shortened(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: count)
        // Never splits a scalar.
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    // MARK: Folding

    /// Folds a text for string searches: lower case, no combining characters, no punctuation, and a single space for
    /// each run of whitespace.
    ///
    /// A text of only punctuation keeps it, so that it differs from the empty text, with which every text begins.
    static func fold(_ text: String) -> String {
        let folded = fold(text, keepingPunctuation: false)
        return folded.isEmpty ? fold(text, keepingPunctuation: true) : folded
    }

    private static func fold(_ text: String, keepingPunctuation: Bool) -> String {
        if let plain = foldASCII(text, keepingPunctuation) { return plain }
        var output = String.UnicodeScalarView()
        var wantsSpace = false
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                wantsSpace = !output.isEmpty
                continue
            }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark, .control, .format: continue
            case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
                .finalPunctuation, .otherPunctuation:
                if !keepingPunctuation { continue }
            default: break
            }
            if wantsSpace {
                output.append(" ")
                wantsSpace = false
            }
            // Through the upper case, `ß` becomes `ss` and the two small sigmas become one.
            output.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
        }
        return String(output)
    }

    /// Returns the folded text; nil where it has other characters than ASCII.
    private static func foldASCII(_ text: String, _ keepingPunctuation: Bool) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { output in
                var count = 0
                var wantsSpace = false
                for byte in bytes {
                    switch byte {
                    case 0x20, 0x09...0x0D:
                        wantsSpace = count > 0
                        continue
                    case 0x00...0x1F, 0x7F: continue
                    default: break
                    }
                    if !keepingPunctuation, isPunctuation(byte) { continue }
                    if wantsSpace {
                        output[count] = 0x20
                        count += 1
                        wantsSpace = false
                    }
                    output[count] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                    count += 1
                }
                return count
            }
        }
    }

    /// Whether Unicode classifies an ASCII character as punctuation; `$ + < = > ^ ` | ~` are symbols.
    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x23, 0x25...0x2A, 0x2C...0x2F, 0x3A, 0x3B, 0x3F, 0x40, 0x5B...0x5D, 0x5F, 0x7B, 0x7D: true
        default: false
        }
    }
}
