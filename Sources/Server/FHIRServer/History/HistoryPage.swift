import FHIR
import FHIRHTTP
import FHIRSearch
import RecordStorage
import Storage

/// The parameters of one resource's history (<https://hl7.org/fhir/R4/http.html#history>).
struct HistoryPage: Sendable {
    let count: Int
    /// Only versions after this one in the order of the history; nil for the first page.
    let before: Int64?
    /// Only versions that were stored at this instant or later, in milliseconds since 1970.
    let since: Int64?
    /// Only versions that were current at some time from the first millisecond on and before the second.
    let at: (low: Int64, high: Int64)?
    /// The applied parameters, for the links.
    let used: [(name: String, value: String)]

    /// Whether only some of the versions are requested.
    var isNarrowed: Bool { since != nil || at != nil }

    /// - Parameter strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    /// - Throws: ``RecordsFailure`` for an invalid value.
    init(_ parameters: [(name: String, value: String)], strict: Bool) throws {
        var since: Int64?
        var at: (low: Int64, high: Int64)?
        let page = try PageQuery(parameters, strict: strict, cursor: Cursor.number) { name, value in
            switch name {
            case "_since": since = try PageParameters.instant("_since", value).low
            case "_at": at = try PageParameters.instant("_at", value)
            default: return false
            }
            return true
        }
        (count, before, self.since, self.at, used) = (page.count, page.cursor, since, at, page.used)
    }

    /// Returns the requested ones of some versions of a record, in their order.
    func taking(_ versions: [StoredRecord], in transaction: any SQLTransaction) throws -> [StoredRecord] {
        guard isNarrowed, let first = versions.first else { return versions }
        let former = try transaction.query(
            Self.formerSQL(versions.count),
            [RecordKey.value(type: first.type, id: first.id)] + versions.map { SQLValue($0.version) })
        let ends = Dictionary(
            try former.map { row in
                (
                    try row.integer("version"),
                    (stored: try row.integer("updated_ms"), until: try row.integer("until_ms"))
                )
            }
        ) { first, _ in first }
        return versions.filter { version in
            // The current version has no row in `record_former`, and no end.
            let time = ends[version.version] ?? (stored: Milliseconds.of(version.lastUpdated), until: .max)
            if let since, time.stored < since { return false }
            guard let at else { return true }
            return time.stored < at.high && time.until > at.low && time.until > time.stored
        }
    }

    /// The number of requested versions of a record. Parameters: ``totalParameters(type:id:)``.
    var totalSQL: String {
        func condition(_ row: String, isFormer: Bool) -> String {
            RecordKey.condition + (since == nil ? "" : " AND \(row).updated_ms >= ?")
                + (at == nil ? "" : " AND \(row).updated_ms < ?")
                + (at == nil || !isFormer ? "" : " AND f.until_ms > ? AND f.until_ms > f.updated_ms")
        }
        return "SELECT (SELECT count(*) FROM record r WHERE \(condition("r", isFormer: false)))"
            + " + (SELECT count(*) FROM record r JOIN record_former f ON f.number = r.number"
            + " WHERE \(condition("f", isFormer: true))) AS total"
    }

    func totalParameters(type: String, id: String) -> [SQLValue] {
        let present =
            [RecordKey.value(type: type, id: id)] + [since, at?.high].compactMap { $0.map { SQLValue($0) } }
        return present + present + (at.map { [SQLValue($0.low)] } ?? [])
    }

    static func formerSQL(_ count: Int) -> String {
        "SELECT f.version, f.updated_ms, f.until_ms FROM record r JOIN record_former f ON f.number = r.number WHERE "
            + RecordKey.condition
            + " AND f.version IN (" + repeatElement("?", count: count).joined(separator: ", ") + ")"
    }
}
