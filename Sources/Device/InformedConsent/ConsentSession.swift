import FHIR
import Foundation

/// One person's session of reading, answering and signing a consent.
public struct ConsentSession: Sendable {
    /// The study's consent.
    public let template: ConsentTemplate
    /// The person's answers so far.
    public var answers: ConsentAnswers
    /// The rules for the facts about the person in the Patient that is sent.
    public var pseudonymization: Pseudonymization

    /// Creates a session.
    public init(
        template: ConsentTemplate, answers: ConsentAnswers = ConsentAnswers(),
        pseudonymization: Pseudonymization = Pseudonymization()
    ) {
        self.template = template
        self.answers = answers
        self.pseudonymization = pseudonymization
    }

    /// The eligibility verdict for the answers so far.
    public var verdict: EligibilityVerdict { template.eligibility.verdict(answers.eligibility) }

    /// The signer, the time, and the ids of the signing.
    public struct Signing: Sendable {
        /// The name of the signer. It is only in the document, not in the Contract.
        public var name: String
        /// The signature as a PNG file.
        public var image: Data?
        /// The time of signing.
        public var now: Date
        /// Minutes east of UTC at the person's location.
        public var offsetMinutes: Int
        /// The participant's id from an earlier consent; nil creates a new one.
        public var participant: String?
        /// The study team's code for a participant with a new phone. The consent is signed for the participant in the
        /// code, regardless of ``participant``, and contains the code.
        public var moveCode: ParticipantMoveCode?
        /// The study team's invitation code, if the study requires one.
        public var invitation: InvitationCode?
        /// The public key of the device's signatures, a JWK (`DeviceStore.deviceKey()` of the outbox). The study
        /// accepts only submissions that this key signed as the participant's.
        public var deviceKey: String?
        /// Creates new ids.
        public var makeID: @Sendable () -> UUID

        /// Creates a signing. Without a participant or a move code it is the signing of a new participant.
        public init(
            name: String, image: Data? = nil, now: Date, offsetMinutes: Int = 0, participant: String? = nil,
            moveCode: ParticipantMoveCode? = nil, invitation: InvitationCode? = nil, deviceKey: String? = nil,
            makeID: @escaping @Sendable () -> UUID = { UUID() }
        ) {
            self.name = name
            self.image = image
            self.now = now
            self.offsetMinutes = offsetMinutes
            self.participant = participant
            self.moveCode = moveCode
            self.invitation = invitation
            self.deviceKey = deviceKey
            self.makeID = makeID
        }
    }

    /// Signs the consent.
    ///
    /// - Throws: ``ConsentError/notEligible(_:)``, ``ConsentError/eligibilityUnanswered(_:)``,
    ///   ``ConsentError/sharingUnanswered``, ``ConsentError/nameMissing``. Nothing is created then.
    public func sign(_ signing: Signing) throws(ConsentError) -> SignedConsent {
        let verdict = verdict
        switch verdict.isEligible {
        case false?: throw ConsentError.notEligible(verdict)
        case nil: throw ConsentError.eligibilityUnanswered(verdict)
        case true?: break
        }
        if template.requiresSharingAnswer, answers.sharing == nil { throw ConsentError.sharingUnanswered }
        let name = signing.name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { throw ConsentError.nameMissing }
        let now = DateTime(signing.now, offsetMinutes: signing.offsetMinutes)
        let participant =
            signing.moveCode?.participant ?? signing.participant ?? signing.makeID().uuidString.lowercased()
        let contractID = signing.makeID().uuidString.lowercased()
        return SignedConsent(
            contract: template.signed(
                id: contractID, participant: participant, sharing: template.asksForSharing ? answers.sharing : nil,
                moveCode: signing.moveCode, invitation: signing.invitation, deviceKey: signing.deviceKey, now: now),
            patient: pseudonymization.patient(id: participant, facts: answers.person, today: now),
            document: ConsentDocumentLayout(
                template: template, answers: answers,
                signature: ConsentDocumentLayout.Signature(
                    name: name, date: ConsentDocumentLayout.written(now), image: signing.image)))
    }
}
