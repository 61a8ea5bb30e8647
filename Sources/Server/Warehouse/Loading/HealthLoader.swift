import FHIR
import Foundation
import HealthData
import Records
import Storage

/// Stores batches of one participant's observations straight into the records and the i2b2 tables, each batch in one
/// transaction of its caller. The rows are those that the same Observations have that came through the queue.
///
/// What is stored already, by the resource's id, is left as it is: loading the same export again adds no row, and what
/// was cut off in the middle is made whole.
public struct HealthLoader: Sendable {
    /// Where the observations come from: whose, under which submission, when.
    private let subject: String
    private let provenance: RecordProvenance
    /// Concepts that are in the ontology for sure.
    private var ensured: Set<ConceptUse> = []
    /// The records that this load stored or found.
    private var met = NumberSet()

    public init(subject: String, provenance: RecordProvenance) {
        self.subject = subject
        self.provenance = provenance
    }

    /// What storing did.
    public struct Report: Sendable, Hashable {
        /// Resources that were stored.
        public var resources = 0
        /// Devices that the resources name and that were stored with them.
        public var devices = 0
        /// Facts that were written, without their modifiers.
        public var facts = 0
        /// Resources that were stored already before this load.
        public var alreadyKnown = 0
        /// Resources that came more than once in this load.
        public var duplicates = 0
        /// The places in the account of what was not stored, with their number.
        public var repeats: [Repeat: Int] = [:]
        /// Resources that an earlier submission brought with less in them: they have a new version. Of one day's
        /// summary the one counts that came last; a load never revises what it brought itself.
        public var revised = 0
        /// Resources whose id belongs to somebody else; nothing was written.
        public var refused = 0

        public init() {}

        /// What was converted and not stored.
        public struct Repeat: Sendable, Hashable {
            public let place: HealthAccount.Place
            /// ``SkipReason/duplicate`` or ``SkipReason/alreadyKnown``.
            public let reason: SkipReason
        }

        public static func += (left: inout Report, right: Report) {
            left.resources += right.resources
            left.devices += right.devices
            left.facts += right.facts
            left.alreadyKnown += right.alreadyKnown
            left.duplicates += right.duplicates
            left.repeats.merge(right.repeats, uniquingKeysWith: +)
            left.revised += right.revised
            left.refused += right.refused
        }
    }

    /// Stores a batch. Where it throws, the transaction must not be committed and the loader not be used again.
    ///
    /// - Parameter at: when it is stored.
    public mutating func store(_ batch: HealthBatch, at: Date, in transaction: any SQLTransaction) throws -> Report {
        let context = LoadContext(
            subject: subject, submissionID: provenance.submissionID, receivedAt: provenance.receivedAt, loadedAt: at)
        let ontology = OntologyWriter(transaction: transaction, at: at)
        let numbering = Numbering(transaction: transaction, context: context)
        if ensured.isEmpty { try ontology.ensureFoundation() }
        let patient = try numbering.patient()
        var report = Report()
        report.devices = try store(batch.devices, at: at, in: transaction)
        for (type, others) in Dictionary(grouping: batch.others, by: \.type).sorted(by: { $0.key < $1.key }) {
            report += try store(others, ofType: type, at: at, in: transaction)
        }
        var records = try RecordInsertion(
            type: Observation.resourceType, subject: subject, provenance: provenance, at: at, in: transaction)
        // The upload's row is made when there is something to upload.
        var insertion: (facts: FactInsertion, upload: Int64)?
        for entry in batch.entries {
            if let number = try records.insert(entry.record) {
                report.resources += 1
                _ = met.insert(number)
            } else {
                let known = try Self.known(
                    Observation.resourceType, entry.record.id, subject: subject, in: transaction)
                guard let number = known.ownNumber else {
                    report.refused += 1
                    continue
                }
                let isFirst = met.insert(number)
                let isSame = !entry.isRevisable || known.digest == entry.record.digest
                if entry.isRevisable, known.order.map({ $0 < provenance.order }) ?? false,
                    try revise(entry, isLoaded: known.isLoaded, context, in: transaction)
                {
                    report.revised += 1
                    if known.isLoaded { continue }
                } else {
                    report.pass(entry.place, as: isFirst ? .alreadyKnown : .duplicate)
                    // Facts that were undone come back, those of the present version.
                    if known.isLoaded || !isSame { continue }
                }
            }
            for concept in entry.concepts where !ensured.contains(concept) {
                try ontology.ensure(concept)
                ensured.insert(concept)
            }
            var (facts, upload) = try insertion ?? Self.insertion(numbering, context, patient, in: transaction)
            _ = try facts.insert(entry.facts)
            insertion = (facts, upload)
        }
        if let insertion {
            report.facts = insertion.facts.facts
            let rows = FactRows(
                transaction: transaction, context: context, patient: patient, upload: insertion.upload)
            try rows.count(report.facts, of: insertion.upload)
        }
        return report
    }

    /// Records a new version where the content differs, with its facts in place of the old ones.
    private func revise(
        _ entry: HealthBatch.Entry, isLoaded: Bool, _ context: LoadContext, in transaction: any SQLTransaction
    ) throws -> Bool {
        let resource = StorableText.resource(try Resource(entry.record.content))
        let result = try RecordStore().put(
            resource, content: entry.record.content, original: nil, id: entry.record.id, provenance: provenance,
            at: context.loadedAt, in: transaction)
        guard case .updated = result else { return false }
        if isLoaded {
            try WarehouseLoader().load(resource, questionnaire: nil, context: context, in: transaction)
        }
        return true
    }

    /// Stores resources that have no facts.
    private mutating func store(
        _ others: [HealthBatch.Other], ofType type: String, at: Date, in transaction: any SQLTransaction
    ) throws -> Report {
        var report = Report()
        var records = try RecordInsertion(
            type: type, subject: subject, provenance: provenance, at: at, in: transaction)
        for other in others {
            if let number = try records.insert(other.record) {
                report.resources += 1
                _ = met.insert(number)
            } else if let number = try Self.known(type, other.record.id, subject: subject, in: transaction).ownNumber {
                report.pass(other.place, as: met.insert(number) ? .alreadyKnown : .duplicate)
            } else {
                report.refused += 1
            }
        }
        return report
    }

    private func store(_ devices: [NewRecord], at: Date, in transaction: any SQLTransaction) throws -> Int {
        guard !devices.isEmpty else { return 0 }
        var records = try RecordInsertion(
            type: Device.resourceType, subject: subject, provenance: provenance, at: at, in: transaction)
        return try devices.reduce(0) { try $0 + (records.insert($1) == nil ? 0 : 1) }
    }

    private static func insertion(
        _ numbering: Numbering, _ context: LoadContext, _ patient: Int64, in transaction: any SQLTransaction
    ) throws -> (facts: FactInsertion, upload: Int64) {
        let upload = try numbering.upload()
        return (
            try FactInsertion(transaction: transaction, context: context, patient: patient, upload: upload), upload
        )
    }

    private static func known(
        _ type: String, _ id: String, subject: String, in transaction: any SQLTransaction
    ) throws -> (ownNumber: Int64?, isLoaded: Bool, order: RecordOrder?, digest: String?) {
        let row = try transaction.first(
            """
            SELECT r.number, r.subject, r.received_ms, r.received_number, v.digest, m.encounter_num FROM record r
            JOIN record_version v ON v.number = r.number AND v.version = r.version
            LEFT JOIN encounter_mapping m ON m.encounter_ide = ?
                AND m.encounter_ide_source = ? AND m.project_id = '@' AND m.patient_ide = r.subject
                AND m.patient_ide_source = ?
            WHERE r.type = ? AND r.id = ?
            """,
            [
                SQLValue("\(type)/\(id)"), SQLValue(WarehouseLoader.source), SQLValue(WarehouseLoader.source),
                SQLValue(type), SQLValue(id),
            ])
        let isOwn = row?.textIfPresent("subject") == subject
        return (
            isOwn ? row?.integerIfPresent("number") : nil, row?.integerIfPresent("encounter_num") != nil,
            try row.map { row in
                RecordOrder(
                    receivedMilliseconds: try row.integer("received_ms"), number: try row.integer("received_number"))
            }, row?.textIfPresent("digest")
        )
    }
}

extension HealthLoader.Report {
    fileprivate mutating func pass(_ place: HealthAccount.Place?, as reason: SkipReason) {
        if reason == .duplicate { duplicates += 1 } else { alreadyKnown += 1 }
        if let place { repeats[Repeat(place: place, reason: reason), default: 0] += 1 }
    }
}
