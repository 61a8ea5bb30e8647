/// A definition's version that can be compared with its other versions
/// (<https://hl7.org/fhir/R4/resource.html#versions>).
///
/// FHIR leaves the numbering to authors. Numbers in a version are compared as numbers and words as words, so that
/// `1.10` comes after `1.9`, `1.0` after `1.0-beta`, and dates are in their order. A missing version comes before any
/// version that begins with a number.
public struct BusinessVersion: Sendable, Comparable {
    private let parts: [Part]

    /// A sequence of digits or letters in a version, or its end: `1.0-beta` comes before `1.0`, and that before
    /// `1.0.1`.
    private enum Part: Sendable, Comparable {
        case word(String)
        case end
        case number(digits: Int, String)
    }

    /// Reads a version; `v10` has a word and a number.
    public init(_ text: String?) {
        var parts: [Part] = []
        var rest = Substring(text ?? "")
        while let first = rest.first {
            let run = rest.prefix { $0.isLetter == first.isLetter && $0.isNumber == first.isNumber }
            rest = rest[run.endIndex...]
            if first.isLetter { parts.append(.word(run.lowercased())) }
            guard first.isNumber else { continue }
            let digits = run.drop { $0 == "0" }
            parts.append(.number(digits: digits.count, String(digits)))
        }
        self.parts = parts + [.end]
    }

    public static func < (left: BusinessVersion, right: BusinessVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
