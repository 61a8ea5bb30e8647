import Admission
import Consumer
import Enrolments
import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import StudyFiles
import StudyKeys
import Warehouse
import Wire

/// Composes the rules of admission and the consumer's parts for a study's folder.
package enum StudyProcessing {
    /// Returns the rules by which the study admits resources. They read no key.
    package static func admission(
        folder: StudyFolder, study: StudyConfiguration, records: any SQLDatabase, clock: @escaping @Sendable () -> Date
    ) -> StudyAdmission {
        let urls = folder.consentFiles.folders + [folder.questionnairesURL, folder.healthTypesURL]
        let files = PublishedFiles(urls) { (former: PublishedStudy?) in
            // If the study's own types cannot be read, the earlier ones are used.
            PublishedStudy(
                templates: folder.consents(), forms: folder.questionnaires(), valueSets: folder.valueSets(),
                health: (try? folder.healthConcepts()) ?? former?.health ?? .standard,
                records: Set(folder.publishedRecords().map { $0.resourceType + "/" + ($0.id ?? "") }))
        }
        let published = PublishedStudyFiles(files, records: records)
        return StudyAdmission(
            c3pro: study.c3pro, maximumResources: study.maximumResourcesPerSubmission,
            validation: SubmissionValidation(strictness: study.validation, profiles: folder.profiles()),
            identifyingData: study.identifyingDataHandling,
            withdrawalGrace: TimeInterval(study.withdrawalGraceDays) * 86_400,
            ownBases: study.publicURL.map { [$0 + "/fhir"] } ?? [],
            published: { await published.value() }, clock: clock)
    }

    /// Returns the processor that opens submissions, applies the rules of admission, records and loads.
    package static func processor(
        folder: StudyFolder, study: StudyConfiguration, records: any SQLDatabase, access: EnrolmentStore,
        openers: KeyOpenerCache, clock: @escaping @Sendable () -> Date
    ) -> SubmissionProcessor {
        SubmissionProcessor(
            database: records, access: access, records: RecordStore(), loader: WarehouseLoader(), openers: openers,
            admission: admission(folder: folder, study: study, records: records, clock: clock),
            signatures: SignaturePolicy(
                study: study.id, acceptsUnsigned: study.unsigned,
                acceptsGateway: study.acceptPlainFHIR || study.c3pro.isAccepted,
                requiresInvitation: study.requiresInvitation),
            links: StudyStores.linkIntake(of: folder), clock: clock)
    }
}
