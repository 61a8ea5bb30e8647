import Foundation

// In ResearchKit's folder Stale; ORKVisualConsentStep no longer exists.

public enum ORKConsentSectionType: Int, Sendable {
    case overview, dataGathering, privacy, dataUse, timeCommitment, studySurvey, studyTasks, withdrawing, custom
    case onlyInDocument
}

open class ORKConsentSection: NSObject {
    public let type: ORKConsentSectionType
    open var title: String?
    open var formalTitle: String?
    open var summary: String?
    open var content: String?
    open var htmlContent: String?
    open var contentURL: URL?
    open var omitFromDocument = false

    public init(type: ORKConsentSectionType) { self.type = type }
}

open class ORKConsentSignature: NSObject {
    open var requiresName = true
    open var requiresSignatureImage = true
    open var identifier: String
    open var title: String?
    open var givenName: String?
    open var familyName: String?
    open var signatureImage: UIImage?
    open var signatureDate: String?
    open var signatureDateFormatString: String?

    public init(forPersonWithTitle title: String?, dateFormatString: String?, identifier: String) {
        self.identifier = identifier
        self.title = title
        signatureDateFormatString = dateFormatString
    }
}

open class ORKConsentDocument: NSObject {
    open var title: String?
    open var signaturePageTitle: String?
    open var signaturePageContent: String?
    open var htmlReviewContent: String?
    open var sections: [ORKConsentSection]?
    open var signatures: [ORKConsentSignature]?

    open func addSignature(_ signature: ORKConsentSignature) { signatures = (signatures ?? []) + [signature] }
}

open class ORKConsentReviewStep: ORKStep {
    public let consentDocument: ORKConsentDocument
    public let signature: ORKConsentSignature?
    open var requiresScrollToBottom = false
    open var reasonForConsent: String?

    public init(identifier: String, signature: ORKConsentSignature?, in document: ORKConsentDocument) {
        consentDocument = document
        self.signature = signature
        super.init(identifier: identifier)
    }
}

open class ORKConsentSignatureResult: ORKResult {
    open var signature: ORKConsentSignature?
    open var consented = false
}
