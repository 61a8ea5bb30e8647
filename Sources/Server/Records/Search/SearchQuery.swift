import FHIR
import Foundation

/// A search as it was asked for, checked. Pure.
struct SearchQuery: Sendable {
    let type: String
    /// All of them hold.
    let conditions: [SearchCondition]
    let count: Int
    let after: Int64
    let countOnly: Bool
    /// The parameters that were used, for the self link.
    let used: [(name: String, value: String)]

    static let standardCount = 50
    static let maximumCount = 500
    /// So many values has a search in all: an engine's statement holds no more.
    static let mostAlternatives = 500

    /// - Parameters:
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    ///   - ownBases: this server's own base URLs, without a last slash.
    /// - Throws: ``RecordsFailure`` for a value that cannot be read.
    init(
        type: String, parameters: [(name: String, value: String)], strict: Bool, now: Date, ownBases: [String] = []
    ) throws {
        let context = SearchCondition.Context(now: now, ownBases: ownBases)
        var conditions: [SearchCondition] = []
        var alternatives = 0
        var used: [(name: String, value: String)] = []
        var count = Self.standardCount
        var after: Int64 = 0
        var countOnly = false
        for (name, value) in parameters where !value.isEmpty {
            // SQLite knows no text with a zero byte in it, and nothing stored has one.
            guard !value.utf8.contains(0) else { throw RecordsFailure.invalid("A search value", "without zero bytes") }
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
                // What asks for nothing is passed over.
                guard SearchText.split(value, at: ",").contains(where: { !$0.isEmpty }) else { continue }
                let condition: SearchCondition
                do throws(SearchConditionError) {
                    condition = try SearchCondition(
                        Self.published(name, of: type), value: value, of: type, in: context)
                } catch {
                    // Without its modifier a parameter would find something else: that is no way of being lenient.
                    guard strict || error.code != SearchConditionError.unknownParameter(type).code else { continue }
                    throw RecordsFailure(error)
                }
                guard !condition.needsTerminology else { throw RecordsFailure.unknownModifier }
                alternatives += condition.alternatives.count
                guard alternatives <= Self.mostAlternatives else { throw RecordsFailure.tooManyValues }
                conditions.append(condition)
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

    /// The name that R4 has for a parameter: two types have `date` too, beside their own name of it.
    private static func published(_ name: String, of type: String) -> String {
        let own = SearchLayout.timeParameter(of: type)
        guard own != "date", name == "date" || name.hasPrefix("date:") else { return name }
        return own + name.dropFirst("date".count)
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
