import FHIR
import Foundation
import RecordStorage
import Storage

/// Compares the facts with the records, slice by slice, each in a transaction of its caller.
package struct WarehouseVerification: Sendable {
    /// A resource whose stored rows differ from those that would be made today.
    package struct Difference: Sendable, Hashable {
        /// `Type/id`; for facts without a record, the name of their encounter.
        package let resource: String
        /// The number of missing rows, including modifiers.
        package let missing: Int
        /// The number of surplus rows.
        package let surplus: Int
    }

    /// The result of a verification.
    package struct Report: Sendable, Hashable {
        /// The number of facts, without their modifiers.
        package var facts = 0
        /// The number of resources with facts.
        package var resources = 0
        package var differences: [Difference] = []

        package init() {}
    }

    private let concepts: StudyConcepts
    private let isLeftOut: @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    private var lastNumber: Int64 = 0

    /// - Parameter isLeftOut: returns whether a record has no facts, for instance that of a deleted participant.
    package init(
        _ concepts: StudyConcepts,
        isLeftOut: @escaping @Sendable (_ subject: String, RecordProvenance, any SQLTransaction) throws -> Bool
    ) {
        self.concepts = concepts
        self.isLeftOut = isLeftOut
    }

    /// Compares the next records.
    ///
    /// - Returns: false if there were none.
    package mutating func slice(
        of limit: Int, into report: inout Report, in transaction: any SQLTransaction
    ) throws -> Bool {
        let page = try RecordStore().present(after: lastNumber, limit: limit, in: transaction)
        guard let last = page.last else { return false }
        let rules = try AppliedDeidentification(in: transaction)
        for record in page {
            guard let subject = record.subject else { continue }
            let stored = record.record
            let entry = try concepts.entry(
                of: stored.content, id: stored.id, receivedAt: stored.provenance.receivedAt)
            let context = LoadContext(
                subject: subject, submissionID: "", receivedAt: stored.provenance.receivedAt,
                loadedAt: stored.provenance.receivedAt
            ).applying(rules)
            guard let facts = entry.facts?.applying(context), try !isLeftOut(subject, stored.provenance, transaction)
            else { continue }
            report.resources += 1
            report.facts += facts.facts.count
            let wanted = FactWriter.rows(of: facts, encounter: 0).map { FactContent($0) }
            let found = try Self.rows(of: record.number, encounter: facts.encounter, subject, in: transaction)
            report.compare(facts.ide, wanted: wanted, found: found)
        }
        lastNumber = last.number
        return true
    }

    /// Finds facts of resources that are not in the records, page by page.
    ///
    /// - Parameter last: the last encounter of the previous page; 0 for the first page.
    /// - Returns: the last encounter of this page; nil after the last page.
    package func orphans(
        after last: Int64, limit: Int, into report: inout Report, in transaction: any SQLTransaction
    ) throws -> Int64? {
        let page = try LoadedEncounter.page(after: last, limit: limit, in: transaction)
        for (encounter, remains) in try LoadedEncounter.remains(of: page.encounters, in: transaction) {
            let surplus = remains.facts.values.reduce(0, +)
            guard surplus > 0 else { continue }
            report.differences.append(Difference(resource: encounter.ide, missing: 0, surplus: surplus))
        }
        return page.last
    }

    /// Returns the rows of a record's facts; none if they are in another encounter.
    private static func rows(
        of number: Int64, encounter: FactEncounter, _ participant: String, in transaction: any SQLTransaction
    ) throws -> [FactContent] {
        let row = try transaction.first(
            loadedSQL, [SQLValue(participant), SQLValue(WarehouseLoader.source), SQLValue(number)])
        guard let row, try row.text("encounter_ide") == encounter.ide else { return [] }
        let own = try LoadedRecord(row).facts
        return try transaction.query(
            "SELECT \(FactContent.columnNames.joined(separator: ", ")) FROM observation_fact WHERE \(own.condition)",
            own.parameters
        ).map { try FactContent($0) }
    }

    /// The loaded state of a record, with the name of its encounter. Parameters: participant, source, record.
    static let loadedSQL = """
        SELECT l.*, m.encounter_ide FROM warehouse_loaded l
        JOIN visit_dimension v ON v.encounter_num = l.encounter_num
        JOIN warehouse_patient w ON w.patient_num = v.patient_num AND w.participant = ?
        JOIN encounter_mapping m ON m.encounter_num = l.encounter_num AND m.encounter_ide_source = ?
        WHERE l.number = ?
        """
}

extension WarehouseVerification.Report {
    fileprivate mutating func compare(_ resource: String, wanted: [FactContent], found: [FactContent]) {
        var open: [FactContent: Int] = [:]
        for content in wanted { open[content, default: 0] += 1 }
        for content in found { open[content, default: 0] -= 1 }
        let missing = open.values.reduce(0) { $0 + max(0, $1) }
        let surplus = open.values.reduce(0) { $0 + max(0, -$1) }
        guard missing + surplus > 0 else { return }
        differences.append(.init(resource: resource, missing: missing, surplus: surplus))
    }
}
