import FHIR
import Foundation

/// The withdrawal of a consent: an R4 Consent with status `inactive` whose source is the signed Contract.
public struct ConsentWithdrawal: Sendable, Hashable {
    /// The id of the Consent; nil where the sender gave none.
    public let id: String?
    /// The id of the Patient who withdraws.
    public let subject: String
    /// The id of the Contract that is withdrawn; nil means the consent to the study, whichever Contract it is.
    public let contractID: String?
    /// The moment of withdrawal, `Consent.dateTime`; when read from a Consent, never later than its receipt
    /// (<https://hl7.org/fhir/R4/consent-definitions.html#Consent.dateTime>).
    public let withdrawnAt: Date
    /// When it came; nil where that was not kept.
    public let arrival: ConsentArrival?

    /// Makes a withdrawal of its parts.
    public init(
        id: String?, subject: String, contractID: String?, withdrawnAt: Date, arrival: ConsentArrival? = nil
    ) {
        self.arrival = arrival
        self.id = id
        self.subject = subject
        self.contractID = contractID
        self.withdrawnAt = withdrawnAt
    }

    /// Reads a withdrawal.
    ///
    /// - Parameters:
    ///   - receivedAt: the time that counts where the Consent has none or one that is still to come.
    ///   - number: the server's count of what it receives.
    /// - Throws: ``ConsentError/notAWithdrawal``, ``ConsentError/subjectUnclear``.
    public init(_ consent: Consent, receivedAt: Date, number: Int64 = 0) throws(ConsentError) {
        guard consent.resourceType == Consent.resourceType, consent.status == .inactive,
            consent.scope?.coding.contains(where: { $0.code == "research" }) ?? false
        else { throw ConsentError.notAWithdrawal }
        guard let patient = consent.patient?.literal, patient.type == "Patient" else {
            throw ConsentError.subjectUnclear
        }
        id = consent.id
        subject = patient.id
        var source: (type: String, id: String)?
        if case .reference(let reference)? = consent.source { source = reference.literal }
        contractID = source.flatMap { $0.type == "Contract" ? $0.id : nil }
        withdrawnAt = min(consent.dateTime?.start() ?? receivedAt, receivedAt)
        arrival = ConsentArrival(receivedAt: receivedAt, number: number)
    }

    /// Writes a withdrawal as R4 Consent.
    ///
    /// - Parameters:
    ///   - id: the id of the Consent, a UUID.
    ///   - policy: the canonical name of the consent's template, where there is one.
    ///   - now: the moment of withdrawal.
    ///   - offsetMinutes: minutes east of UTC at the person's place.
    public static func consent(
        id: UUID, participant: String, contractID: String, policy: String?, now: Date, offsetMinutes: Int = 0
    ) -> Consent {
        let scope = CodeableConcept(
            coding: [Coding(system: ConsentVocabulary.consentScope, code: "research", display: "Research")])
        let category = CodeableConcept(coding: [
            Coding(
                system: ConsentVocabulary.consentCategory, code: "research", display: "Research Information Access")
        ])
        var consent = Consent(id: id.uuidString.lowercased(), status: .inactive, scope: scope, category: [category])
        consent.patient = Reference("Patient/" + participant)
        consent.dateTime = DateTime(now, offsetMinutes: offsetMinutes)
        consent.performer = [Reference("Patient/" + participant)]
        consent.source = .reference(Reference("Contract/" + contractID))
        // R4 requires a policy or a policy rule (ppc-1).
        if let policy {
            var named = Consent.Policy()
            named.uri = policy
            consent.policy = [named]
        } else {
            consent.policyRule = CodeableConcept(coding: [], text: "Withdrawal from the study")
        }
        return consent
    }
}
