import FHIR
import Foundation

/// A search as it was asked for, checked. Pure.
struct SearchQuery: Sendable {
    /// One condition; any of its values may hold.
    struct Condition: Sendable {
        enum Value: Sendable {
            case id(String)
            case token(system: String?, code: String?)
            case subject(String)
            case date(SearchPrefix, low: Int64, high: Int64)
        }

        let parameter: SearchParameter
        let values: [Value]
    }

    let type: String
    let conditions: [Condition]
    let count: Int
    let after: Int64
    let countOnly: Bool
    /// The parameters that were used, for the self link.
    let used: [(name: String, value: String)]

    static let standardCount = 50
    static let maximumCount = 500
    /// So many values has a search in all: an engine's statement holds no more.
    static let mostAlternatives = 500

    /// - Parameter strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    /// - Throws: ``RecordsFailure`` for a value that cannot be read.
    init(type: String, parameters: [(name: String, value: String)], strict: Bool, now: Date) throws {
        var conditions: [Condition] = []
        var alternatives = 0
        var used: [(name: String, value: String)] = []
        var count = Self.standardCount
        var after: Int64 = 0
        var countOnly = false
        for (name, value) in parameters where !value.isEmpty {
            // SQLite knows no text with a zero byte in it, and nothing stored has one.
            guard !value.utf8.contains(0) else { throw RecordsFailure.invalid("A search value", "without zero bytes") }
            let base = name.split(separator: ":", maxSplits: 1).map(String.init)
            switch name {
            case "_count":
                guard let number = Int(value), number >= 0 else { throw RecordsFailure.invalid("_count", "a number") }
                count = min(number, Self.maximumCount)
            case "_cursor":
                guard let number = Cursor.number(value) else {
                    throw RecordsFailure.invalid("_cursor", "a page's own link")
                }
                after = number
                continue
            case "_summary":
                guard value == "count" || value == "false" else {
                    throw RecordsFailure.invalid("_summary", "count or false")
                }
                countOnly = value == "count"
            case "_format", "_pretty", "_total": continue
            default:
                guard let first = base.first, let parameter = SearchParameter.named(first, for: type) else {
                    guard !strict else { throw RecordsFailure.unknownParameter }
                    continue
                }
                // Without its modifier a parameter would find something else: that is no way of being lenient.
                guard base.count == 1 || Self.isTypeModifier(base[1], parameter) else {
                    throw RecordsFailure.unknownModifier
                }
                let values = try SearchText.split(value, at: ",").filter { !$0.isEmpty }.map {
                    try Self.value($0, parameter: parameter, now: now)
                }
                guard !values.isEmpty else { continue }
                alternatives += values.count
                guard alternatives <= Self.mostAlternatives else { throw RecordsFailure.tooManyValues }
                conditions.append(Condition(parameter: parameter, values: values))
            }
            used.append((name, value))
        }
        self.type = type
        self.conditions = conditions
        self.count = count
        self.after = after
        self.countOnly = countOnly || count == 0
        self.used = used
    }

    /// `subject:Patient=x` says what is true of every subject here.
    private static func isTypeModifier(_ modifier: String, _ parameter: SearchParameter) -> Bool {
        modifier == "Patient" && (parameter == .subject || parameter == .patient)
    }

    private static func value(_ text: String, parameter: SearchParameter, now: Date) throws -> Condition.Value {
        switch parameter {
        case .id: return .id(SearchText.unescaped(text))
        case .questionnaire: return .token(system: nil, code: SearchText.unescaped(text))
        case .identifier, .code:
            let parts = SearchText.split(text, at: "|")
            guard parts.count > 1 else { return .token(system: nil, code: SearchText.unescaped(text)) }
            let code = SearchText.unescaped(parts.dropFirst().joined(separator: "|"))
            return .token(system: SearchText.unescaped(parts[0]), code: code.isEmpty ? nil : code)
        case .subject, .patient:
            let plain = SearchText.unescaped(text)
            guard plain.contains("/") else { return .subject(plain) }
            guard let literal = Reference(plain).literal, literal.type == Patient.resourceType else {
                throw RecordsFailure.invalid(parameter.rawValue, "a reference to a Patient")
            }
            return .subject(literal.id)
        case .date, .lastUpdated: return try date(text, parameter: parameter, now: now)
        }
    }

    private static func date(_ text: String, parameter: SearchParameter, now: Date) throws -> Condition.Value {
        let (prefix, rest) = SearchPrefix.split(text)
        guard let (value, end) = range(rest) else {
            throw RecordsFailure.invalid(parameter.rawValue, "a date or time such as ge2026-01-31")
        }
        var low = Milliseconds.of(value.start())
        var high = Milliseconds.of(end)
        if prefix == .ap {
            // The specification suggests a tenth of the distance to now.
            let slack = abs(Milliseconds.of(now) - low) / 10
            low -= slack
            high += slack
        }
        return .date(prefix, low: low, high: high)
    }

    /// Reads a date as searches write it: the seconds and the offset may be left out, the offset then is UTC.
    static func range(_ text: String) -> (start: DateTime, end: Date)? {
        guard let mark = text.firstIndex(of: "T") else { return DateTime(text).map { ($0, $0.end()) } }
        let time = text[text.index(after: mark)...].prefix { $0.isNumber || $0 == ":" || $0 == "." }
        // A plus sign in a URL is a space once decoded; an offset is meant.
        let offset = text[time.endIndex...].replacingOccurrences(of: " ", with: "+")
        let toTheMinute = time.count == 5
        let value = DateTime(
            text[...mark] + time + (toTheMinute ? ":00" : "") + (offset.isEmpty ? "Z" : offset))
        return value.map { ($0, toTheMinute ? $0.start().addingTimeInterval(60) : $0.end()) }
    }
}

/// Splitting and unescaping of search values (<https://hl7.org/fhir/R4/search.html#escaping>).
enum SearchText {
    /// The parts between separators that no backslash stands before; escapes stay in.
    static func split(_ text: String, at separator: Character) -> [String] {
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

    static func unescaped(_ text: String) -> String {
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

/// The opaque text of a page's place.
enum Cursor {
    static func text(_ number: Int64) -> String { "n" + String(number, radix: 36) }

    static func number(_ text: String) -> Int64? {
        guard text.first == "n", let number = Int64(text.dropFirst(), radix: 36), number >= 0 else { return nil }
        return number
    }
}

/// Which page of a history is asked for.
struct HistoryPage: Sendable {
    let count: Int
    /// Only versions below this one.
    let before: Int64?

    /// - Throws: ``RecordsFailure`` for a value that cannot be read.
    init(_ parameters: [(name: String, value: String)]) throws {
        var count = SearchQuery.standardCount
        var before: Int64?
        for (name, value) in parameters {
            switch name {
            case "_count":
                guard let number = Int(value), number >= 0 else { throw RecordsFailure.invalid("_count", "a number") }
                count = min(max(number, 1), SearchQuery.maximumCount)
            case "_cursor":
                guard let number = Cursor.number(value) else {
                    throw RecordsFailure.invalid("_cursor", "a page's own link")
                }
                before = number
            default: continue
            }
        }
        self.count = count
        self.before = before
    }
}
