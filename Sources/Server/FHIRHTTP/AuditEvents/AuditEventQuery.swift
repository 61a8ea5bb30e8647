import Audit
import Core
import FHIR
import FHIRSearch
import Foundation
import Storage

/// The parameters of a search for AuditEvents: `patient`, `date`, `agent`, `_count`, and the cursor of a page.
package struct AuditEventQuery: Sendable {
    /// The selected rows.
    package var rows = AuditQuery()
    /// Maximum number of AuditEvents of a page.
    package private(set) var count = SearchQuery.standardCount
    /// The parameters that were applied, for the links.
    package private(set) var used: [(name: String, value: String)] = []

    /// The parameters that select rows, with their types.
    package static let parameters: [(name: String, type: SearchParamType)] = [
        ("patient", .reference), ("date", .date), ("agent", .token),
    ]

    /// - Parameter url: the base URL of the server, with which a reference to a patient may begin.
    /// - Throws: ``RecordsFailure`` for an invalid value, and for any other parameter.
    package init(_ parameters: [(name: String, value: String)], url: String) throws(RecordsFailure) {
        for (name, value) in parameters where !value.isEmpty {
            switch name {
            case "patient":
                let patient = try Self.patient(value, url: url)
                guard rows.participant == nil || rows.participant == patient else {
                    throw .invalid("patient", "given once")
                }
                rows.participant = patient
            case "agent":
                guard value.utf8.count <= 200, rows.agent == nil || rows.agent == value else {
                    throw .invalid("agent", "the id of one person, device or client")
                }
                rows.agent = value
            case "date": try addTime(value)
            case "_count":
                count = try Self.count(value)
                continue
            case "_cursor":
                guard let position = AuditQuery.Position(cursor: value) else {
                    throw .invalid("_cursor", "a page's own link")
                }
                rows.position = position
                continue
            case "_format", "_pretty": continue
            default: throw .unknownParameter(name)
            }
            used.append((name, value))
        }
    }

    private static func count(_ text: String) throws(RecordsFailure) -> Int {
        guard let number = Int(text), number >= 0 else { throw .invalid("_count", "a number") }
        return min(max(number, 1), SearchQuery.maximumCount)
    }

    private static func patient(_ value: String, url: String) throws(RecordsFailure) -> String {
        var id = value[...]
        if id.hasPrefix(url + "/") { id = id.dropFirst(url.count + 1) }
        if id.hasPrefix("Patient/") { id = id.dropFirst("Patient/".count) }
        guard Resource.isID(String(id)) else { throw .invalid("patient", "the id of one Patient") }
        return String(id)
    }

    /// Restricts the rows to those that a comparison with a date or time permits.
    private mutating func addTime(_ value: String) throws(RecordsFailure) {
        let comparison = ["eq", "ge", "gt", "sa", "le", "lt", "eb"].first { value.hasPrefix($0) }
        guard let (start, end) = SearchText.range(String(value.dropFirst(comparison?.count ?? 0))) else {
            throw .invalid("date", "a date or time such as ge2026-01-31, with eq, ge, gt, sa, le, lt or eb")
        }
        let (low, high) = (SQLTimestamp.text(start.start()), SQLTimestamp.text(end))
        switch comparison {
        case "ge": restrict(from: low)
        case "gt", "sa": restrict(from: high)
        case "le": restrict(before: high)
        case "lt", "eb": restrict(before: low)
        default: restrict(from: low, before: high)
        }
    }

    private mutating func restrict(from: String? = nil, before: String? = nil) {
        if let from { rows.from = max(from, rows.from ?? from) }
        if let before { rows.before = min(before, rows.before ?? before) }
    }
}

extension AuditQuery.Position {
    /// Reads the text of a cursor; nil for another text.
    init?(cursor text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Cursor.number(String($0)) }
        guard parts.count == 2, let time = parts[0], let number = parts[1] else { return nil }
        self.init(at: SQLTimestamp.text(Date(timeIntervalSince1970: Double(time) / 1000)), number: number)
    }

    /// The text of the cursor.
    package var cursor: String {
        let time = SQLTimestamp.date(at).map(Milliseconds.of) ?? 0
        return [max(0, time), number].map(Cursor.text).joined(separator: ".")
    }
}
