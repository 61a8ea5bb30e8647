import FHIR
import Foundation

/// The content of a signed Contract: who consented, to what, and when. Read from R4, also from what was converted to
/// it.
public struct SignedContract: Sendable, Hashable, Codable {
    /// The id of the Contract; nil where the sender gave none.
    public let contractID: String?
    /// The id of the Patient who signed.
    public let subject: String
    /// The URL of the template in `instantiatesUri`; nil for Contracts of C3-PRO's apps, which name none.
    public let templateURL: String?
    /// The version of the template.
    public let templateVersion: String?
    /// The moment of signing: `Contract.signer.signature.when`, else the start of `Contract.applies`, else
    /// `Contract.issued`. When read from a Contract it is never later than the receipt
    /// (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.signer.signature>).
    public let signedAt: Date
    /// Whether other researchers may use the data; nil where it was not asked.
    public let sharing: Bool?
    /// The kinds of health data that it names, of those that are released only where they are named
    /// (``ConsentVocabulary/includesHealthData``).
    public let includedHealthData: Set<String>
    /// When it came; nil where it was saved by a version that did not keep that.
    public let arrival: ConsentArrival?

    /// Makes a signed Contract of its parts.
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

    /// Reads one that was saved, also by a version that did not know yet what a Contract includes: those named nothing.
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

    /// The Contract as that of the template whose text it says: named by it, and including what it includes and no more.
    public func of(_ template: ConsentTemplate) -> SignedContract {
        SignedContract(
            contractID: contractID, subject: subject, templateURL: template.url, templateVersion: template.version,
            signedAt: signedAt, sharing: sharing, includedHealthData: template.includedHealthData, arrival: arrival)
    }

    /// The Contract as one that says no text: it names nothing of health data, whatever stands in it.
    public var withoutTerms: SignedContract {
        SignedContract(
            contractID: contractID, subject: subject, templateURL: nil, templateVersion: nil, signedAt: signedAt,
            sharing: sharing, includedHealthData: [], arrival: arrival)
    }
}

/// Reads signed Contracts.
public enum SignedContractReader {
    /// Reads who signed an R4 Contract.
    ///
    /// - Parameters:
    ///   - receivedAt: the time that counts where the Contract has none or one that is still to come: nobody signed after
    ///     we had it.
    ///   - number: the server's count of what it receives.
    /// - Throws: ``ConsentError/notAContract``, ``ConsentError/notSigned`` where nobody signed or the Contract is not
    ///   in force, ``ConsentError/subjectUnclear`` where no patient or more than one signed.
    public static func read(
        _ contract: Contract, receivedAt: Date, number: Int64 = 0
    ) throws(ConsentError) -> SignedContract {
        guard contract.resourceType == Contract.resourceType else { throw ConsentError.notAContract }
        if let status = contract.status, !inForce.contains(status) { throw ConsentError.notSigned }
        let counted = consenters(of: contract)
        guard !counted.isEmpty else { throw ConsentError.notSigned }
        var subjects: Set<String> = []
        for signer in counted {
            // The party, and every signature that says whose it is, must be the same patient.
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

    /// The statuses in which a contract binds (<https://hl7.org/fhir/R4/valueset-contract-status.html>).
    private static let inForce: Set<ContractStatus> = [.executed, .renewed, .amended, .appended]

    /// The template that a Contract says it was made of (`instantiatesUri`, else `instantiatesCanonical`); nil where it
    /// names none.
    static func template(of contract: Contract) -> CanonicalURL? {
        (contract.instantiatesUri ?? contract.instantiatesCanonical?.reference).map { CanonicalURL($0) }
    }

    /// The consenter's choice about sharing; nil where it was not asked.
    static func sharing(in contract: Contract) -> Bool? {
        consenters(of: contract).lazy.compactMap { $0.extension(ConsentVocabulary.sharing)?.value?.json.bool }.first
    }

    /// The signers whose signature counts: the consenter's; others, as of a witness, may stand beside it.
    private static func consenters(of contract: Contract) -> [Contract.Signer] {
        let signers = contract.signer.filter { !$0.signature.isEmpty }
        let consenters = signers.filter { signer in
            signer.type?.code.map { $0 == "CONSENTER" || $0 == ConsentVocabulary.consentSignature } ?? false
        }
        return consenters.isEmpty ? signers : consenters
    }
}
