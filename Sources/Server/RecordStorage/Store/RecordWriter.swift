import FHIR
import Foundation
import Storage

/// Stores the resources of one submission, with statements that are prepared once. All writes of records use it
/// (``RecordStore/write(_:at:in:_:)``).
///
/// The records of permissions are changed by their own writer only: all others get an error (``RecordGuard``).
///
/// It lives inside one transaction, in which nothing else inserts records. Its rows are visible to other statements
/// once it ends, and after an insertion whose id was taken.
package struct RecordWriter {
    package let transaction: any SQLTransaction
    package let receipt: RecordReceipt
    private var records: SQLInserter<RecordRow>
    /// Created for the first version, with the row of their shared source.
    private var versions: SQLInserter<VersionRow>?
    var searchIndex: SearchEntryWriter
    package var streams = StreamWriter()
    /// The types of the stored or deleted resources (``RecordTypeChanges``).
    var changedTypes: Set<String> = []
    /// The number of the next new resource.
    private var next: Int64
    /// Resources to be stored next, whose rows are in `record` already, each with its number; nil where the id was
    /// taken.
    private var ahead: ArraySlice<(record: NewRecord, number: Int64?)> = []

    /// - Parameters:
    ///   - provenance: where the resources come from.
    ///   - at: the time of storage.
    package init(provenance: RecordProvenance, at: Date, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        receipt = RecordReceipt(provenance: provenance, at: at)
        records = try transaction.inserter(RecordRow.insertion, sharing: receipt)
        searchIndex = try SearchEntryWriter(in: transaction)
        let largest = try transaction.first("SELECT max(number) AS number FROM record")
        next = (largest?.integerIfPresent("number") ?? 0) + 1
    }

    /// Stores resources as ``put(_:)`` does, in this order. PostgreSQL is queried once for the ids that exist, and
    /// SQLite gets many rows at once.
    package mutating func put(contentsOf new: [NewRecord]) throws -> [PutResult] {
        try prepare(new)
        return try new.map { try put($0) }
    }

    /// Stores resources as ``insert(_:)`` does, in this order and as fast as ``put(contentsOf:)``.
    package mutating func insert(contentsOf new: [NewRecord]) throws -> [Int64?] {
        try prepare(new)
        return try new.map { try insert($0) }
    }

    /// Stores resources in this order and as fast as ``put(contentsOf:)``: a new one as ``create(_:)`` does, any other
    /// as ``replace(_:)`` does.
    package mutating func write(contentsOf new: [(record: NewRecord, isNew: Bool)]) throws -> [PutResult?] {
        try prepare(new.map(\.record))
        return try new.map { try $0.isNew ? create($0.record) : replace($0.record) }
    }

    /// Queries or inserts the rows of the resources that are stored next, in this order.
    private mutating func prepare(_ new: [NewRecord]) throws {
        let rows = new.enumerated().map { RecordRow(number: next + Int64($0), record: $1) }
        guard let inserted = try records.insert(contentsOf: rows) else { return try records.expect(rows) }
        for (group, count) in inserted {
            let known = try count == group.count ? nil : present(rows[group].first?.number, rows[group].last?.number)
            for row in rows[group] {
                ahead.append((row.record, known?.contains(row.number) ?? true ? row.number : nil))
            }
        }
        next += Int64(rows.count)
    }

    /// Returns the numbers in a range that records have.
    private func present(_ first: Int64?, _ last: Int64?) throws -> Set<Int64> {
        Set(
            try transaction.query(
                "SELECT number FROM record WHERE number BETWEEN ? AND ?", [SQLValue(first), SQLValue(last)]
            ).map { try $0.integer("number") })
    }

    /// Stores a resource as the first version of its id.
    ///
    /// - Returns: the number of its row; nil where the id is taken, and then nothing is stored.
    package mutating func insert(_ new: NewRecord) throws -> Int64? {
        guard let number = try insertRow(new) else {
            try flush()
            return nil
        }
        try add(new, number: number, version: 1)
        try searchIndex.add(new.entries, number: number)
        try RecordProtection.write(new.protection, number: number, in: transaction)
        streams.came(new, at: received, isAdded: true)
        return number
    }

    private mutating func insertRow(_ new: NewRecord) throws -> Int64? {
        if let first = ahead.first, first.record === new {
            ahead.removeFirst()
            return first.number
        }
        guard try records.insert(RecordRow(number: next, record: new)) else { return nil }
        defer { next += 1 }
        return next
    }

    /// Stores a resource as a new version, unless the current one has the same bytes.
    ///
    /// The order of receipt decides which version is the current one (``RecordProvenance/order``). A resource received
    /// before the current version is stored as history; reads and searches are not affected. Where the current version
    /// is received once more, it takes the order of its last receipt, because another version may have been received
    /// between the two and be processed last.
    @discardableResult
    package mutating func put(_ new: NewRecord) throws -> PutResult { try put(new, isNewest: false) }

    /// Stores a resource with a generated id.
    ///
    /// - Returns: nil where the id is taken; the caller generates another one.
    package mutating func create(_ new: NewRecord) throws -> PutResult? {
        try insert(new).map { PutResult(outcome: .created, version: 1, number: $0) }
    }

    /// Stores a resource as the current version of its id, whatever the order of receipt: its writer has seen the
    /// current version.
    @discardableResult
    package mutating func replace(_ new: NewRecord) throws -> PutResult { try put(new, isNewest: true) }

    private mutating func put(_ new: NewRecord, isNewest: Bool) throws -> PutResult {
        func result(_ outcome: PutResult.Outcome, number: Int64, version: Int64) -> PutResult {
            PutResult(outcome: outcome, version: version, number: number)
        }
        if let number = try insert(new) { return result(.created, number: number, version: 1) }
        guard let present = try transaction.first(Self.presentSQL, [.blob(new.address)]) else {
            throw StorageError(
                code: "storage-corrupt", message: "A record has no version; restore the records from a backup.")
        }
        let number = try present.integer("number")
        try RecordGuard.check(
            new.type, number: number, version: present.integer("version"), writer: receipt.provenance, in: transaction)
        let order = try RecordOrder(present)
        let came = receipt.provenance.order
        let own = isNewest && came < order ? order : came
        if try present.blob("digest") == new.digest, try present.integer("deleted") == 0 {
            let same = try present.integer("version")
            guard own >= order else { return result(.superseded, number: number, version: same) }
            if own > order {
                try updateOrder(own, of: number)
                streams.came(new, at: received, isAdded: false)
            }
            return result(.unchanged, number: number, version: same)
        }
        guard own >= order else {
            return result(.superseded, number: number, version: try putHistory(new, number: number))
        }
        let version = try nextVersion(of: number)
        let former = try formerStream(new.type, number)
        try FormerVersion.insertReplaced(number: number, at: receipt.at, in: transaction)
        try transaction.execute(
            """
            UPDATE record SET version = ?, subject = ?, date_low = ?, date_high = ?, updated_ms = ?, deleted = 0,
                received_ms = ?, received_number = ?, signer = ?, signed_sequence = ? WHERE number = ?
            """,
            [
                SQLValue(version), SQLValue(new.subject), SQLValue(new.time?.low), SQLValue(new.time?.high),
                SQLValue(Milliseconds.of(receipt.at)),
            ] + own.columns + [SQLValue(number)])
        try add(new, number: number, version: version, order: own)
        try searchIndex.replace(new.entries, number: number)
        try RecordProtection.replace(new.protection, number: number, in: transaction)
        streams.went(former)
        streams.came(new, at: received, isAdded: true)
        return result(.updated, number: number, version: version)
    }

    /// Stores a version received before the current one, once for each submission that contains it.
    private mutating func putHistory(_ new: NewRecord, number: Int64) throws -> Int64 {
        let known = try transaction.first(
            Self.broughtSQL, [SQLValue(number), SQLValue(receipt.provenance.submissionID), SQLValue(new.digest)])
        if let known { return try known.integer("version") }
        let version = try nextVersion(of: number)
        try add(new, number: number, version: version)
        let stored = Milliseconds.of(receipt.at)
        try FormerVersion(version: version, stored: stored, until: stored).insert(
            number: number, type: new.type, in: transaction)
        return version
    }

    /// Finishes the writing. Called once.
    package mutating func finish() throws {
        guard ahead.isEmpty else {
            throw StorageError(
                code: "storage-failed", message: "Resources of an array were not stored; nothing was stored.")
        }
        try flush()
        try searchIndex.finish()
        try streams.finish(in: transaction)
        try RecordTypeChanges.count(changedTypes, in: transaction)
    }

    /// Writes the buffered rows.
    package mutating func flush() throws {
        try versions?.flush()
        try searchIndex.flush()
    }

    private mutating func add(_ new: NewRecord, number: Int64, version: Int64, order: RecordOrder? = nil) throws {
        changedTypes.insert(new.type)
        let row = VersionRow(
            number: number, version: version, record: new,
            order: version == 1 ? nil : order ?? receipt.provenance.order)
        if try versions?.add(row) != nil { return }
        var sources = RecordSources(in: transaction)
        var versions = try transaction.inserter(VersionRow.insertion, sharing: sources.number(of: receipt))
        try versions.add(row)
        self.versions = versions
    }

    /// The time of receipt of the written resources, in milliseconds since 1970.
    package var received: Int64 { receipt.provenance.order.receivedMilliseconds }

    /// Returns the stream of a type's record before the change; nil for a deleted record.
    func formerStream(_ type: String, _ number: Int64) throws -> StreamWriter.Key? {
        guard type == Observation.resourceType else { return nil }
        return try StreamWriter.key(ofRecord: number, in: transaction)
    }

    /// Records the order of a record's current version that was received once more.
    func updateOrder(_ order: RecordOrder, of number: Int64) throws {
        try transaction.execute(
            """
            UPDATE record SET received_ms = ?, received_number = ?, signer = ?, signed_sequence = ? WHERE number = ?
            """,
            order.columns + [SQLValue(number)])
    }

    package func nextVersion(of number: Int64) throws -> Int64 {
        let row = try transaction.first(
            "SELECT max(version) AS version FROM record_version WHERE number = ?", [SQLValue(number)])
        return (row?.integerIfPresent("version") ?? 0) + 1
    }

    /// Parameter: the address.
    static let presentSQL = """
        SELECT r.number, r.version, r.deleted, r.received_ms, r.received_number, r.signer,
            r.signed_sequence, v.digest FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        WHERE \(RecordKey.condition)
        """
    /// The version of a record that a submission stored with certain bytes. The statement scans the versions of the
    /// record, because a submission may be a load of millions of records. Parameters: number, submission, digest.
    static let broughtSQL = """
        SELECT v.version FROM record_version v JOIN record_source s ON s.number = v.source
        WHERE v.number = ? AND v.version > 0 AND s.submission_id = ?
            AND v.digest = ? ORDER BY v.version LIMIT 1
        """
}
