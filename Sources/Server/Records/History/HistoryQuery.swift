import FHIR
import Foundation

/// Which versions of a history are asked for (<https://hl7.org/fhir/R4/http.html#history>).
struct HistoryQuery: Sendable {
    /// The place of a version among all of them: when it was stored, the number of its resource, its own number.
    struct Place: Sendable, Hashable, Comparable {
        let stored: Int64
        let number: Int64
        let version: Int64

        /// Behind everything.
        static let end = Place(stored: .max, number: .max, version: .max)

        init(stored: Int64, number: Int64, version: Int64) {
            (self.stored, self.number, self.version) = (stored, number, version)
        }

        /// nil for a text that is no place.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Cursor.number(String($0)) }
            guard parts.count == 3, let stored = parts[0], let number = parts[1], let version = parts[2] else {
                return nil
            }
            self.init(stored: stored, number: number, version: version)
        }

        var text: String { [stored, number, version].map(Cursor.text).joined(separator: ".") }

        static func < (left: Place, right: Place) -> Bool {
            (left.stored, left.number, left.version) < (right.stored, right.number, right.version)
        }
    }

    /// nil for all.
    let types: Set<String>?
    let count: Int
    /// Only versions before this one; nil for the first page.
    let before: Place?
    /// Only what was stored at this instant or later, in milliseconds.
    let since: Int64?
    /// Only what was the present at some time from the first millisecond on and before the second.
    let at: (low: Int64, high: Int64)?
    /// The parameters that were used, for the links.
    let used: [(name: String, value: String)]

    /// - Parameters:
    ///   - type: the type whose history it is; nil for the history of all types.
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    /// - Throws: ``RecordsFailure`` for a value that cannot be read.
    init(type: String?, parameters: [(name: String, value: String)], strict: Bool) throws {
        var types = type.map { Set([$0]) }
        var count = SearchQuery.standardCount
        var before: Place?
        var since: Int64?
        var at: (low: Int64, high: Int64)?
        var used: [(name: String, value: String)] = []
        for (name, value) in parameters where !value.isEmpty {
            switch name {
            case "_count":
                count = try PageParameters.count(value)
                continue
            case "_cursor":
                guard let place = Place(value) else { throw RecordsFailure.invalid("_cursor", "a page's own link") }
                before = place
                continue
            case "_since": since = try PageParameters.instant("_since", value).low
            case "_at": at = try PageParameters.instant("_at", value)
            case "_type" where type == nil:
                types = try (types ?? []).union(PageParameters.types(value))
            case "_format", "_pretty": continue
            default:
                guard !strict else { throw RecordsFailure.unknownParameter(name) }
                continue
            }
            used.append((name, value))
        }
        self.types = types
        self.count = count
        self.before = before
        self.since = since
        self.at = at
        self.used = used
    }
}
