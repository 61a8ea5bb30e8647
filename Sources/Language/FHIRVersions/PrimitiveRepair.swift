import FHIR

/// Converts primitive values to R4's format: dates and times without seconds or without a time zone are completed, and
/// numbers and booleans that are written as texts are converted.
enum PrimitiveRepair {
    /// Returns the value in R4's format, with the reason if it is changed; nil if it is not a value of the type.
    static func written(_ value: JSON, type: String) -> (JSON, reason: String?)? {
        switch (Form(type), value) {
        case (_, .null), (_, .array), (_, .object), (_, .string("")): return nil
        case (.truth, .bool): return (value, nil)
        case (.truth, .string("true")): return (true, "a truth value that was written as a text")
        case (.truth, .string("false")): return (false, "a truth value that was written as a text")
        case (.truth, _), (.number, .bool): return nil
        case (.number, .number(let number)): return isAllowed(number, type) ? (value, nil) : nil
        case (.number, .string(let text)):
            guard let number = JSONNumber(text: text), isAllowed(number, type) else { return nil }
            return (.number(number), "a number that was written as a text")
        case (.text, .number(let number)): return (.string(number.text), "a text that was written as a number")
        case (.text, .bool(let truth)):
            return (.string(truth ? "true" : "false"), "a text that was written as a truth value")
        case (.text, .string(let text)):
            guard let repaired = repaired(text, type: type) else { return (value, nil) }
            return (.string(repaired.text), repaired.reason)
        }
    }

    private enum Form {
        case truth, number, text

        init(_ type: String) {
            switch type {
            case "boolean": self = .truth
            case "integer", "decimal", "positiveInt", "unsignedInt": self = .number
            default: self = .text
            }
        }
    }

    private static func isAllowed(_ number: JSONNumber, _ type: String) -> Bool {
        switch type {
        case "positiveInt": (number.integer ?? 0) > 0
        case "unsignedInt": (number.integer ?? -1) >= 0
        case "integer": number.integer != nil
        default: true
        }
    }

    /// Returns the text in R4's format; nil if it need not or cannot be changed.
    private static func repaired(_ text: String, type: String) -> (text: String, reason: String)? {
        let zone = "a date or time was completed; the time zone is taken as UTC where none was given"
        switch type {
        case "dateTime":
            return DateTime(text) == nil ? completed(text).map { ($0, zone) } : nil
        case "instant":
            return instant(text).flatMap { $0 == text ? nil : ($0, zone) }
        case "date":
            guard let date = DateTime(text) else { return completed(text).map { (String($0.prefix(10)), zone) } }
            return date.precision > .day ? (String(text.prefix(10)), "the time of day is left out of a date") : nil
        case "time":
            return TimeOfDay(text) == nil && TimeOfDay(text + ":00") != nil ? (text + ":00", zone) : nil
        case "code":
            let words = text.split(whereSeparator: \.isWhitespace)
            let tidy = words.joined(separator: " ")
            return tidy == text || tidy.isEmpty ? nil : (tidy, "spaces around a code")
        case "uri", "url", "canonical", "oid", "uuid", "id":
            let words = text.split(whereSeparator: \.isWhitespace)
            return words.count == 1 && words[0].count < text.count ? (String(words[0]), "spaces around it") : nil
        case "base64Binary":
            let dense = text.filter { !$0.isWhitespace }
            return dense.count == text.count || dense.isEmpty ? nil : (dense, "spaces inside of it")
        default: return nil
        }
    }

    private static func completed(_ text: String) -> String? {
        let offsetStart = text.dropFirst(11).firstIndex { $0 == "Z" || $0 == "+" || $0 == "-" }
        var body = String(offsetStart.map { text[..<$0] } ?? text[...])
        var offset = offsetStart.map { String(text[$0...]) } ?? "Z"
        // `+0100`, as written by some date formatters.
        if offset.count == 5, !offset.contains(":") {
            offset.insert(":", at: offset.index(offset.endIndex, offsetBy: -2))
        }
        // Some date formatters write a space as the separator.
        if body.count > 10, body[body.index(body.startIndex, offsetBy: 10)] == " " {
            body.replaceSubrange(
                body.index(body.startIndex, offsetBy: 10)...body.index(body.startIndex, offsetBy: 10), with: "T")
        }
        if body.count == 16 { body += ":00" }
        let result = body + offset
        return DateTime(result) == nil ? nil : result
    }

    /// Returns the value as an `instant`: a date without a time begins at midnight UTC.
    static func instant(_ text: String) -> String? {
        let written = DateTime(text) == nil ? completed(text) ?? text : text
        guard let date = DateTime(written) else { return nil }
        if date.precision >= .second { return written }
        return DateTime(date.start(), milliseconds: false).text
    }
}
