import FHIR

/// A signed consent: the resources that are sent, and the document that stays on the device.
public struct SignedConsent: Sendable, Hashable {
    /// The signed R4 Contract. It contains neither the person's name nor an image of the signature.
    public let contract: Contract
    /// The pseudonymous Patient.
    public let patient: Patient
    /// The document with name, date and signature. It never leaves the device.
    public let document: ConsentDocumentLayout

    /// The id of the Patient, which is the subject of all later resources of the participant.
    public var participant: String { patient.id ?? "" }
    /// The id of the Contract.
    public var contractID: String { contract.id ?? "" }
}
