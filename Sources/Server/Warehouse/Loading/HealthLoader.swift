import FHIR
import Foundation
import HealthData
import RecordStorage
import Storage

/// Stores batches of one participant's observations directly into the records and the i2b2 tables, each batch in one
/// transaction of its caller. The rows are the same as for Observations that come through the queue.
///
/// A resource that is already stored, by its id, is left as it is. Loading the same export again adds no row, and
/// completes an interrupted load.
package struct HealthLoader: Sendable {
    /// The participant, the submission and the time of the observations.
    private let subject: String
    private let provenance: RecordProvenance
    /// Concepts that are known to be in the ontology.
    private var ensured: Set<ConceptUse> = []
    /// The numbers of the records that this load stored or found.
    private var met = NumberSet()

    package init(subject: String, provenance: RecordProvenance) {
        self.subject = subject
        self.provenance = provenance
    }

    /// The result of storing batches.
    package struct Report: Sendable, Hashable {
        /// The number of stored resources.
        package var resources = 0
        /// The number of stored devices that the resources name.
        package var devices = 0
        /// The number of written facts, without their modifiers.
        package var facts = 0
        /// The number of resources that were stored before this load.
        package var alreadyKnown = 0
        /// The number of resources that occurred more than once in this load.
        package var duplicates = 0
        /// The number of resources that were not stored, by counter of the report and reason.
        package var repeats: [Repeat: Int] = [:]
        /// The number of resources that replaced an earlier version with less data. Of the summaries of one day, the
        /// latest counts; a load never revises a resource that it has stored itself.
        package var revised = 0
        /// The number of resources whose id belongs to another participant; nothing was written for them.
        package var refused = 0

        package init() {}

        /// The counter and the reason of resources that were converted and not stored.
        package struct Repeat: Sendable, Hashable {
            package let counterKey: HealthImportReport.CounterKey
            /// ``SkipReason/duplicate`` or ``SkipReason/alreadyKnown``.
            package let reason: SkipReason
        }

        package static func += (left: inout Report, right: Report) {
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

    /// Stores a batch. After an error, the transaction must be rolled back and the loader not be used again.
    ///
    /// - Parameter at: the time of storing.
    package mutating func store(_ batch: HealthBatch, at: Date, in transaction: any SQLTransaction) throws -> Report {
        let context = LoadContext(
            subject: subject, submissionID: provenance.submissionID, receivedAt: provenance.receivedAt, loadedAt: at)
        return try RecordStore().write(provenance, at: at, in: transaction) { records in
            // A copy of the member, because `store` changes the loader.
            var ensured = self.ensured
            defer { self.ensured = ensured }
            return try WarehouseLoader().upload(context, ensured: &ensured, in: transaction) { upload in
                var report = Report()
                let entries = try withoutOtherForms(batch.entries, &report, in: transaction)
                let inserted = try records.insert(contentsOf: entries.map(\.record))
                var loads: [WarehouseUpload.Load] = []
                for (entry, number) in zip(entries, inserted) {
                    let stored = try store(entry, as: number, in: &records, report: &report, in: transaction)
                    guard let stored, let loaded = entry.loaded else { continue }
                    loads.append(.init(loaded, of: stored.number, isNew: stored.isNew))
                }
                try upload.load(contentsOf: loads)
                report.facts = upload.factCount
                return report
            }
        }
    }

    /// Counts a resource that was inserted, or handles one whose id was taken.
    ///
    /// - Parameter number: the number of the inserted record; nil if its id was taken.
    /// - Returns: the number of the record whose facts must be written, and whether it is new; nil if there are none.
    private mutating func store(
        _ entry: HealthBatch.Entry, as number: Int64?, in records: inout RecordWriter, report: inout Report,
        in transaction: any SQLTransaction
    ) throws -> (number: Int64, isNew: Bool)? {
        if let number {
            guard !entry.isUncounted else {
                report.devices += 1
                return nil
            }
            report.resources += 1
            _ = met.insert(number)
            return (number, true)
        }
        guard !entry.isUncounted else { return nil }
        let known = try Self.known(entry.record.type, entry.record.id, subject: subject, in: transaction)
        guard let number = known.ownNumber else {
            report.refused += 1
            return nil
        }
        let isFirst = met.insert(number)
        if entry.isRevisable, known.order.map({ $0 < provenance.order }) ?? false,
            try records.put(entry.record).outcome == .updated
        {
            report.revised += 1
            return (number, false)
        }
        report.pass(entry.counterKey, as: isFirst ? .alreadyKnown : .duplicate)
        // Facts that were undone are written again, those of the present version.
        let isPresent = !entry.isRevisable || known.digest == entry.record.digest
        return isFirst && !known.isLoaded && isPresent ? (number, false) : nil
    }

    /// Returns the entries of a batch without those whose sample already has a record with its value in another unit.
    /// These are counted as known.
    private mutating func withoutOtherForms(
        _ entries: [HealthBatch.Entry], _ report: inout Report, in transaction: any SQLTransaction
    ) throws -> [HealthBatch.Entry] {
        guard entries.contains(where: { !$0.alternateIDs.isEmpty }) else { return entries }
        var ids: Set<String> = []
        return try entries.filter { entry in
            guard !entry.alternateIDs.isEmpty, !ids.contains(entry.record.id),
                try ownNumber(entry.record.type, entry.record.id, in: transaction) == nil
            else {
                ids.insert(entry.record.id)
                return true
            }
            for id in entry.alternateIDs {
                if ids.contains(id) {
                    report.pass(entry.counterKey, as: .duplicate)
                    return false
                }
                if let number = try ownNumber(entry.record.type, id, in: transaction) {
                    report.pass(entry.counterKey, as: met.insert(number) ? .alreadyKnown : .duplicate)
                    return false
                }
            }
            ids.insert(entry.record.id)
            return true
        }
    }

    private func ownNumber(_ type: String, _ id: String, in transaction: any SQLTransaction) throws -> Int64? {
        try Self.known(type, id, subject: subject, in: transaction).ownNumber
    }

    private static func known(
        _ type: String, _ id: String, subject: String, in transaction: any SQLTransaction
    ) throws -> (ownNumber: Int64?, isLoaded: Bool, order: RecordOrder?, digest: Data?) {
        let row = try transaction.first(
            """
            SELECT r.number, r.subject, r.received_ms, r.received_number, v.digest, l.encounter_num FROM record r
            JOIN record_version v ON v.number = r.number AND v.version = r.version
            LEFT JOIN warehouse_loaded l ON l.number = r.number
            WHERE \(RecordKey.condition)
            """, [RecordKey.value(type: type, id: id)])
        let isOwn = row?.textIfPresent("subject") == subject
        return (
            isOwn ? row?.integerIfPresent("number") : nil, row?.integerIfPresent("encounter_num") != nil,
            try row.map { row in
                RecordOrder(
                    receivedMilliseconds: try row.integer("received_ms"), number: try row.integer("received_number"))
            }, row?.blobIfPresent("digest")
        )
    }
}

extension HealthLoader.Report {
    fileprivate mutating func pass(_ counterKey: HealthImportReport.CounterKey?, as reason: SkipReason) {
        if reason == .duplicate { duplicates += 1 } else { alreadyKnown += 1 }
        if let counterKey { repeats[Repeat(counterKey: counterKey, reason: reason), default: 0] += 1 }
    }
}
