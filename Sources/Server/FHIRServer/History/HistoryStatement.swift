import AccessPolicy
import RecordStorage
import Storage

/// The SQL that finds the versions of a type, the newest first: current versions by the rows of their records, former
/// versions by `record_former`. Both return `stored`, `number` and `version`.
///
/// The filter applies to the newest version of each record, because no version of a hidden record is shown. The caller
/// checks the facts of the former versions themselves.
struct HistoryStatement {
    /// Finds the current versions. Parameters: ``presentParameters``, a cursor, a limit.
    let present: String
    let presentParameters: [SQLValue]
    /// Finds the former versions. Parameters: ``formerParameters``, a cursor, a limit.
    let former: String
    let formerParameters: [SQLValue]
    /// The number of current and former versions, without a cursor and a limit.
    let totals: [SQLQuery]

    init(
        type: String, _ query: HistoryQuery, showing filter: RecordFilter, in transaction: any SQLTransaction
    ) throws {
        let shown = try SQLFragment(showing: filter, type: type, in: transaction)
        var ofPresent = (condition: "r.type = ?", parameters: [SQLValue(type)])
        var ofFormer = (condition: "f.type = ?", parameters: [SQLValue(type)])
        func add(_ condition: String, _ value: Int64, to part: inout (condition: String, parameters: [SQLValue])) {
            part.condition += " AND " + condition
            part.parameters.append(SQLValue(value))
        }
        if let since = query.since {
            add("r.updated_ms >= ?", since, to: &ofPresent)
            add("f.updated_ms >= ?", since, to: &ofFormer)
        }
        if let at = query.at {
            add("r.updated_ms < ?", at.high, to: &ofPresent)
            add("f.updated_ms < ?", at.high, to: &ofFormer)
            add("f.until_ms > ?", at.low, to: &ofFormer)
            ofFormer.condition += " AND f.until_ms > f.updated_ms"
        }
        if filter != .everything {
            ofPresent.condition += " AND " + shown.sql
            ofPresent.parameters += shown.parameters
            ofFormer.condition += " AND " + shown.sql
            ofFormer.parameters += shown.parameters
        }
        present = """
            SELECT r.updated_ms AS stored, r.number, r.version FROM record r
            WHERE \(ofPresent.condition) AND (r.updated_ms, r.number, r.version) < (?, ?, ?)
            ORDER BY r.updated_ms DESC, r.number DESC LIMIT ?
            """
        presentParameters = ofPresent.parameters
        let joined = "record_former f JOIN record r ON r.number = f.number"
        former = """
            SELECT f.updated_ms AS stored, f.number, f.version FROM \(joined)
            WHERE \(ofFormer.condition) AND (f.updated_ms, f.number, f.version) < (?, ?, ?)
            ORDER BY f.updated_ms DESC, f.number DESC, f.version DESC LIMIT ?
            """
        formerParameters = ofFormer.parameters
        totals = [
            SQLQuery("SELECT count(*) AS total FROM record r WHERE " + ofPresent.condition, ofPresent.parameters),
            SQLQuery("SELECT count(*) AS total FROM \(joined) WHERE " + ofFormer.condition, ofFormer.parameters),
        ]
    }

    /// Returns the queries of the versions before a cursor, the newest first.
    func queries(before cursor: HistoryQuery.VersionCursor, limit: Int) -> [SQLQuery] {
        let bounds = [SQLValue(cursor.stored), SQLValue(cursor.number), SQLValue(cursor.version), SQLValue(limit)]
        return [SQLQuery(present, presentParameters + bounds), SQLQuery(former, formerParameters + bounds)]
    }

    /// A version with its source. Parameters: number, version.
    static let versionSQL = RecordStore.versions + " WHERE v.number = ? AND v.version = ? AND r.number = v.number"
}
