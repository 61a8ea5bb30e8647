/// Codes that a terminology publishes, recognized by their format.
///
/// A code that a device sends may be any text, for instance a name or a diary entry. Every researcher can see the
/// ontology, so a code becomes a concept only if it cannot be such text.
enum PublishedCode {
    /// Whether the system is a well-known one and the code has its format.
    static func has(system: String?, code: String) -> Bool {
        guard let system, let format = formats[system], code.utf8.count <= maximumLength else { return false }
        var scanner = CodeScanner(code)
        return format(&scanner) && scanner.isAtEnd
    }

    /// No system below has longer codes.
    private static let maximumLength = 18

    private typealias Format = @Sendable (inout CodeScanner) -> Bool

    private static let formats: [String: Format] = [
        "http://loinc.org": { code in
            // Answers, parts, lists and groups have a prefix of two letters.
            _ = ["LA", "LP", "LL", "LG"].contains { code.skip($0) }
            return code.digits(1...7) && code.skip("-") && code.digits(1...1)
        },
        "http://snomed.info/sct": { $0.digits(6...18) },
        "http://www.nlm.nih.gov/research/umls/rxnorm": { $0.digits(1...8) },
        "http://hl7.org/fhir/sid/icd-10-cm": { code in
            guard code.letters(1...1), code.digits(1...2) else { return false }
            // The third character may be an A or a B.
            _ = code.skip("A") || code.skip("B")
            return code.tail(4)
        },
        "http://hl7.org/fhir/sid/icd-10": { $0.letters(1...1) && $0.digits(2...2) && $0.tail(2) },
        "http://hl7.org/fhir/sid/icd-9-cm": { code in
            _ = code.skip("E") || code.skip("V")
            return code.digits(2...4) && code.tail(2)
        },
        "http://hl7.org/fhir/sid/ndc": { code in
            guard code.digits(4...11) else { return false }
            if code.skip("-"), !code.digits(3...4) { return false }
            return !code.skip("-") || code.digits(1...2)
        },
        "http://hl7.org/fhir/sid/cvx": { $0.digits(1...3) },
        "http://www.ama-assn.org/go/cpt": { code in
            guard code.digits(4...5) else { return false }
            return code.isAtEnd || code.letters(1...1)
        },
        "urn:oid:2.16.840.1.113883.6.24": { $0.digits(1...10) },
        "urn:iso:std:iso:11073:10101": { $0.digits(1...10) },
        "http://www.whocc.no/atc": { code in
            guard code.letters(1...1), code.isAtEnd || code.digits(2...2) else { return false }
            return code.isAtEnd || code.letters(1...2) && (code.isAtEnd || code.digits(2...2))
        },
    ]
}

/// A scanner that reads a code from its beginning.
struct CodeScanner {
    private var rest: Substring.UTF8View

    init(_ code: String) { rest = code[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    mutating func digits(_ count: ClosedRange<Int>) -> Bool { take(count) { (0x30...0x39).contains($0) } }

    mutating func letters(_ count: ClosedRange<Int>) -> Bool { take(count) { (0x41...0x5A).contains($0) } }

    /// Reads the part that a classification of diseases may have after the category: a point with a few digits and
    /// capital letters.
    mutating func tail(_ length: Int) -> Bool {
        guard !isAtEnd else { return true }
        return skip(".") && take(1...length) { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    private mutating func take(_ count: ClosedRange<Int>, where isIn: (UInt8) -> Bool) -> Bool {
        let run = rest.prefix(count.upperBound).prefix(while: isIn).count
        guard run >= count.lowerBound else { return false }
        rest = rest.dropFirst(run)
        return true
    }
}
