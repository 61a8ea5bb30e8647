import FHIR
import Foundation
import InformedConsent
import Records
import Storage
import Warehouse

/// The consent of a participant who signed on paper: the site keeps the sheet, the house keeps a Contract that says so.
///
/// Data is stored only while there is a Contract, whichever way it comes; so a site that loads data itself says with this
/// that the participant signed. What a participant took back later stays taken back until they sign anew.
public struct PaperConsent: Sendable {
    public let subject: String
    /// The day or the instant of the signature.
    public let signedAt: DateTime
    /// Says how it came.
    public let provenance: RecordProvenance

    public init(subject: String, signedAt: DateTime, provenance: RecordProvenance) {
        self.subject = subject
        self.signedAt = signedAt
        self.provenance = provenance
    }

    /// The outcome of recording a consent.
    public enum Outcome: Sendable, Hashable {
        /// The participant was known as consented; nothing was written.
        case wasConsented
        /// The Contract, and the Patient where there was none, were recorded.
        case recorded
        /// The participant has withdrawn at this time or later than they signed; nothing was written.
        case isWithdrawn
    }

    /// Records it where the participant's consent is not on file.
    ///
    /// - Parameter isRenewal: records a signature of a participant who has withdrawn, where it is newer.
    /// - Throws: ``ConsumerError`` `participant-deleted`.
    public func record(isRenewal: Bool, at: Date, in transaction: any SQLTransaction) throws -> Outcome {
        try ConsumerError.refuseDeleted(subject, in: transaction)
        let register = ConsentRegister()
        let state = try register.state(of: subject, in: transaction)
        switch state.standing {
        case .consented: return .wasConsented
        case .withdrawn where !isRenewal: return .isWithdrawn
        case .none, .withdrawn: break
        }
        let contract = contract
        let signed = try SignedContractReader.read(
            contract, receivedAt: provenance.receivedAt, number: provenance.number)
        // On paper the day counts: the sheet may have lain for long.
        if let withdrawnAt = state.withdrawnAt, signed.signedAt <= withdrawnAt { return .isWithdrawn }
        let next = state.applying(signed)
        guard next.standing == .consented else { return .isWithdrawn }
        let records = RecordStore()
        if try records.read(type: Patient.resourceType, id: subject, in: transaction) == nil {
            try store(Patient(id: subject).resource, at: at, in: transaction)
        }
        try store(contract.resource, at: at, in: transaction)
        try register.save(next, of: subject, clientID: provenance.clientID, at: at, in: transaction)
        return .recorded
    }

    /// The Contract: who signed, when, and that it was on paper. One participant's Contracts differ by their day.
    var contract: Contract {
        let person = Reference("Patient/" + subject)
        var contract = Contract(id: Self.id(subject, signedAt))
        contract.status = .executed
        contract.title = "Consent signed on paper"
        var period = Period()
        period.start = signedAt
        contract.applies = period
        let purpose = Coding(
            system: ConsentVocabulary.signatureType, code: ConsentVocabulary.consentSignature,
            display: "Consent Signature")
        let signature = Signature(type: [purpose], when: DateTime(signedAt.start()), who: person)
        let consenter = Coding(system: ConsentVocabulary.signerType, code: "CONSENTER", display: "Consenter")
        contract.signer = [Contract.Signer(type: consenter, party: person, signature: [signature])]
        return contract
    }

    private func store(_ resource: Resource, at: Date, in transaction: any SQLTransaction) throws {
        guard let id = resource.id else { return }
        let result = try RecordStore().put(
            resource, content: resource.json.data(), original: nil, id: id, provenance: provenance, at: at,
            in: transaction)
        let context = LoadContext(
            subject: subject, submissionID: provenance.submissionID, receivedAt: provenance.receivedAt, loadedAt: at)
        try WarehouseLoader().load(
            resource, result, context: context, in: transaction)
    }

    /// The same for the same participant and day, and fit for an id of FHIR.
    private static func id(_ subject: String, _ signedAt: DateTime) -> String {
        let day = signedAt.text.prefix(10)
        let name = "paper-\(day)-\(subject)"
        return Resource.isID(name) ? name : "paper-\(day)-" + String(subject.suffix(64 - 17))
    }
}
