import FHIR

/// An error of a consent that cannot be read, given or withdrawn. No case holds what a person answered about their
/// health beyond the study's own questions, and no message shows any of it.
public enum ConsentError: CodedError, Hashable {
    /// The resource is of another type.
    case notAContract
    /// The contract has no section that can be shown.
    case noSections
    /// The eligibility questions rule the person out.
    case notEligible(EligibilityVerdict)
    /// Eligibility questions stand open.
    case eligibilityUnanswered(EligibilityVerdict)
    /// The contract asks about sharing and there is no answer.
    case sharingUnanswered
    /// A member of the answers has not the form that is asked for; the value is its name.
    case invalidAnswer(String)
    /// Nobody can sign without a name.
    case nameMissing
    /// The contract bears no signature of a consenter.
    case notSigned
    /// It cannot be told which patient signed.
    case subjectUnclear
    /// The resource is no withdrawal of a research consent.
    case notAWithdrawal
    /// The code for moving to another phone has not the form of one.
    case moveCodeInvalid
    /// The code for beginning has not the form of one.
    case invitationInvalid
    /// The Contract carries a device's key twice, or something else in its place.
    case deviceKeyInvalid

    /// The stable code.
    public var code: String {
        switch self {
        case .notAContract: "consent-not-a-contract"
        case .noSections: "consent-contract-has-no-sections"
        case .notEligible: "consent-not-eligible"
        case .eligibilityUnanswered: "consent-eligibility-unanswered"
        case .sharingUnanswered: "consent-sharing-unanswered"
        case .invalidAnswer: "consent-invalid-answer"
        case .nameMissing: "consent-name-missing"
        case .notSigned: "consent-not-signed"
        case .subjectUnclear: "consent-subject-unclear"
        case .notAWithdrawal: "consent-not-a-withdrawal"
        case .moveCodeInvalid: "move-code-invalid"
        case .invitationInvalid: "invitation-invalid"
        case .deviceKeyInvalid: "device-key-invalid"
        }
    }

    /// A sentence that says what to do.
    public var message: String {
        switch self {
        case .notAContract: "The consent document is no FHIR Contract; give the study's Contract as JSON."
        case .noSections: "The Contract has no consent section; each term needs a type of ORKConsentSectionType."
        case .notEligible: "The answers to the eligibility questions do not permit taking part."
        case .eligibilityUnanswered(let verdict):
            "\(verdict.unanswered.count) of the eligibility questions are not answered; answer each with true or false."
        case .sharingUnanswered: "The Contract asks about sharing; answer \"sharing\" with true or false."
        case .invalidAnswer(let name): "The answer \"\(name)\" has not the form that is asked for."
        case .nameMissing: "A name is needed to sign the consent."
        case .notSigned: "The Contract bears no signature."
        case .subjectUnclear: "The Contract does not say clearly which patient signed it."
        case .notAWithdrawal: "The Consent is no withdrawal: its status must be inactive and its scope research."
        case .moveCodeInvalid:
            "The code for moving to another phone is not written as the study team gave it: 26 letters and digits, a dot, and the participant's id. Ask the team for a new one."
        case .invitationInvalid:
            "The code for beginning is not written as the study team gave it: 26 letters and digits. Ask the team for a new one."
        case .deviceKeyInvalid: "The Contract does not name one key of the device: sign it again with a newer app."
        }
    }
}
