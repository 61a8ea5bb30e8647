import FHIR
import Foundation
import InformedConsent
import Warehouse

/// Rules by which a study admits a resource: validation, answers, identifying data and consent.
///
/// The consumer applies them to submissions of devices; the FHIR API and the gateway apply them to what they write. They
/// need no private key.
package struct StudyAdmission: Sendable {
    /// C3-PRO content that the study accepts.
    package let c3pro: C3PROAcceptance
    /// Maximum number of resources in a submission.
    package let maximumResources: Int
    /// Strictness of FHIR validation.
    package let validation: SubmissionValidation
    /// Handling of identifying data.
    package let identifyingData: IdentifyingDataHandling
    /// Seconds for which data is held after a withdrawal before it is refused.
    package let withdrawalGrace: TimeInterval
    /// Base URLs of the FHIR API, without a trailing slash; empty if its address is unknown.
    package let ownBases: [String]
    /// Returns the published files of the study; called for each submission, because files may be added at runtime.
    package let published: @Sendable () async -> PublishedStudy
    package let clock: @Sendable () -> Date
    package let gate = ConsentGate()
    package let register = ConsentRegister()
    package let suspensions = SuspensionRegister()
    let loader = WarehouseLoader()

    package init(
        c3pro: C3PROAcceptance, maximumResources: Int, validation: SubmissionValidation,
        identifyingData: IdentifyingDataHandling = .quarantine, withdrawalGrace: TimeInterval = 0,
        ownBases: [String] = [], published: @escaping @Sendable () async -> PublishedStudy,
        clock: @escaping @Sendable () -> Date
    ) {
        self.c3pro = c3pro
        self.maximumResources = maximumResources
        self.validation = validation
        self.identifyingData = identifyingData
        self.withdrawalGrace = withdrawalGrace
        self.ownBases = ownBases
        self.published = published
        self.clock = clock
    }

    /// Reader of the resources in submissions.
    package var reader: SubmissionReader {
        SubmissionReader(
            maximumResources: maximumResources, validation: validation, answers: answers,
            contracts: ContractValidation(c3pro: c3pro), identifyingData: identifyingData, ownBases: ownBases)
    }

    var answers: AnswerValidation {
        AnswerValidation(strictness: validation.strictness, acceptsC3PRO: c3pro.isAccepted)
    }
}
