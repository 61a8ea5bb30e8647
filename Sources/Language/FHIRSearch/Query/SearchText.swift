import FHIR
import Foundation

/// Splitting and unescaping of search values (<https://hl7.org/fhir/R4/search.html#escaping>).
package enum SearchText {
    /// Splits a text at unescaped separators; the escapes stay.
    package static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var escaped = false
        for character in text {
            if escaped {
                parts[parts.count - 1].append(character)
                escaped = false
            } else if character == separator {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
                escaped = character == "\\"
            }
        }
        return parts
    }

    package static func unescaped(_ text: String) -> String {
        var output = ""
        var escaped = false
        for character in text {
            if !escaped, character == "\\" {
                escaped = true
            } else {
                output.append(character)
                escaped = false
            }
        }
        return output
    }
}

extension SearchText {
    /// Reads a date of a search: it may omit the seconds and the offset, which is UTC then.
    package static func range(_ text: String) -> (start: DateTime, end: Date)? {
        guard let mark = text.firstIndex(of: "T") else { return DateTime(text).map { ($0, $0.end()) } }
        let time = text[text.index(after: mark)...].prefix { $0.isNumber || $0 == ":" || $0 == "." }
        // A plus sign that was not percent-encoded is decoded as a space; here it begins an offset.
        let offset = text[time.endIndex...].replacingOccurrences(of: " ", with: "+")
        let toTheMinute = time.count == 5
        let value = DateTime(
            text[...mark] + time + (toTheMinute ? ":00" : "") + (offset.isEmpty ? "Z" : offset))
        return value.map { ($0, toTheMinute ? $0.start().addingTimeInterval(60) : $0.end()) }
    }
}
