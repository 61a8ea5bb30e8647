import Core
import Foundation

/// The members of a sealed envelope that are readable without a key and protected against changes.
public struct SubmissionHeader: Sendable, Hashable {
    /// The submission's id, a UUID in lower case. A submission that is sent again keeps its id.
    public let submissionID: String
    /// The number of the submission in the device's order, from 1.
    public let sequence: Int64
    /// The FHIR version of the payload, such as `4.0.1`.
    public let fhirVersion: String
    /// The type of the payload.
    public let contentType: PayloadType

    /// Creates a header after checks. Throws `envelope-header-invalid`.
    public init(
        submissionID: String, sequence: Int64, fhirVersion: String = "4.0.1", contentType: PayloadType = .resource
    ) throws(WireError) {
        self.submissionID = try Self.checked(submissionID: submissionID)
        self.sequence = try Self.checked(sequence: sequence)
        self.fhirVersion = try Self.checked(fhirVersion: fhirVersion)
        self.contentType = contentType
    }

    static func checked(submissionID: String?) throws(WireError) -> String {
        guard let submissionID, submissionID.utf8.count == 36, let uuid = UUID(text: submissionID) else {
            throw WireError(.envelopeHeaderInvalid, "The protected header needs sid, a UUID.")
        }
        return uuid.lowercaseText
    }

    static func checked(sequence: Int64?) throws(WireError) -> Int64 {
        guard let sequence, sequence >= 1 else {
            throw WireError(.envelopeHeaderInvalid, "The protected header needs seq, a whole number from 1.")
        }
        return sequence
    }

    static func checked(fhirVersion: String?) throws(WireError) -> String {
        guard let fhirVersion, (1...32).contains(fhirVersion.utf8.count),
            fhirVersion.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { throw WireError(.envelopeHeaderInvalid, "The header fhirVersion must be a short plain text.") }
        return fhirVersion
    }

    var members: [JSONObject.Member] {
        [
            .init(key: "sid", value: .string(submissionID)), .init(key: "seq", value: .number(JSONNumber(sequence))),
            .init(key: "fhirVersion", value: .string(fhirVersion)),
            .init(key: "cty", value: .string(contentType.rawValue)),
        ]
    }
}
