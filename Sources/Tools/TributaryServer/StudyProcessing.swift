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
        openers: KeyOpenerCache, clock: @escaping @Sendable () -> Date
    ) -> SubmissionProcessor {
        let published = PublishedFiles(folder.consentFiles.folders + [folder.questionnairesURL]) {
            PublishedStudy(
                templates: folder.consents(), forms: folder.questionnaires(), valueSets: folder.valueSets())
        }
        return SubmissionProcessor(
            database: records, access: access, records: RecordStore(), loader: WarehouseLoader(),
            openers: openers,
            study: .init(
                c3pro: study.c3pro, maximumResources: study.maximumResourcesPerSubmission,
                validation: SubmissionValidation(strictness: study.validation, profiles: folder.profiles()),
                identifyingData: study.identifyingDataHandling,
                withdrawalGrace: TimeInterval(study.withdrawalGraceDays) * 86_400,
                signatures: SignaturePolicy(
                    study: study.id, acceptsUnsigned: study.unsigned,
                    acceptsGateway: study.acceptPlainFHIR || study.c3pro.isAccepted,
                    requiresInvitation: study.requiresInvitation),
                links: StudyStores.linkIntake(of: folder), published: { await published.value() }),
            clock: clock)
    }

    /// Writes the concepts of the published forms and of the study's health types, and counts ages anew.
    ///
    /// - Parameter health: the concepts of the health types, if they are not those of the study's folder.
    /// - Throws: what is wrong in the study's own types, too.
    public static func loadOntology(
        folder: StudyFolder, database: any SQLDatabase, now: Date, health: [HealthConcept]? = nil
    ) async throws {
        let health = try health ?? HealthConcept.concepts(supplement: folder.healthTypes())
        let sets = PublishedValueSets(folder.valueSets())
        let forms = folder.questionnaires().map { SurveyConcepts($0, valueSet: sets.valueSet) }
        try await database.write { transaction in
            let loader = WarehouseLoader()
            try loader.ensureHealthOntology(health, at: now, in: transaction)
            try loader.aggregateAges(at: now, in: transaction)
            for form in forms { try loader.ensureOntology(form: form, at: now, in: transaction) }
        }
    }
}
