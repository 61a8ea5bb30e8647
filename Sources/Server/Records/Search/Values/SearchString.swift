import Foundation

/// A value of a string parameter (<https://hl7.org/fhir/R4/search.html#string>).
struct SearchString: Sendable, Hashable {
    /// The text as it stands, as ``SearchIndex/indexed(_:)`` has it: what `:exact` compares.
    let exact: String
    /// Without case, accents, punctuation and needless spaces: what is looked for by its begin or a part.
    let folded: String

    /// So many bytes of a folded text are kept: less than a key of PostgreSQL's index holds.
    static let longest = 2_000

    /// nil for a text that is empty or that no column holds.
    init?(_ text: String) {
        guard !text.isEmpty, !SearchToken.hasZero(text) else { return nil }
        exact = SearchIndex.indexed(text)
        folded = SearchString.shortened(SearchString.fold(text), to: SearchString.longest)
    }

    /// The begin of a text, of so many bytes at most.
    static func shortened(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: count)
        // A scalar is whole or not there.
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    // MARK: Folding

    /// A text as string searches compare it: lower case, no combining characters, no punctuation, one space for many.
    ///
    /// A text that is all punctuation keeps it, so that it can be told from the empty text, which every text begins with.
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
            // By the upper case `ß` is `ss`, and the two small sigmas are one.
            output.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
        }
        return String(output)
    }

    /// The folded text; nil where it has other characters than those of ASCII.
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

    /// Whether Unicode calls an ASCII character punctuation; `$ + < = > ^ ` | ~` are symbols.
    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x23, 0x25...0x2A, 0x2C...0x2F, 0x3A, 0x3B, 0x3F, 0x40, 0x5B...0x5D, 0x5F, 0x7B, 0x7D: true
        default: false
        }
    }
}
