import FHIR
import Foundation
import RecordStorage
import Storage

/// The load of one submission into the i2b2 tables, within one transaction: an upload in the terms of i2b2. All loads
/// use it.
package struct WarehouseUpload {
    private let transaction: any SQLTransaction
    private let context: LoadContext
    private let ontology: OntologyWriter
    private let patient: Int64
    /// The upload's row is created when there is something to upload.
    private var number: Int64?
    private var facts: FactWriter?
    /// The encounters of the announced resources.
    private var expected: [FactEncounter] = []
    /// The announced records.
    private var expectedRecords: [Int64] = []
    /// Concepts that are known to be in the ontology.
    private(set) var ensured: Set<ConceptUse>

    /// - Parameter ensured: concepts that an earlier transaction of the same load added to the ontology.
    init(_ context: LoadContext, ensured: Set<ConceptUse>, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        let context = context.applying(try AppliedDeidentification(in: transaction))
        self.context = context
        self.ensured = ensured
        ontology = OntologyWriter(transaction: transaction, at: context.loadedAt)
        if ensured.isEmpty { try ontology.ensureFoundation() }
        patient = try Numbering(transaction: transaction, context: context).patient()
    }

    /// A resource to load, with the result of storing its record.
    package struct Load {
        let entry: WarehouseEntry
        let record: Int64
        let isNew: Bool
        let isCurrent: Bool

        /// Creates the load of a resource of a submission.
        package init(_ entry: WarehouseEntry, _ put: PutResult) {
            self.init(entry, of: put.number, isNew: put.outcome == .created, isCurrent: put.isCurrent)
        }

        init(_ entry: WarehouseEntry, of record: Int64, isNew: Bool, isCurrent: Bool = true) {
            self.entry = entry
            self.record = record
            self.isNew = isNew
            self.isCurrent = isCurrent
        }
    }

    /// Loads resources, in this order. One query finds their existing encounters.
    package mutating func load(contentsOf loads: [Load]) throws {
        expect(loads.lazy.map(\.entry))
        for load in loads {
            try self.load(load.entry, of: load.record, isNew: load.isNew, isCurrent: load.isCurrent)
        }
    }

    /// Announces the next resources, so that one query finds their existing encounters.
    ///
    /// - Parameter records: the numbers of records that are loaded again. Each is the present version and has
    ///   ``WarehouseEntry/facts``.
    mutating func expect(_ entries: some Sequence<WarehouseEntry>, records: [Int64] = []) {
        expectedRecords = records
        expected = entries.compactMap { entry in
            entry.facts.flatMap { $0.facts.isEmpty ? nil : $0.encounter.shifted(byDays: context.shiftDays) }
        }
    }

    /// Loads one resource.
    ///
    /// - Parameter put: the result of storing the record. For a version that is not the present one, no fact and no
    ///   row of a participant or contract is written, but a withdrawal is processed.
    @discardableResult
    package mutating func load(_ entry: WarehouseEntry, _ put: PutResult) throws -> LoadReport {
        try load(entry, of: put.number, isNew: put.outcome == .created, isCurrent: put.isCurrent)
    }

    /// Loads one resource.
    ///
    /// - Parameters:
    ///   - record: the record's number.
    ///   - isNew: whether the record was created in this transaction, so that nothing of it is loaded.
    ///   - isCurrent: whether the entry is of the present version.
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
            // The ontology does not depend on the version that is handled first.
            for concept in DimensionConcepts.concepts(of: row) { try ontology.ensure(concept) }
            if isCurrent { try row.write(for: patient, upload: upload, context: context, in: transaction) }
        case .contract, nil: break
        }
        guard isCurrent else { return LoadReport(isOutdated: true) }
        guard let facts = entry.facts?.applying(context) else { return LoadReport() }
        try write(facts, of: record, isNew: isNew)
        return LoadReport(facts: facts.facts.count, warnings: entry.warnings)
    }

    /// The number of written facts, without their modifiers.
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
