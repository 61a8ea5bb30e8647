import Consumer
import FHIR
import Foundation
import InformedConsent
import Records
import Storage
import Trust
import Warehouse
import Wire

/// Puts the consumer's parts together for a study's folder.
public enum StudyProcessing {
    /// The processor that opens, gates, records and loads.
    public static func processor(
        folder: StudyFolder, study: StudyConfiguration, records: any SQLDatabase, access: AccessControl,
        clock: @escaping @Sendable () -> Date
    ) -> SubmissionProcessor {
        let published = PublishedFiles(folder)
        return SubmissionProcessor(
            database: records, access: access, records: RecordStore(), loader: WarehouseLoader(),
            openers: KeyOpenerCache(folder: folder.keys),
            study: .init(
                acceptsC3PRO: study.c3pro, maximumResources: study.maximumResourcesPerSubmission,
                validation: SubmissionValidation(strictness: study.validation, profiles: folder.profiles()),
                withdrawalGrace: TimeInterval(study.withdrawalGraceDays) * 86_400,
                published: { await published.study() }),
            clock: clock)
    }

    /// Writes the concepts of the published forms and of the study's health types.
    ///
    /// - Parameter health: the concepts of the health types, if they are not those of the study's folder.
    /// - Throws: what is wrong in the study's own types, too.
    public static func loadOntology(
        folder: StudyFolder, database: any SQLDatabase, now: Date, health: [HealthConcept]? = nil
    ) async throws {
        let health = try health ?? HealthConcept.concepts(supplement: folder.healthTypes())
        let forms = folder.resources(in: folder.questionnairesURL, ofType: Questionnaire.resourceType)
            .map { Questionnaire($0.resource.object) }
        try await database.write { transaction in
            let loader = WarehouseLoader()
            try loader.ensureHealthOntology(health, at: now, in: transaction)
            for form in forms { try loader.ensureOntology(questionnaire: form, at: now, in: transaction) }
        }
    }
}
