import FHIR
import Foundation

/// Checks one answer against its question.
enum AnswerCheck {
    typealias Finding = (code: String, message: String)

    /// What makes the answer wrong.
    static func problems(of value: AnswerValue, for item: FormItem) -> [Finding] {
        guard item.type != .question else {
            return [("item-type-abstract", "An item of the abstract type question takes no answer.")]
        }
        guard isOfType(value, item) else {
            return [
                ("answer-type", "The answer must be of the type \(item.type.answerTypes.joined(separator: " or ")).")
            ]
        }
        if let finding = form(of: value) { return [finding] }
        var findings: [Finding] = []
        findings += text(value, item)
        findings += range(value, item)
        findings += options(value, item)
        findings += units(value, item)
        findings += attachment(value, item)
        findings += reference(value, item)
        if item.type == .url, let finding = url(value.json.string ?? "") { findings.append(finding) }
        if let words = item.limits.validationText {
            findings = findings.map { $0.code == "regex" ? ($0.code, words) : $0 }
        }
        return findings
    }

    /// What cannot be checked here.
    static func warnings(of value: AnswerValue, for item: FormItem) -> [Finding] {
        guard value.type == "Quantity", let limit = item.limits.minimum ?? item.limits.maximum,
            limit.type == "Quantity",
            value.json["code"] == nil, value.json["unit"] == nil
        else { return [] }
        return [("unit-missing", "The quantity has no unit, so its limits cannot be checked with certainty.")]
    }

    /// Integer options on a choice and the like: an option's own type is an answer's type too.
    private static func isOfType(_ value: AnswerValue, _ item: FormItem) -> Bool {
        if item.type.answerTypes.contains(value.type) { return true }
        guard item.type == .choice || item.type == .openChoice, let options = item.options else { return false }
        return options.contains { $0.value.type == value.type }
    }

    /// Whether the JSON is what the type says (<https://hl7.org/fhir/R4/datatypes.html>).
    private static func form(of value: AnswerValue) -> Finding? {
        func malformed() -> Finding { ("answer-malformed", "The answer is not written as its type asks.") }
        switch value.type {
        case "Boolean": return value.json.bool == nil ? malformed() : nil
        case "Integer": return value.json.number?.integer == nil ? malformed() : nil
        case "Decimal": return value.json.number == nil ? malformed() : nil
        case "Date":
            guard let date = value.json.string.flatMap({ DateTime($0) }), date.precision <= .day else {
                return malformed()
            }
            return nil
        case "DateTime": return value.json.string.flatMap { DateTime($0) } == nil ? malformed() : nil
        case "Time": return value.json.string.flatMap { TimeOfDay($0) } == nil ? malformed() : nil
        case "String", "Uri": return (value.json.string ?? "").isEmpty ? malformed() : nil
        case "Coding":
            return value.json["code"]?.string == nil && value.json["display"]?.string == nil ? malformed() : nil
        default: return value.json.object.map(\.isEmpty) ?? true ? malformed() : nil
        }
    }

    private static func text(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        var findings: [Finding] = []
        guard let text = value.json.string ?? value.json.number?.text else { return [] }
        if value.type == "String" || value.type == "Uri" || value.json.number != nil {
            if let most = item.limits.maxLength, text.unicodeScalars.count > most {
                findings.append(("max-length", "The answer is longer than \(most) characters."))
            }
        }
        guard value.type == "String" || value.type == "Uri" else { return findings }
        if let least = item.limits.minLength, text.unicodeScalars.count < least {
            findings.append(("min-length", "The answer is shorter than \(least) characters."))
        }
        if item.type == .string, text.contains(where: \.isNewline) {
            findings.append(("newline", "The answer must be on one line."))
        }
        if let pattern = item.limits.regex {
            switch WholeMatch.matches(text, pattern) {
            case .some(false): findings.append(("regex", "The answer has not the form that is asked for."))
            case .none:
                findings.append(("regex-invalid", "The form's pattern cannot be read; the answer is not checked."))
            case .some(true): break
            }
        }
        return findings
    }

    private static func range(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        var findings: [Finding] = []
        for (limit, isLeast) in [(item.limits.minimum, true), (item.limits.maximum, false)] {
            guard let limit else { continue }
            guard let order = compare(value, limit) else {
                if value.type == "Quantity", limit.type == "Quantity" {
                    findings.append(
                        (
                            isLeast ? "min-value-unit" : "max-value-unit",
                            "The answer's unit cannot be compared with that of the limit."
                        ))
                }
                continue
            }
            if isLeast, order == .orderedAscending {
                findings.append(("min-value", "The answer is below the least value."))
            }
            if !isLeast, order == .orderedDescending {
                findings.append(("max-value", "The answer is above the greatest value."))
            }
        }
        if let places = item.limits.maxDecimalPlaces, let number = value.json.number ?? value.json["value"]?.number {
            let mantissa = number.text.prefix { $0 != "e" && $0 != "E" }
            let shown = mantissa.split(separator: ".").dropFirst().first?.count ?? 0
            if shown > places {
                findings.append(("decimal-places", "The answer has more than \(places) decimal places."))
            }
        }
        return findings
    }

    /// A limit may be a bare number where the answer is a quantity.
    private static func compare(_ value: AnswerValue, _ limit: AnswerValue) -> ComparisonResult? {
        if value.type == "Quantity", limit.type != "Quantity", let left = value.number, let right = limit.number {
            return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        }
        return value.compare(limit)
    }

    private static func options(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard let options = item.options, !options.isEmpty else { return [] }
        if item.type == .openChoice, value.type == "String" { return [] }
        guard !options.contains(where: { value.equals($0.value) }) else { return [] }
        return [("option", "The answer is none of those that the question offers.")]
    }

    private static func units(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Quantity" else { return [] }
        let limits = item.limits
        if !limits.units.isEmpty {
            let fits = limits.units.contains { unit in
                if let code = value.json["code"]?.string {
                    return code == unit.code && (value.json["system"]?.string ?? unit.system) == unit.system
                }
                return value.json["unit"]?.string != nil
                    && [unit.code, unit.display].contains(value.json["unit"]?.string)
            }
            if !fits { return [("unit", "The answer's unit is none of those that the question takes.")] }
        }
        guard limits.hasUnitSet else { return [] }
        if value.json["code"]?.string == nil {
            return [("unit", "The answer's unit needs a code of the question's set of units.")]
        }
        return []
    }

    private static func attachment(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Attachment" else { return [] }
        var findings: [Finding] = []
        if !item.limits.mimeTypes.isEmpty, let type = value.json["contentType"]?.string,
            !item.limits.mimeTypes.contains(where: { matches(type, $0) })
        {
            findings.append(("mime-type", "Files of this type are not taken."))
        }
        let data = value.json["data"]?.string.map { Decimal(base64Bytes($0)) }
        let declared = value.json["size"]?.number?.decimal
        if let most = item.limits.maxSize, let size = [data, declared].compactMap({ $0 }).max(), size > most {
            findings.append(("max-size", "The file is larger than is taken."))
        }
        if let data, let declared, data != declared {
            findings.append(("attachment-size", "The file's size is not the one that is said."))
        }
        return findings
    }

    private static func matches(_ type: String, _ allowed: String) -> Bool {
        let essence =
            type.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? ""
        let wanted = allowed.lowercased()
        return essence == wanted || (wanted.hasSuffix("/*") && essence.hasPrefix(wanted.dropLast()))
    }

    private static func base64Bytes(_ text: String) -> Int {
        let digits = text.utf8.lazy.filter { $0 != UInt8(ascii: "=") && $0 > 0x20 }.count
        return digits * 3 / 4
    }

    private static func reference(_ value: AnswerValue, _ item: FormItem) -> [Finding] {
        guard value.type == "Reference", let reference = Reference(json: value.json) else { return [] }
        guard let text = reference.reference else {
            let isNamed = value.json["identifier"] != nil || value.json["display"] != nil
            return isNamed ? [] : [("reference", "The reference says what it refers to in no way.")]
        }
        let isKnownShape =
            reference.literal != nil || text.hasPrefix("#") || url(text) == nil && text.contains(":")
        guard isKnownShape else { return [("reference", "The reference is not written as FHIR asks.")] }
        let type = reference.literal?.type ?? value.json["type"]?.string
        guard !item.limits.referenceTypes.isEmpty, let type, !item.limits.referenceTypes.contains(type) else {
            return []
        }
        return [("reference-type", "The question takes no reference to a resource of this type.")]
    }

    /// A URI (RFC 3986): no spaces or controls, no backslash; a UUID where `urn:uuid:` says so.
    private static func url(_ text: String) -> Finding? {
        let wrong: Finding = ("url", "The answer is not a valid URL.")
        let forbidden: Set<Character> = ["\\", "<", ">", "\"", "{", "}", "|", "^", "`"]
        guard !text.isEmpty, !text.contains(where: { $0.isWhitespace || forbidden.contains($0) }),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return wrong }
        let lower = text.lowercased()
        if lower.hasPrefix("urn:uuid:") {
            let uuid = text.dropFirst(9)
            return uuid.utf8.count == 36 && UUID(uuidString: String(uuid)) != nil && uuid == uuid.lowercased()
                ? nil : wrong
        }
        if lower.hasPrefix("urn:oid:") {
            return text.dropFirst(8).allSatisfy { $0.isNumber || $0 == "." } && text.count > 8 ? nil : wrong
        }
        return nil
    }
}

/// Patterns match whole answers. They are the form's own; a pattern that takes too long on a long answer is bounded by
/// the answer's length.
enum WholeMatch {
    /// Answers beyond this are not matched: backtracking patterns could take for ever.
    private static let longest = 2_000

    /// nil where the pattern cannot be read.
    static func matches(_ text: String, _ pattern: String) -> Bool? {
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else { return nil }
        guard text.utf16.count <= longest else { return false }
        let range = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, range: range) != nil
    }
}
