import Storage
import Trust

/// The SQL that finds the versions of a type, the newest first: the present ones by the rows of their records, the former
/// ones by theirs. Both give `stored`, `number` and `version`.
///
/// The filter is asked of the newest version of each, for nothing of a record shows where that is hidden. What a former
/// version itself says is asked of what was found.
struct HistoryStatement {
    /// Of the versions that are the present. Their parameters: ``presentParameters``, a place, a limit.
    let present: String
    let presentParameters: [SQLValue]
    /// Of all others. Their parameters: ``formerParameters``, a place, a limit.
    let former: String
    let formerParameters: [SQLValue]
    /// How many there are, without a place and a limit.
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

    /// The places behind one, the newest first.
    func queries(before place: HistoryQuery.Place, limit: Int) -> [SQLQuery] {
        let behind = [SQLValue(place.stored), SQLValue(place.number), SQLValue(place.version), SQLValue(limit)]
        return [SQLQuery(present, presentParameters + behind), SQLQuery(former, formerParameters + behind)]
    }

    /// A version with what decides about it. Parameters: number, version.
    static let versionSQL = RecordStore.versions + " WHERE v.number = ? AND v.version = ? AND r.number = v.number"
}
