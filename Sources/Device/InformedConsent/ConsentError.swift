import FHIR

/// An error of a consent that cannot be read, given or withdrawn. Apart from the study's own eligibility questions, no
/// case contains a person's answers about their health, and no message contains any of them.
public enum ConsentError: CodedError, Hashable {
    /// The resource is of another type.
    case notAContract
    /// The contract has no section that can be displayed.
    case noSections
    /// The answers to the eligibility questions exclude the person.
    case notEligible(EligibilityVerdict)
    /// Eligibility questions are not answered.
    case eligibilityUnanswered(EligibilityVerdict)
    /// The contract asks about sharing and the question is not answered.
    case sharingUnanswered
    /// A member of the answers is invalid; the value is its name.
    case invalidAnswer(String)
    /// The name of the signer is missing.
    case nameMissing
    /// The contract has no signature of a consenter.
    case notSigned
    /// The patient who signed cannot be determined.
    case subjectUnclear
    /// The resource is not a withdrawal of a research consent.
    case notAWithdrawal
    /// The move code is malformed.
    case moveCodeInvalid
    /// The invitation code is malformed.
    case invitationInvalid
    /// The Contract contains several device keys, or an invalid one.
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

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .notAContract: "The consent document is not a FHIR Contract; pass the study's Contract as JSON."
        case .noSections: "The Contract has no consent section; each term needs a type of ORKConsentSectionType."
        case .notEligible: "The answers to the eligibility questions do not permit participation."
        case .eligibilityUnanswered(let verdict):
            "\(verdict.unanswered.count) of the eligibility questions are not answered; answer each with true or false."
        case .sharingUnanswered: "The Contract asks about sharing; answer \"sharing\" with true or false."
        case .invalidAnswer(let name): "The answer \"\(name)\" is invalid; write \(Self.shapes[name] ?? "a text")."
        case .nameMissing: "A name is needed to sign the consent."
        case .notSigned: "The Contract has no signature."
        case .subjectUnclear: "The patient who signed the Contract cannot be determined."
        case .notAWithdrawal: "The Consent is not a withdrawal: its status must be inactive and its scope research."
        case .moveCodeInvalid:
            "The code for moving to another phone is malformed. It has 26 letters and digits, a dot, and the participant's id. Ask the study team for a new one."
        case .invitationInvalid:
            "The invitation code is malformed. It has 26 letters and digits. Ask the study team for a new one."
        case .deviceKeyInvalid: "The Contract does not contain exactly one device key: sign it again with a newer app."
        }
    }

    /// The form of each answer in JSON, by its name.
    private static let shapes = [
        "answers": "an object",
        "eligibility": #"{"QUESTION": true} with the text of each question"#,
        "sharing": "true or false",
        "birthDate": "a date such as 1990-02-02, or a year",
        "gender": "male, female, other or unknown",
    ]
}
