import Foundation
import Storage

/// A row of `record_former`: a version that is not the present, with the time in which it was.
struct FormerVersion: Sendable, Hashable {
    let version: Int64
    /// When it was stored.
    let stored: Int64
    /// When the next became the present; the same where it never was: what came before the present is history at once.
    var until: Int64

    /// Writes the row.
    func insert(number: Int64, type: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO record_former (number, version, type, updated_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
            [SQLValue(number), SQLValue(version), SQLValue(type), SQLValue(stored), SQLValue(until)])
    }

    /// Notes that the present version of a record gives way to another, which the row does not tell of yet.
    static func giveWay(number: Int64, at: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO record_former (number, version, type, updated_ms, until_ms)
            SELECT number, version, type, updated_ms, ? FROM record WHERE number = ?
            """, [SQLValue(Milliseconds.of(at)), SQLValue(number)])
    }

    /// The versions of one record that are not its present, by the rows of all in their order: each became the present when
    /// it was stored, unless what came after it was there already.
    static func all(of rows: [SQLRow], present last: Int64) throws -> [FormerVersion] {
        var former: [FormerVersion] = []
        var present: (version: FormerVersion, order: RecordOrder)?
        for row in rows {
            let stored = Milliseconds.of(try row.date("stored_at"))
            let version = FormerVersion(version: try row.integer("version"), stored: stored, until: stored)
            let order = RecordOrder(
                receivedMilliseconds: Milliseconds.of(try row.date("received_at")),
                number: try row.integer("received_number"), signed: RecordOrder.SignedPlace(row))
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
