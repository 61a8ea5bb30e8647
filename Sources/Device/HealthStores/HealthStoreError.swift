import Core

/// An error of the stores. The message contains no health data.
public struct HealthStoreError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file contains lines that are not resources.
        case fileForeign = "health-file-foreign"
        /// A FHIR server cannot return its CapabilityStatement now.
        case serverUnavailable = "fhir-server-unavailable"
        /// The URL is not that of a server.
        case serverInvalid = "fhir-server-invalid"
    }

    /// The kind.
    public let reason: Reason

    /// Creates an error of a kind.
    public init(_ reason: Reason) { self.reason = reason }

    /// The stable code.
    public var code: String { reason.rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch reason {
        case .serverUnavailable: "The FHIR server cannot answer now; the remaining data are sent in the next run."
        case .serverInvalid: "The address is not that of a FHIR server; use https, or http on this machine."
        case .fileForeign: "The file contains lines that are not FHIR resources; name another file, which is created."
        }
    }
}
