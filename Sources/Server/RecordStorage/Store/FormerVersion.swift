import Core
import Foundation
import Storage

/// A row of `record_former`: a version that is not the current one, with the time during which it was.
struct FormerVersion: Sendable, Hashable {
    let version: Int64
    /// The time of storage.
    let stored: Int64
    /// The time at which the next version became the current one. It equals ``stored`` where the version never was the
    /// current one, because it was received before the current version.
    var until: Int64

    /// Inserts the row.
    func insert(number: Int64, type: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO record_former (number, version, type, updated_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
            [SQLValue(number), SQLValue(version), SQLValue(type), SQLValue(stored), SQLValue(until)])
    }

    /// Records that another version replaces the current version of a record, before the record's row changes.
    static func insertReplaced(number: Int64, at: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO record_former (number, version, type, updated_ms, until_ms)
            SELECT number, version, type, updated_ms, ? FROM record WHERE number = ?
            """, [SQLValue(Milliseconds.of(at)), SQLValue(number)])
    }

    /// Returns the versions of one record that are not its current one, from the rows of all versions in their order.
    /// Each became the current one when it was stored, unless a version received later was there already.
    static func all(of rows: [SQLRow], present last: Int64) throws -> [FormerVersion] {
        var former: [FormerVersion] = []
        var present: (version: FormerVersion, order: RecordOrder)?
        for row in rows {
            let stored = Milliseconds.of(try row.date("stored_at"))
            let version = FormerVersion(version: try row.integer("version"), stored: stored, until: stored)
            let order = RecordOrder(
                receivedMilliseconds: Milliseconds.of(try row.date("received_at")),
                number: try row.integer("received_number"), signed: RecordOrder.SignedPosition(row))
            let isOfInterface = try row.text("submission_id").hasPrefix(RecordProvenance.interfacePrefix)
            let isDeletion = try row.integer("deleted") != 0
            guard var before = present else {
                present = (version, order)
                continue
            }
            guard isOfInterface || isDeletion || order >= before.order || version.version == last else {
                former.append(version)
                continue
            }
            before.version.until = stored
            former.append(before.version)
            present = (version, max(order, before.order))
        }
        return former.filter { $0.version != last }
            + (present.map { $0.version.version == last ? [] : [$0.version] } ?? [])
    }
}
