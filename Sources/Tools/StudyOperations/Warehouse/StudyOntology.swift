import FHIR
import Foundation
import Storage
import StudyFiles
import Warehouse

/// The concepts of a study's published forms, its health types and its consent.
package struct StudyOntology: Sendable {
    let forms: [SurveyConcepts]
    let health: HealthConceptTable
    private let consentVersions: [String]

    /// - Parameter health: the health types, if they are not those of the study's folder.
    /// - Throws: an error of the study's own types.
    package init(_ folder: StudyFolder, health: HealthConceptTable? = nil) throws {
        let types = try health ?? folder.healthConcepts()
        let sets = PublishedValueSets(folder.valueSets())
        forms = folder.questionnaires().map { SurveyConcepts($0, health: types, valueSet: sets.valueSet) }
        self.health = types
        consentVersions = Set(folder.consents().compactMap(\.version)).sorted()
    }

    /// Returns the files and folders that it is made from.
    package static func urls(of folder: StudyFolder) -> [URL] {
        [folder.questionnairesURL, folder.healthTypesURL] + folder.consentFiles.folders
    }

    /// Adds missing concepts to the ontology, and updates the age groups.
    package func write(to database: any SQLDatabase, now: Date) async throws {
        try await database.write { try write(in: $0, now: now) }
    }

    /// Adds missing concepts to the ontology, and updates the age groups, in the caller's transaction.
    func write(in transaction: any SQLTransaction, now: Date) throws {
        let loader = WarehouseLoader()
        try loader.ensureHealthOntology(health.concepts, at: now, in: transaction)
        try loader.ensureConsentOntology(versions: consentVersions, at: now, in: transaction)
        try loader.aggregateAges(at: now, in: transaction)
        for form in forms { try loader.ensureOntology(form: form, at: now, in: transaction) }
    }
}
