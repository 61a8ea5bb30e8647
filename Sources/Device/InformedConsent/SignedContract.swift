import FHIR
import Foundation

/// The content of a signed Contract: the signer, the template and the time. It is read from R4, including Contracts
/// that were converted to R4.
public struct SignedContract: Sendable, Hashable, Codable {
    /// The id of the Contract; nil if the sender gave none.
    public let contractID: String?
    /// The id of the Patient who signed.
    public let subject: String
    /// The URL of the template in `instantiatesUri`; nil for Contracts of C3-PRO's apps, which refer to none.
    public let templateURL: String?
    /// The version of the template.
    public let templateVersion: String?
    /// The time of signing: `Contract.signer.signature.when`, otherwise the start of `Contract.applies`, otherwise
    /// `Contract.issued`. If it was read from a Contract, it is never later than the receipt
    /// (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.signer.signature>).
    public let signedAt: Date
    /// Whether other researchers may use the data; nil if the question was not asked.
    public let sharing: Bool?
    /// The kinds of health data that it includes, among those that require inclusion
    /// (``ConsentVocabulary/includesHealthData``).
    public let includedHealthData: Set<String>
    /// The arrival; nil if it was saved by a version that did not store it.
    public let arrival: ConsentArrival?

    /// Creates a signed Contract from its parts.
    public init(
        contractID: String?, subject: String, templateURL: String?, templateVersion: String?, signedAt: Date,
        sharing: Bool?, includedHealthData: Set<String> = [], arrival: ConsentArrival? = nil
    ) {
        self.contractID = contractID
        self.subject = subject
        self.templateURL = templateURL
        self.templateVersion = templateVersion
        self.signedAt = signedAt
        self.sharing = sharing
        self.includedHealthData = includedHealthData
        self.arrival = arrival
    }

    /// Decodes a saved Contract, also from a version that did not store the included health data: it then includes
    /// none.
    public init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            contractID: try saved.decodeIfPresent(String.self, forKey: .contractID),
            subject: try saved.decode(String.self, forKey: .subject),
            templateURL: try saved.decodeIfPresent(String.self, forKey: .templateURL),
            templateVersion: try saved.decodeIfPresent(String.self, forKey: .templateVersion),
            signedAt: try saved.decode(Date.self, forKey: .signedAt),
            sharing: try saved.decodeIfPresent(Bool.self, forKey: .sharing),
            includedHealthData: try saved.decodeIfPresent(Set<String>.self, forKey: .includedHealthData) ?? [],
            arrival: try saved.decodeIfPresent(ConsentArrival.self, forKey: .arrival))
    }

    /// Returns the Contract as one of the template with the same text: it refers to the template and includes exactly
    /// the template's health data.
    public func of(_ template: ConsentTemplate) -> SignedContract {
        SignedContract(
            contractID: contractID, subject: subject, templateURL: template.url, templateVersion: template.version,
            signedAt: signedAt, sharing: sharing, includedHealthData: template.includedHealthData, arrival: arrival)
    }

    /// The Contract as one without a template's text: it includes no health data, whatever its extensions contain.
    public var withoutTerms: SignedContract {
        SignedContract(
            contractID: contractID, subject: subject, templateURL: nil, templateVersion: nil, signedAt: signedAt,
            sharing: sharing, includedHealthData: [], arrival: arrival)
    }
}

/// Reads signed Contracts.
public enum SignedContractReader {
    /// Reads the content of a signed R4 Contract.
    ///
    /// - Parameters:
    ///   - receivedAt: the time that is used if the Contract contains none or one in the future, because it was signed
    ///     before it was received.
    ///   - number: the server's sequence number of received messages.
    /// - Throws: ``ConsentError/notAContract``, ``ConsentError/notSigned`` if there is no signer or the Contract is not
    ///   in force, ``ConsentError/subjectUnclear`` if no patient or more than one signed.
    public static func read(
        _ contract: Contract, receivedAt: Date, number: Int64 = 0
    ) throws(ConsentError) -> SignedContract {
        guard contract.resourceType == Contract.resourceType else { throw ConsentError.notAContract }
        if let status = contract.status, !inForce.contains(status) { throw ConsentError.notSigned }
        let counted = consenters(of: contract)
        guard !counted.isEmpty else { throw ConsentError.notSigned }
        var subjects: Set<String> = []
        for signer in counted {
            // The party and all signatures with a signer must refer to the same patient.
            for reference in [signer.party] + signer.signature.map(\.who) {
                guard let reference, reference.reference != nil else { continue }
                guard let literal = reference.literal, literal.type == "Patient" else {
                    throw ConsentError.subjectUnclear
                }
                subjects.insert(literal.id)
            }
        }
        guard let subject = subjects.first, subjects.count == 1 else { throw ConsentError.subjectUnclear }
        let template = template(of: contract)
        let times =
            counted.flatMap(\.signature).compactMap(\.when)
            + [contract.applies?.start, contract.issued]
            .compactMap { $0 }
        return SignedContract(
            contractID: contract.id, subject: subject, templateURL: template?.url, templateVersion: template?.version,
            signedAt: min(times.first?.start() ?? receivedAt, receivedAt), sharing: sharing(in: contract),
            includedHealthData: contract.includedHealthData,
            arrival: ConsentArrival(receivedAt: receivedAt, number: number))
    }

    /// The statuses in which a contract is in force (<https://hl7.org/fhir/R4/valueset-contract-status.html>).
    private static let inForce: Set<ContractStatus> = [.executed, .renewed, .amended, .appended]

    /// Returns the template that a Contract refers to (`instantiatesUri`, otherwise `instantiatesCanonical`); nil if
    /// there is none.
    static func template(of contract: Contract) -> CanonicalURL? {
        (contract.instantiatesUri ?? contract.instantiatesCanonical?.reference).map { CanonicalURL($0) }
    }

    /// Returns the consenter's choice about sharing; nil if the question was not asked.
    static func sharing(in contract: Contract) -> Bool? {
        consenters(of: contract).lazy.compactMap { $0.extension(ConsentVocabulary.sharing)?.value?.json.bool }.first
    }

    /// Returns the signers whose signatures are used: the consenters. Other signers, such as a witness, are ignored if
    /// there is a consenter.
    private static func consenters(of contract: Contract) -> [Contract.Signer] {
        let signers = contract.signer.filter { !$0.signature.isEmpty }
        let consenters = signers.filter { signer in
            signer.type?.code.map { $0 == "CONSENTER" || $0 == ConsentVocabulary.consentSignature } ?? false
        }
        return consenters.isEmpty ? signers : consenters
    }
}
