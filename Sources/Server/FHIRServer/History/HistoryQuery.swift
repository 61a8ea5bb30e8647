import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation

/// The parameters of a history (<https://hl7.org/fhir/R4/http.html#history>).
struct HistoryQuery: Sendable {
    /// The cursor of a version: its time of storage, the number of its resource, its own number.
    struct VersionCursor: Sendable, Hashable, Comparable {
        let stored: Int64
        let number: Int64
        let version: Int64

        /// The cursor after all versions.
        static let end = VersionCursor(stored: .max, number: .max, version: .max)

        init(stored: Int64, number: Int64, version: Int64) {
            (self.stored, self.number, self.version) = (stored, number, version)
        }

        /// Reads a cursor; nil where the text is not one.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Cursor.number(String($0)) }
            guard parts.count == 3, let stored = parts[0], let number = parts[1], let version = parts[2] else {
                return nil
            }
            self.init(stored: stored, number: number, version: version)
        }

        var text: String { [stored, number, version].map(Cursor.text).joined(separator: ".") }

        static func < (left: VersionCursor, right: VersionCursor) -> Bool {
            (left.stored, left.number, left.version) < (right.stored, right.number, right.version)
        }
    }

    /// The types of the history; nil for all.
    let types: Set<String>?
    let count: Int
    /// Only versions before this one; nil for the first page.
    let before: VersionCursor?
    /// Only versions that were stored at this instant or later, in milliseconds since 1970.
    let since: Int64?
    /// Only versions that were current at some time from the first millisecond on and before the second.
    let at: (low: Int64, high: Int64)?
    /// The parameters that were applied, for the links.
    let used: [(name: String, value: String)]

    /// - Parameters:
    ///   - type: the type whose history it is; nil for the history of all types.
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    /// - Throws: ``RecordsFailure`` for an invalid value.
    init(type: String?, parameters: [(name: String, value: String)], strict: Bool) throws {
        var types = type.map { Set([$0]) }
        var since: Int64?
        var at: (low: Int64, high: Int64)?
        let page = try PageQuery(parameters, strict: strict, cursor: VersionCursor.init(_:)) { name, value in
            switch name {
            case "_since": since = try PageParameters.instant("_since", value).low
            case "_at": at = try PageParameters.instant("_at", value)
            case "_type" where type == nil: types = try (types ?? []).union(PageParameters.types(value))
            default: return false
            }
            return true
        }
        (count, before, used) = (page.count, page.cursor, page.used)
        (self.types, self.since, self.at) = (types, since, at)
    }
}
