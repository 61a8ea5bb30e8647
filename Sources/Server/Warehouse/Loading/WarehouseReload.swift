import FHIR
import Foundation
import Records
import Storage

/// Loads the present versions of all records once more, slice by slice, each in a transaction of its caller: what was made
/// by another version of this program, or of another form of the study, is what it would be made today.
///
/// Where it stopped is noted in the slice's transaction, so that the next run goes on there, unless the study's forms or
/// types changed meanwhile.
public struct WarehouseReload: Sendable {
    private let concepts: StudyConcepts
    private let rules: Deidentification
    private let isLeftOut: @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    /// Concepts that are in the ontology for sure.
    private var ensured: Set<ConceptUse> = []
    /// The number of the last record that was loaded.
    public private(set) var place: Int64 = 0

    /// - Parameters:
    ///   - rules: the study's, by which facts are made from now on.
    ///   - isLeftOut: whether what came so has no facts: nothing comes back of a participant who was deleted.
    public init(
        _ concepts: StudyConcepts, rules: Deidentification = .none,
        isLeftOut: @escaping @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    ) {
        self.concepts = concepts
        self.rules = rules
        self.isLeftOut = isLeftOut
    }

    /// What was done.
    public struct Report: Sendable, Hashable {
        /// Resources that were looked at.
        public var resources = 0
        /// Facts that were written, without their modifiers.
        public var facts = 0
        /// Resources that left the records, whose facts went.
        public var removed = 0
        /// How many resources have values that could not be kept as they should be, by the warning's code.
        public var warnings: [String: Int] = [:]

        public init() {}
    }

    /// Begins, or goes on where an earlier run stopped.
    ///
    /// - Parameter secret: 32 random bytes, of which pseudonyms are made where none were before.
    /// - Returns: whether it begins: the ontology is empty then, and the caller writes the study's.
    public mutating func begin(secret: [UInt8], in transaction: any SQLTransaction) throws -> Bool {
        let known = try transaction.first("SELECT digest, next_number FROM warehouse_load WHERE one = 1")
        let isByRules = try Deidentification.noted(in: transaction) == rules
        if !isByRules {
            try rules.note(secret: secret, in: transaction)
            try forgetDates(in: transaction)
        }
        if isByRules, let known, known.textIfPresent("digest") == concepts.digest {
            place = try known.integer("next_number")
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

    /// Takes the dates away that stay where a resource is loaded again, for the rules may move them.
    private func forgetDates(in transaction: any SQLTransaction) throws {
        let patients = "patient_num IN (SELECT w.patient_num FROM warehouse_patient w)"
        try transaction.execute(
            """
            UPDATE patient_mapping SET upload_date = NULL, update_date = NULL, download_date = NULL, import_date = NULL
            WHERE \(patients)
            """)
        try transaction.execute(
            "UPDATE patient_dimension SET update_date = ?, download_date = NULL, import_date = NULL WHERE \(patients)",
            [Numbering.never])
        try transaction.execute(
            """
            UPDATE encounter_mapping SET upload_date = NULL
            WHERE encounter_num IN (SELECT v.encounter_num FROM visit_dimension v WHERE v.\(patients))
            """)
        try transaction.execute(
            """
            UPDATE upload_status SET load_date = ?, end_date = NULL
            WHERE upload_id IN (SELECT w.upload_id FROM warehouse_upload w)
            """, [Numbering.never])
    }

    /// A record, and what the warehouse takes of it.
    fileprivate final class Made: Sendable {
        let record: PresentRecord
        let entry: WarehouseEntry

        init(_ record: PresentRecord, _ entry: WarehouseEntry) { (self.record, self.entry) = (record, entry) }
    }

    /// Records that lie beside each other, as they were read.
    public struct Page: Sendable {
        fileprivate let first: Int64
        fileprivate let limit: Int
        fileprivate let records: [PresentRecord]

        /// The number that the next page begins behind.
        public var last: Int64 { records.last?.number ?? first }
    }

    /// Records that lie beside each other, with what the warehouse takes of them: made apart from the transaction that loads
    /// them, so that the next ones are made meanwhile.
    public struct Slice: Sendable {
        fileprivate let first: Int64
        fileprivate let limit: Int
        fileprivate let entries: [Made]

        /// The number that the next slice begins behind; nil where there were no records.
        public var last: Int64? { entries.last?.record.number }
    }

    /// So many records are asked for at a time.
    private static let asked = 500
    /// A page ends behind so many bytes of contents.
    private static let mostBytes = 4 << 20

    /// Reads the records behind this number, at most so many.
    public func page(behind first: Int64, of limit: Int, in transaction: any SQLTransaction) throws -> Page {
        var (records, bytes): ([PresentRecord], Int) = ([], 0)
        while records.count < limit, bytes < Self.mostBytes {
            let count = min(Self.asked, limit - records.count)
            let found = try RecordStore().present(behind: records.last?.number ?? first, limit: count, in: transaction)
            records += found
            bytes += found.reduce(0) { $0 + $1.record.content.count }
            if found.count < count { break }
        }
        return Page(first: first, limit: limit, records: records)
    }

    /// Makes what the warehouse takes of records.
    public func slice(of page: Page) throws -> Slice {
        Slice(
            first: page.first, limit: page.limit,
            entries: try page.records.map { record in
                let stored = record.record
                return Made(
                    record,
                    try concepts.entry(of: stored.content, id: stored.id, receivedAt: stored.provenance.receivedAt))
            })
    }

    /// The records behind this number, at most so many, with what the warehouse takes of them.
    public func slice(behind first: Int64, of limit: Int, in transaction: any SQLTransaction) throws -> Slice {
        try slice(of: page(behind: first, of: limit, in: transaction))
    }

    /// The records that lie where those of a slice lay, as they are now.
    private func again(_ made: Slice, in transaction: any SQLTransaction) throws -> Slice {
        guard made.first == place, let last = made.last else {
            return try slice(behind: place, of: made.limit, in: transaction)
        }
        var (entries, behind): ([Made], Int64?) = ([], place)
        while let place = behind {
            let slice = try slice(behind: place, of: made.limit, in: transaction)
            entries += slice.entries.filter { $0.record.number <= last }
            behind = slice.last.flatMap { $0 < last ? $0 : nil }
        }
        return Slice(first: made.first, limit: made.limit, entries: entries)
    }

    /// Loads the next records, which were made behind ``place``; those that became others meanwhile are made again.
    ///
    /// - Returns: false where there were none.
    public mutating func load(
        _ made: Slice, into report: inout Report, at: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        let isPresent =
            try made.first == place && !made.entries.isEmpty
            && RecordStore().arePresent(made.entries.lazy.map(\.record), behind: place, in: transaction)
        let slice = try isPresent ? made : again(made, in: transaction)
        guard let last = made.first == place ? made.last ?? slice.last : slice.last else { return false }
        var leftOut: [String: Bool] = [:]
        for group in Self.groups(slice.entries) {
            let group = slice.entries[group]
            guard let record = group.first?.record, let subject = record.subject else { continue }
            let provenance = record.record.provenance
            let key = (provenance.isOfInterface ? "1" : "0") + subject
            let isOut = try leftOut[key] ?? isLeftOut(subject, provenance, transaction)
            leftOut[key] = isOut
            guard !isOut else { continue }
            let context = LoadContext(
                subject: subject, submissionID: provenance.submissionID, receivedAt: provenance.receivedAt,
                loadedAt: at)
            try load(group, context, &report, in: transaction)
        }
        place = last
        try transaction.execute("UPDATE warehouse_load SET next_number = ? WHERE one = 1", [SQLValue(place)])
        return true
    }

    /// The places of records that lie beside each other and came together.
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
        _ group: ArraySlice<Made>, _ context: LoadContext, _ report: inout Report, in transaction: any SQLTransaction
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
                // A withdrawal is heard in every version, and the ontology has the concepts of all.
                let stored = made.record.record
                if stored.version > 1 {
                    for former in try RecordStore().history(
                        type: stored.type, id: stored.id, before: stored.version, limit: 1_000, in: transaction)
                    {
                        let heard = try concepts.entry(
                            of: former.content, id: former.id, receivedAt: former.provenance.receivedAt)
                        try upload.load(heard, of: made.record.number, isCurrent: false)
                    }
                }
                try upload.load(made.entry, of: made.record.number)
            }
            return upload.factCount
        }
        ensured = known
    }

    /// Removes the facts of resources that the records do not have any more, page by page.
    ///
    /// - Parameter last: the encounter that the page before ended with; 0 for the first page.
    /// - Returns: the encounter that this page ends with; nil after the last page.
    public func removeOrphans(
        behind last: Int64, limit: Int, into report: inout Report, in transaction: any SQLTransaction
    ) throws -> Int64? {
        let page = try LoadedEncounter.page(behind: last, limit: limit, in: transaction)
        for (encounter, remains) in try LoadedEncounter.remains(of: page.encounters, in: transaction) {
            report.removed += remains.records.count
            try encounter.remove(remains, in: transaction)
        }
        return page.last
    }

    /// Ends it: the next run begins anew.
    public func finish(in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM warehouse_load")
    }
}

extension PresentRecord {
    /// Whether one submission of one participant brought both.
    fileprivate func came(with other: PresentRecord) -> Bool {
        let (own, others) = (record.provenance, other.record.provenance)
        return subject == other.subject && own.submissionID == others.submissionID
            && own.receivedAt == others.receivedAt
    }
}
