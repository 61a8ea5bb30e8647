import FHIR
import Foundation
import RecordStorage
import Storage

/// Loads resources into the i2b2 tables, in the caller's transaction.
///
/// A form's response is an encounter of its own. All measurements of a participant by one kind of source on one day
/// are one encounter. The tables contain the facts of each resource's present version. The records decide which
/// version that is, and loading it again gives the same rows.
package struct WarehouseLoader: Sendable {
    package init() {}

    static let source = "TRIBUTARY"

    /// Loads the resources of one submission.
    ///
    /// - Parameter body: loads the resources one by one, in the transaction.
    package func upload<Result>(
        _ context: LoadContext, in transaction: any SQLTransaction,
        _ body: (inout WarehouseUpload) throws -> Result
    ) throws -> Result {
        var ensured: Set<ConceptUse> = []
        return try upload(context, ensured: &ensured, in: transaction, body)
    }

    /// Loads the resources of one submission, or a part of them.
    ///
    /// - Parameter ensured: the concepts that are known to be in the ontology, from an earlier part.
    func upload<Result>(
        _ context: LoadContext, ensured: inout Set<ConceptUse>, in transaction: any SQLTransaction,
        _ body: (inout WarehouseUpload) throws -> Result
    ) throws -> Result {
        var upload = try WarehouseUpload(context, ensured: ensured, in: transaction)
        let result = try body(&upload)
        try upload.finish()
        ensured = upload.ensured
        return result
    }

    /// Loads one resource.
    ///
    /// - Parameter put: the result of storing the record (``WarehouseUpload/load(_:_:)``).
    @discardableResult
    package func load(
        _ entry: WarehouseEntry, _ put: PutResult, context: LoadContext, in transaction: any SQLTransaction
    ) throws -> LoadReport {
        try upload(context, in: transaction) { try $0.load(entry, put) }
    }

    /// Loads one resource.
    ///
    /// - Parameters:
    ///   - resource: the resource with the id of its record.
    ///   - put: the result of storing the record.
    ///   - questionnaire: the published form of a response, for its codes and options.
    /// - Throws: ``WarehouseError`` for a resource beyond the limits, before anything is written.
    @discardableResult
    package func load(
        _ resource: Resource, _ put: PutResult, questionnaire: Questionnaire? = nil, context: LoadContext,
        in transaction: any SQLTransaction
    ) throws -> LoadReport {
        let entry = try WarehouseEntry(
            resource, form: questionnaire.map { SurveyConcepts($0) }, receivedAt: context.receivedAt)
        return try load(entry, put, context: context, in: transaction)
    }

    /// Adds the concepts of resources to the ontology, before the transaction that loads the resources.
    package func ensureConcepts(of entries: [WarehouseEntry], at: Date, in transaction: any SQLTransaction) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        var known: Set<ConceptUse> = []
        for entry in entries {
            if let form = entry.form { try writer.ensure(form) }
            for concept in entry.concepts where known.insert(concept).inserted { try writer.ensure(concept) }
        }
    }

    /// Adds the concepts of a form, once. A later version adds to them and removes none.
    package func ensureOntology(form: SurveyConcepts, at: Date, in transaction: any SQLTransaction) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        try writer.ensure(form)
    }

    /// Adds the concepts of a form, once.
    package func ensureOntology(questionnaire: Questionnaire, at: Date, in transaction: any SQLTransaction) throws {
        try ensureOntology(form: SurveyConcepts(questionnaire), at: at, in: transaction)
    }
}

extension WarehouseLoader {
    /// Whether the ontology contains all concepts of the entries, so that nothing has to be written before loading.
    package func hasConcepts(of entries: [WarehouseEntry], in transaction: any SQLTransaction) throws -> Bool {
        var known: Set<ConceptUse> = []
        for entry in entries {
            for concept in entry.concepts where known.insert(concept).inserted {
                let row = try transaction.first(
                    "SELECT 1 AS one FROM warehouse_concept WHERE concept_cd = ? LIMIT 1", [SQLValue(concept.code)])
                if row == nil { return false }
            }
        }
        return true
    }
}
