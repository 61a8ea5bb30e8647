import FHIR

/// Decides by type and form whether an identifier contains a name, an email address, a telephone number or a number
/// that a state, an insurer or a hospital assigned to a person.
enum IdentifyingText {
    /// HL7's types of identifiers that 45 CFR 164.514(b)(2)(i) lists: social security, medical record, health plan,
    /// account, licence and passport numbers (<https://terminology.hl7.org/CodeSystem-v2-0203.html>).
    private static let types: Set<String> = [
        "AN", "BRN", "DL", "MA", "MB", "MC", "MR", "NH", "NI", "NNUSA", "PPN", "SB", "SN", "SS",
    ]
    /// Parts of the systems of such numbers.
    private static let systems = [
        "us-ssn", "us-mbi", "us-medicare", "us-dl", "2.16.840.1.113883.4.1", "2.16.840.1.113883.4.3.", "passport",
    ]

    static func isIdentifying(identifier: JSON) -> Bool {
        let codes = identifier["type"]?["coding"]?.array ?? []
        if codes.contains(where: { $0["code"]?.string.map(types.contains) ?? false }) { return true }
        if let system = identifier["system"]?.string?.lowercased() {
            if system.hasPrefix("mailto:") || system.hasPrefix("tel:") { return true }
            if systems.contains(where: { system.hasSuffix($0) || $0.hasSuffix(".") && system.contains($0) }) {
                return true
            }
        }
        if let display = identifier["assigner"]?["display"]?.string, isName(display), identifier["value"] == nil {
            return true
        }
        return identifier["value"]?.string.map(isIdentifying(value:)) ?? false
    }

    /// Whether a text has the form of a name, an email address, a telephone number or a social security number. A UUID
    /// and a code such as `p-0017` do not.
    static func isIdentifying(value: String) -> Bool {
        isMailAddress(value) || isNumberOfPerson(value) || isName(value)
    }

    private static func isMailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
    }

    /// Whether a text consists of digits with or without separators: a social security number has nine, a telephone
    /// number up to fifteen (ITU-T E.164). Seven or eight digits must be formatted as a telephone number.
    private static func isNumberOfPerson(_ text: String) -> Bool {
        var digits = 0
        var groups = 0
        var isInGroup = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if !isInGroup { groups += 1 }
                isInGroup = true
            case UInt8(ascii: "+"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "-"), UInt8(ascii: " "),
                UInt8(ascii: "."), UInt8(ascii: "/"):
                isInGroup = false
            default: return false
            }
        }
        return (9...15).contains(digits) || (7...8).contains(digits) && (groups > 1 || text.hasPrefix("+"))
    }

    /// Whether a text consists of two to eight words of letters, as in `Anna Muster` and `Muster, Anna`.
    private static func isName(_ text: String) -> Bool {
        let words = text.split { $0 == " " || $0 == "," || $0 == "\u{A0}" || $0 == "\t" }
        guard (2...8).contains(words.count) else { return false }
        return words.allSatisfy { word in
            word.allSatisfy { $0.isLetter || $0 == "." || $0 == "-" || $0 == "'" || $0 == "’" }
        }
    }
}
