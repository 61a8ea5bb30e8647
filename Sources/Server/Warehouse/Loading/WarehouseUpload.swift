import FHIR
import Foundation
import Records
import Storage

/// The load of one submission into the i2b2 tables, within one transaction: i2b2's upload. All that is loaded goes this
/// way.
public struct WarehouseUpload {
    private let transaction: any SQLTransaction
    private let context: LoadContext
    private let ontology: OntologyWriter
    private let patient: Int64
    /// The upload's row is made when there is something to upload.
    private var number: Int64?
    private var facts: FactWriter?
    /// The encounters of the resources that were said to come next.
    private var expected: [FactEncounter] = []
    /// The records that were said to come next.
    private var expectedRecords: [Int64] = []
    /// Concepts that are in the ontology for sure.
    private(set) var ensured: Set<ConceptUse>

    /// - Parameter ensured: concepts that an earlier transaction of the same load left in the ontology.
    init(_ context: LoadContext, ensured: Set<ConceptUse>, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        let context = context.applying(try AppliedDeidentification(in: transaction))
        self.context = context
        self.ensured = ensured
        ontology = OntologyWriter(transaction: transaction, at: context.loadedAt)
        if ensured.isEmpty { try ontology.ensureFoundation() }
        patient = try Numbering(transaction: transaction, context: context).patient()
    }

    /// Tells which resources are to be loaded next, so that a server is asked once which of their encounters it has.
    ///
    /// - Parameter records: the numbers of those that are loaded once more: each of them is the present and has ``WarehouseEntry/facts``.
    public mutating func expect(_ entries: some Sequence<WarehouseEntry>, records: [Int64] = []) {
        expectedRecords = records
        expected = entries.compactMap { entry in
            entry.facts.flatMap { $0.facts.isEmpty ? nil : $0.encounter.shifted(byDays: context.shiftDays) }
        }
    }

    /// Loads one resource.
    ///
    /// - Parameter put: what became of the resource in the records. Of what is history, no fact and no row of a participant
    ///   or contract is written; a withdrawal is heard.
    @discardableResult
    public mutating func load(_ entry: WarehouseEntry, _ put: PutResult) throws -> LoadReport {
        try load(entry, of: put.number, isNew: put.outcome == .created, isCurrent: put.isCurrent)
    }

    /// Loads one resource.
    ///
    /// - Parameters:
    ///   - record: the number that the records have for it.
    ///   - isNew: whether it was stored in this transaction for the first time, so that nothing is loaded of it.
    ///   - isCurrent: whether it is its present.
    @discardableResult
    mutating func load(
        _ entry: WarehouseEntry, of record: Int64, isNew: Bool = false, isCurrent: Bool = true
    ) throws -> LoadReport {
        if let form = entry.form { try ontology.ensure(form) }
        try ensure(entry.concepts)
        let upload = try uploadNumber()
        let consent = ConsentRows(transaction: transaction, context: context, patient: patient, upload: upload)
        switch entry.subject {
        case .consent(let withdrawal): try consent.withdraw(withdrawal)
        case .contract(let contract) where isCurrent: try consent.write(contract)
        case .patient(let resource):
            let row = PatientRow(resource, at: context.loadedAt)
            // Whichever version was handled first, the ontology is the same.
            for concept in DimensionConcepts.concepts(of: row) { try ontology.ensure(concept) }
            if isCurrent { try row.write(patient, upload, context, in: transaction) }
        case .contract, nil: break
        }
        guard isCurrent else { return LoadReport(isOutdated: true) }
        guard let facts = entry.facts?.applying(context) else { return LoadReport() }
        try write(facts, of: record, isNew: isNew)
        return LoadReport(facts: facts.facts.count, warnings: entry.warnings)
    }

    /// Facts that were written, without their modifiers.
    var factCount: Int { facts?.written ?? 0 }

    /// Ends the upload, once.
    mutating func finish() throws { try facts?.finish() }

    private mutating func ensure(_ concepts: [ConceptUse]) throws {
        for concept in concepts where !ensured.contains(concept) {
            try ontology.ensure(concept)
            ensured.insert(concept)
        }
    }

    private mutating func uploadNumber() throws -> Int64 {
        if let number { return number }
        let made = try Numbering(transaction: transaction, context: context).upload()
        number = made
        return made
    }

    private mutating func write(_ prepared: PreparedFacts, of record: Int64, isNew: Bool) throws {
        if facts == nil {
            let trail = UploadTrail(context: context, patient: patient, upload: try uploadNumber())
            facts = try FactWriter(trail, in: transaction)
        }
        if !expected.isEmpty { try facts?.expect(expected) }
        if !expectedRecords.isEmpty { try facts?.expect(records: expectedRecords) }
        (expected, expectedRecords) = ([], [])
        try facts?.write(prepared, of: record, isNew: isNew)
    }
}
