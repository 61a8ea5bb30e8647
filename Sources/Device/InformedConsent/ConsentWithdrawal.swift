import FHIR
import Foundation

/// The withdrawal of a consent: an R4 Consent with status `inactive` whose source is the signed Contract.
public struct ConsentWithdrawal: Sendable, Hashable {
    /// The id of the Consent; nil if the sender gave none.
    public let id: String?
    /// The id of the Patient who withdraws.
    public let subject: String
    /// The id of the withdrawn Contract; nil means the consent to the study, independent of the Contract.
    public let contractID: String?
    /// The time of withdrawal, `Consent.dateTime`; when read from a Consent, never later than its receipt
    /// (<https://hl7.org/fhir/R4/consent-definitions.html#Consent.dateTime>).
    public let withdrawnAt: Date
    /// The arrival; nil if it was not stored.
    public let arrival: ConsentArrival?

    /// Creates a withdrawal from its parts.
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
    ///   - receivedAt: the time that is used if the Consent contains none or one in the future.
    ///   - number: the server's sequence number of received messages.
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

    /// Returns a withdrawal as an R4 Consent.
    ///
    /// - Parameters:
    ///   - id: the id of the Consent, a UUID.
    ///   - policy: the canonical name of the consent's template, if there is one.
    ///   - now: the time of withdrawal.
    ///   - offsetMinutes: minutes east of UTC at the person's location.
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
