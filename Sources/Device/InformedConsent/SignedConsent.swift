import FHIR

/// A consent that a person gave: what is sent, and what stays on the device.
public struct SignedConsent: Sendable, Hashable {
    /// The signed R4 Contract. It has neither the person's name nor an image of the signature in it.
    public let contract: Contract
    /// The pseudonymous Patient.
    public let patient: Patient
    /// The document with name, date and signature. It never leaves the device.
    public let document: ConsentDocumentLayout

    /// The id of the Patient: every later resource of the participant has it as its subject.
    public var participant: String { patient.id ?? "" }
    /// The id of the Contract.
    public var contractID: String { contract.id ?? "" }
}
