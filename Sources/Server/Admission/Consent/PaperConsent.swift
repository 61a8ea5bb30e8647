import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Warehouse

/// Consent that a participant signed on paper: the site archives the sheet, and the server stores a Contract that
/// documents it.
///
/// Data is only stored while a Contract is in force, whatever its source; a site that loads data itself documents with
/// this that the participant signed. After a later withdrawal, the participant must sign again.
package struct PaperConsent: Sendable {
    package let subject: String
    /// Day or instant of the signature.
    package let signedAt: DateTime
    /// Provenance of the Contract.
    package let provenance: RecordProvenance

    package init(subject: String, signedAt: DateTime, provenance: RecordProvenance) {
        self.subject = subject
        self.signedAt = signedAt
        self.provenance = provenance
    }

    /// Outcome of recording a consent.
    package enum Outcome: Sendable, Hashable {
        /// The participant had already consented; nothing was written.
        case wasConsented
        /// The Contract was recorded, with a Patient if there was none.
        case recorded
        /// The participant has withdrawn at or after the time of the signature; nothing was written.
        case isWithdrawn
    }

    /// Records the consent if none is in force.
    ///
    /// - Parameter isRenewal: whether to record a newer signature of a participant who has withdrawn.
    /// - Throws: ``AdmissionError`` `participant-deleted`.
    package func record(isRenewal: Bool, at: Date, in transaction: any SQLTransaction) throws -> Outcome {
        try AdmissionError.refuseDeleted(subject, in: transaction)
        let register = ConsentRegister()
        let state = try register.state(of: subject, in: transaction)
        switch state.gateState {
        case .consented: return .wasConsented
        case .withdrawn where !isRenewal: return .isWithdrawn
        case .none, .withdrawn: break
        }
        let contract = contract
        let signed = try SignedContractReader.read(
            contract, receivedAt: provenance.receivedAt, number: provenance.number)
        // On paper, the day of the signature counts, because the sheet may be recorded much later.
        if let withdrawnAt = state.withdrawnAt, signed.signedAt <= withdrawnAt { return .isWithdrawn }
        let next = state.applying(signed)
        guard next.gateState == .consented else { return .isWithdrawn }
        let records = RecordStore()
        if try records.read(type: Patient.resourceType, id: subject, in: transaction) == nil {
            try store(Patient(id: subject).resource, at: at, in: transaction)
        }
        try store(contract.resource, at: at, in: transaction)
        try register.save(next, of: subject, clientID: provenance.clientID, at: at, in: transaction)
        return .recorded
    }

    /// The Contract: the signer, the time, and that it was on paper. Contracts of one participant differ by their day.
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

    /// Returns the same id for the same participant and day, in the form of a FHIR id.
    private static func id(_ subject: String, _ signedAt: DateTime) -> String {
        let day = signedAt.text.prefix(10)
        let name = "paper-\(day)-\(subject)"
        return Resource.isID(name) ? name : "paper-\(day)-" + String(subject.suffix(64 - 17))
    }
}
