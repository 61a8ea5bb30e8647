import FHIR
import Foundation

/// One person's way through a consent: the answers, and at the end the signature.
public struct ConsentSession: Sendable {
    /// The study's consent that is read and signed.
    public let template: ConsentTemplate
    /// The person's answers so far.
    public var answers: ConsentAnswers
    /// The rules by which facts about the person go into the Patient that is sent.
    public var pseudonymization: Pseudonymization

    /// Begins a person's way through a consent.
    public init(
        template: ConsentTemplate, answers: ConsentAnswers = ConsentAnswers(),
        pseudonymization: Pseudonymization = Pseudonymization()
    ) {
        self.template = template
        self.answers = answers
        self.pseudonymization = pseudonymization
    }

    /// The verdict about taking part that the answers so far give.
    public var verdict: EligibilityVerdict { template.eligibility.verdict(answers.eligibility) }

    /// Who signs, when, and with what ids.
    public struct Signing: Sendable {
        /// The name of the person who signs. It stands in the document alone, and not in the Contract.
        public var name: String
        /// The signature as a PNG file.
        public var image: Data?
        /// The moment of signing.
        public var now: Date
        /// Minutes east of UTC at the person's place.
        public var offsetMinutes: Int
        /// The participant's id from an earlier consent; nil makes a new one.
        public var participant: String?
        /// The study team's code for a participant with a new phone: the consent is signed for the participant whom it
        /// names, whatever ``participant`` says, and carries it.
        public var moveCode: ParticipantMoveCode?
        /// The study team's code by which somebody begins, where the study asks for one.
        public var invitation: InvitationCode?
        /// The public key with which the device signs what it sends, a JWK (`DeviceStore.deviceKey()` of the outbox). The
        /// study takes what this key signed, and nothing else, for the participant's.
        public var deviceKey: String?
        /// Makes the ids.
        public var makeID: @Sendable () -> UUID

        /// Makes a signing; without a participant or a code for moving it is that of a new participant.
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
    ///   ``ConsentError/sharingUnanswered``, ``ConsentError/nameMissing``. Nothing is made then.
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
