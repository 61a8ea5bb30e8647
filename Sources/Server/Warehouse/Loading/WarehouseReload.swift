import FHIR
import Foundation
import RecordStorage
import Storage

/// Loads the present versions of all records again, slice by slice, each in a transaction of its caller. Facts that an
/// earlier version of this program made, or that were made with earlier forms of the study, are replaced by what would
/// be made today.
///
/// The progress is stored in the slice's transaction. The next run continues from there, unless the study's forms or
/// types have changed meanwhile.
package struct WarehouseReload: Sendable {
    private let concepts: StudyConcepts
    private let rules: Deidentification
    private let isLeftOut: @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    /// Concepts that are known to be in the ontology.
    private var ensured: Set<ConceptUse> = []
    /// The number of the last loaded record.
    package private(set) var lastNumber: Int64 = 0

    /// - Parameters:
    ///   - rules: the study's rules, with which facts are made from now on.
    ///   - isLeftOut: returns whether a record has no facts, for instance that of a deleted participant.
    package init(
        _ concepts: StudyConcepts, rules: Deidentification = .none,
        isLeftOut: @escaping @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    ) {
        self.concepts = concepts
        self.rules = rules
        self.isLeftOut = isLeftOut
    }

    /// The result of a reload.
    package struct Report: Sendable, Hashable {
        /// The number of processed resources.
        package var resources = 0
        /// The number of written facts, without their modifiers.
        package var facts = 0
        /// The number of resources that left the records, whose facts were deleted.
        package var removed = 0
        /// The number of resources with values that could not be stored as intended, by the warning's code.
        package var warnings: [String: Int] = [:]

        package init() {}
    }

    /// Begins, or continues an earlier run.
    ///
    /// - Parameter secret: 32 random bytes for pseudonyms, used if there is no secret yet.
    /// - Returns: whether a new run begins. Then the ontology is empty, and the caller writes the study's.
    package mutating func begin(secret: [UInt8], in transaction: any SQLTransaction) throws -> Bool {
        let known = try transaction.first("SELECT digest, next_number FROM warehouse_load WHERE one = 1")
        let isByRules = try Deidentification.recorded(in: transaction) == rules
        if !isByRules {
            try rules.record(secret: secret, in: transaction)
            try forgetDates(in: transaction)
        }
        if isByRules, let known, known.textIfPresent("digest") == concepts.digest {
            lastNumber = try known.integer("next_number")
            return false
        }
        try OntologyWriter.removeAll(in: transaction)
        try transaction.execute(
            """
            INSERT INTO warehouse_load (one, digest, next_number) VALUES (1, ?, 0)
            ON CONFLICT (one) DO UPDATE SET digest = excluded.digest, next_number = excluded.next_number
            """, [SQLValue(concepts.digest)])
        return true
    }

    /// Clears the dates that loading again does not change, because the rules may move them.
    private func forgetDates(in transaction: any SQLTransaction) throws {
        let patients = "patient_num IN (SELECT w.patient_num FROM warehouse_patient w)"
        try transaction.execute(
            """
            UPDATE patient_mapping SET upload_date = NULL, update_date = NULL, download_date = NULL, import_date = NULL
            WHERE \(patients) AND (sourcesystem_cd = ? OR \(PatientJoin.isNotJoined(transaction.dialect)))
            """, [SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            """
            UPDATE patient_dimension SET update_date = ?, download_date = NULL, import_date = NULL
            WHERE \(patients) AND sourcesystem_cd = ?
            """, [Numbering.never, SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            """
            UPDATE encounter_mapping SET upload_date = NULL
            WHERE encounter_num IN (SELECT v.encounter_num FROM visit_dimension v WHERE v.\(patients))
                AND patient_ide_source = ?
            """, [SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            """
            UPDATE upload_status SET load_date = ?, end_date = NULL
            WHERE upload_id IN (SELECT w.upload_id FROM warehouse_upload w)
            """, [Numbering.never])
    }

    /// A record and its entry for the warehouse.
    fileprivate final class Made: Sendable {
        let record: PresentRecord
        let entry: WarehouseEntry

        init(_ record: PresentRecord, _ entry: WarehouseEntry) { (self.record, self.entry) = (record, entry) }
    }

    /// Consecutive records as they were read.
    package struct Page: Sendable {
        fileprivate let first: Int64
        fileprivate let limit: Int
        fileprivate let records: [PresentRecord]

        /// The number after which the next page begins.
        package var last: Int64 { records.last?.number ?? first }
    }

    /// Consecutive records with their entries for the warehouse. They are made outside of the transaction that loads
    /// them, so that the next ones can be made meanwhile.
    package struct Slice: Sendable {
        fileprivate let first: Int64
        fileprivate let limit: Int
        fileprivate let entries: [Made]

        /// The number after which the next slice begins; nil if there were no records.
        package var last: Int64? { entries.last?.record.number }
    }

    /// Number of records in one query.
    private static let asked = 500
    /// The number of bytes of content after which a page ends.
    private static let maximumBytes = 4 << 20

    /// Reads up to `limit` records after this number.
    package func page(after first: Int64, of limit: Int, in transaction: any SQLTransaction) throws -> Page {
        var (records, bytes): ([PresentRecord], Int) = ([], 0)
        while records.count < limit, bytes < Self.maximumBytes {
            let count = min(Self.asked, limit - records.count)
            let found = try RecordStore().present(after: records.last?.number ?? first, limit: count, in: transaction)
            records += found
            bytes += found.reduce(0) { $0 + $1.record.content.count }
            if found.count < count { break }
        }
        return Page(first: first, limit: limit, records: records)
    }

    /// Makes the entries of records.
    package func slice(of page: Page) throws -> Slice {
        Slice(
            first: page.first, limit: page.limit,
            entries: try page.records.map { record in
                let stored = record.record
                return Made(
                    record,
                    try concepts.entry(of: stored.content, id: stored.id, receivedAt: stored.provenance.receivedAt))
            })
    }

    /// Returns up to `limit` records after this number, with their entries.
    package func slice(after first: Int64, of limit: Int, in transaction: any SQLTransaction) throws -> Slice {
        try slice(of: page(after: first, of: limit, in: transaction))
    }

    /// Returns the present records in the range of a slice.
    private func currentSlice(for made: Slice, in transaction: any SQLTransaction) throws -> Slice {
        guard made.first == lastNumber, let last = made.last else {
            return try slice(after: lastNumber, of: made.limit, in: transaction)
        }
        var (entries, next): ([Made], Int64?) = ([], lastNumber)
        while let number = next {
            let slice = try slice(after: number, of: made.limit, in: transaction)
            entries += slice.entries.filter { $0.record.number <= last }
            next = slice.last.flatMap { $0 < last ? $0 : nil }
        }
        return Slice(first: made.first, limit: made.limit, entries: entries)
    }

    /// Loads the next records. Records of the slice that changed meanwhile are made again, and so is a slice that does
    /// not begin at ``lastNumber``.
    ///
    /// - Returns: false if there were none.
    package mutating func load(
        _ made: Slice, into report: inout Report, at: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        let isPresent =
            try made.first == lastNumber && !made.entries.isEmpty
            && RecordStore().arePresent(made.entries.lazy.map(\.record), after: lastNumber, in: transaction)
        let slice = try isPresent ? made : currentSlice(for: made, in: transaction)
        guard let last = made.first == lastNumber ? made.last ?? slice.last : slice.last else { return false }
        var leftOut: [String: Bool] = [:]
        for group in Self.groups(slice.entries) {
            let group = slice.entries[group]
            guard let record = group.first?.record, let subject = record.subject else { continue }
            let provenance = record.record.provenance
            let key = (provenance.isOfPermission ? "2" : provenance.isOfInterface ? "1" : "0") + subject
            let isOut = try leftOut[key] ?? isLeftOut(subject, provenance, transaction)
            leftOut[key] = isOut
            guard !isOut else { continue }
            let context = LoadContext(
                subject: subject, submissionID: provenance.submissionID, receivedAt: provenance.receivedAt,
                loadedAt: at)
            try load(group, context: context, report: &report, in: transaction)
        }
        lastNumber = last
        try transaction.execute("UPDATE warehouse_load SET next_number = ? WHERE one = 1", [SQLValue(lastNumber)])
        return true
    }

    /// Returns the ranges of consecutive records from one submission.
    private static func groups(_ entries: [Made]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var begin = 0
        for index in entries.indices.dropFirst()
        where !entries[index].record.came(with: entries[index - 1].record) {
            groups.append(begin..<index)
            begin = index
        }
        if begin < entries.count { groups.append(begin..<entries.count) }
        return groups
    }

    private mutating func load(
        _ group: ArraySlice<Made>, context: LoadContext, report: inout Report, in transaction: any SQLTransaction
    ) throws {
        report.resources += group.count
        for made in group {
            for warning in made.entry.warnings { report.warnings[warning.rawValue, default: 0] += 1 }
        }
        let loaded = group.filter { $0.entry.hasRows }
        guard !loaded.isEmpty else { return }
        let concepts = concepts
        var known = ensured
        report.facts += try WarehouseLoader().upload(context, ensured: &known, in: transaction) { upload in
            upload.expect(
                loaded.lazy.map { $0.entry }, records: loaded.filter { $0.entry.facts != nil }.map { $0.record.number })
            for made in loaded {
                // Every version of a withdrawal is processed, and the ontology contains the concepts of all versions.
                let stored = made.record.record
                if stored.version > 1 {
                    for former in try RecordStore().history(
                        type: stored.type, id: stored.id, before: stored.version, limit: 1_000, in: transaction)
                    {
                        let formerEntry = try concepts.entry(
                            of: former.content, id: former.id, receivedAt: former.provenance.receivedAt)
                        try upload.load(formerEntry, of: made.record.number, isCurrent: false)
                    }
                }
                try upload.load(made.entry, of: made.record.number)
            }
            return upload.factCount
        }
        ensured = known
    }

    /// Deletes the facts of resources that are no longer in the records, page by page.
    ///
    /// - Parameter last: the last encounter of the previous page; 0 for the first page.
    /// - Returns: the last encounter of this page; nil after the last page.
    package func removeOrphans(
        after last: Int64, limit: Int, into report: inout Report, in transaction: any SQLTransaction
    ) throws -> Int64? {
        let page = try LoadedEncounter.page(after: last, limit: limit, in: transaction)
        for (encounter, remains) in try LoadedEncounter.remains(of: page.encounters, in: transaction) {
            report.removed += remains.records.count
            try encounter.remove(remains, in: transaction)
        }
        return page.last
    }

    /// Ends the run. The next one begins from the start.
    package func finish(in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM warehouse_load")
    }
}

extension PresentRecord {
    /// Whether both came with one submission of one participant.
    fileprivate func came(with other: PresentRecord) -> Bool {
        let (own, others) = (record.provenance, other.record.provenance)
        return subject == other.subject && own.submissionID == others.submissionID
            && own.receivedAt == others.receivedAt
    }
}
